// All runs at a glance: who needs somebody now.
import { board, row, runVariables } from './board.mjs';
import {
  byName, coloured, curves, link, now, q, rows, stat, strip, table,
  timeline, toRun, VALUE_AND_NAME,
} from './panels.mjs';
import { code, key, live, of, perRun } from './query.mjs';
import { DECISION, HEALTH, LEVEL, mappings, STATE } from './states.mjs';

const RED = [[null, 'green'], [1, 'red']];
const YELLOW = [[null, 'green'], [1, 'yellow']];
const count = (family, matchers) => `sum(${perRun(of(family, matchers))})`;
const ACTIVE = `${perRun(of('rlrun_signature_active'), 'signature')} == 1`;
// Alerts of the exporter itself have no run.
const alerts = (matcher = '') => 'ALERTS{alertname=~"RLRun.*", ' +
  `alertstate="firing", ${matcher}project=~"$project", run=~"$run|"}`;
const ALERT_LEVEL = Object.entries(LEVEL.values)
  .map(([name, [level]]) => `${level} * ${alerts(`severity="${name}", `)}`)
  .join(' or ');
const LAST_STEP = perRun(of('rlrun_last_step', 'line="train"'));
const TOTAL = perRun(of('rlrun_total_steps'));
const AGE = `time() - ${perRun(of('rlrun_last_step_timestamp_seconds'))}`;

const counts = [
  stat({
    title: 'Critical',
    description: 'Runs with a critical signature. Look at these first.',
    queries: [now(count('rlrun_health', 'level="critical"'))],
    unit: 'none',
    thresholds: RED,
  }),
  stat({
    title: 'At risk',
    description: 'Runs with a warning, or with a check that has failed for its ' +
      'number of steps.',
    queries: [now(count('rlrun_health', 'level="at_risk"'))],
    unit: 'none',
    thresholds: YELLOW,
  }),
  stat({
    title: 'Recommended to stop',
    description: 'Live runs whose training quality speaks for stopping. The ' +
      'exporter never touches a run: stopping is the reader\'s decision.',
    queries: [now(count('rlrun_decision', 'decision="stop"'))],
    unit: 'none',
    thresholds: RED,
  }),
  stat({
    title: 'Alerts',
    description: 'RLRun alerts that fire in this Prometheus. 0 as well where the ' +
      'rules of alerts/ are not loaded.',
    queries: [now(`count(${alerts()}) or vector(0)`)],
    unit: 'none',
    thresholds: RED,
  }),
  stat({
    title: 'Runs by state',
    description: 'failed: a crash, a silent death, or an end below the planned ' +
      'steps. lost: silent for 6 h and no process seen, so how it ended is ' +
      'unknown. stalled: the log has gone silent, the shape of a deadlock.',
    queries: [now(
      `sum by (state) (${perRun(of('rlrun_state'), 'state')})`, '{{state}}')],
    names: VALUE_AND_NAME,
    width: 12,
    unit: 'none',
    decimals: 0,
    mappings: [{ type: 'value',
      options: { 0: { text: '0', color: 'transparent', index: 0 } } }],
    overrides: Object.values(STATE.values).map(([, name, color]) =>
      byName(name, ['color', { mode: 'fixed', fixedColor: color }])),
  }),
];

const runs = table({
  title: 'Runs, the worst first',
  description: 'One row per run, by health, then state. Step age is the time ' +
    'since the newest step line; beside min/step it tells whether a step is ' +
    'overdue. Worst signature: the one of the highest level; all are below.',
  queries: [
    rows(code(HEALTH)),
    rows(code(DECISION)),
    rows(code(STATE)),
    rows(LAST_STEP),
    rows(TOTAL),
    rows(`${LAST_STEP} / ${TOTAL}`),
    rows(perRun(of('rlrun_last_step_duration_seconds'))),
    rows(AGE),
    rows(`count by (project, run) (${ACTIVE})`),
    rows(`topk by (project, run) (1, ${code(LEVEL, 'signature')} > 0)`),
    rows(perRun(of('rlrun_info'), 'framework, mode')),
  ],
  columns: [
    ['Value #A', 'Health', 90, coloured, ['mappings', mappings(HEALTH)]],
    ['project', 'Project', 140],
    ['run', 'Run', 260, link('Run', toRun('rlrun-run')),
      ['custom.filterable', true]],
    ['Value #C', 'State', 100, coloured, ['mappings', mappings(STATE)]],
    ['Value #B', 'Decision', 90, coloured, ['mappings', mappings(DECISION)]],
    ['Value #I', 'Signatures', 90, link('Diagnosis', toRun('rlrun-diagnosis'))],
    ['signature', 'Worst signature', 220,
      link('Diagnosis', toRun('rlrun-diagnosis'))],
    ['Value #D', 'Step', 70, ['decimals', 0]],
    ['Value #E', 'Of', 70, ['decimals', 0]],
    ['Value #F', 'Progress', 120, ['unit', 'percentunit'], ['decimals', 0],
      ['min', 0], ['max', 1], ['color', { mode: 'fixed', fixedColor: 'blue' }],
      ['custom.cellOptions', { type: 'gauge', mode: 'basic',
        valueDisplayMode: 'text' }]],
    ['Value #G', 'Time per step', 100, ['unit', 's'], ['decimals', 1]],
    ['Value #H', 'Step age', 100, ['unit', 's'], ['decimals', 1]],
    ['framework', 'Trainer', 80],
    ['mode', 'Mode', 80],
  ],
  hidden: ['Value #J', 'Value #K'],
  sort: [['Health', true], ['State', true], ['Step age', true]],
  filterable: true,
  width: 24,
  height: 12,
  unit: 'none',
});

const matched = table({
  title: 'Matched signatures, the worst first',
  description: 'Known failures whose evidence is in the data, with the step since ' +
    'which they hold. What each means and what to do next is on the Diagnosis ' +
    'dashboard.',
  queries: [
    rows(`${code(LEVEL, 'signature')} > 0`),
    rows(perRun(of('rlrun_signature_since_step'), 'signature')),
  ],
  columns: [
    ['Value #A', 'Level', 90, coloured, ['mappings', mappings(LEVEL)]],
    ['project', 'Project', 140],
    ['run', 'Run', 240, link('Diagnosis', toRun('rlrun-diagnosis'))],
    ['signature', 'Signature', 230],
    ['Value #B', 'Since step', 90, ['decimals', 0]],
  ],
  sort: [['Level', true], ['Since step', true]],
  filterable: true,
  width: 14,
  height: 9,
  unit: 'none',
});

const firing = table({
  title: 'Firing alerts',
  description: 'Needs the rules of alerts/ in this Prometheus; empty without ' +
    'them. Each alert has a runbook of its name in alerts/runbooks.',
  queries: [rows(`max by (alertname, project, run) (${ALERT_LEVEL})`)],
  columns: [
    ['Value', 'Level', 90, coloured, ['mappings', mappings(LEVEL)]],
    ['alertname', 'Alert', 240],
    ['run', 'Run', undefined, link('Run', toRun('rlrun-run'))],
    ['project', 'Project', 120],
  ],
  sort: [['Level', true], ['Alert', false]],
  width: 10,
  height: 9,
  unit: 'none',
});

const ages = strip({
  title: 'Step age of live runs, in own steps',
  description: 'Time since the newest step line, divided by the run\'s own median ' +
    'step: above 5 no step comes any more. A growing log without steps is ' +
    'no_progress, a silent one is stall.',
  queries: [q(live(`(${AGE}) / ${
    perRun(of('rlrun_baseline_step_duration_seconds'))}`), '{{project}} {{run}}')],
  unit: 'none',
  decimals: 1,
  thresholds: [[null, 'green'], [2, 'yellow'], [5, 'red']],
  width: 24,
  height: 8,
});

const past = [
  timeline({
    title: 'Health of each run',
    description: 'critical: a critical signature is active. at risk: a warning is, ' +
      'or a check has failed for its number of steps.',
    queries: [q(code(HEALTH), '{{project}} {{run}}')],
    mappings: mappings(HEALTH),
    width: 24,
    height: 12,
  }),
  curves({
    title: 'Runs by state',
    description: 'How many runs are in each state. A rise of failed or stalled ' +
      'runs at one time points at what they share: storage, network, nodes.',
    queries: [q(`sum by (state) (${perRun(of('rlrun_state'), 'state')})`,
      '{{state}}')],
    overrides: Object.values(STATE.values).map(([, name, color]) =>
      byName(name, ['color', { mode: 'fixed', fixedColor: color }])),
    stack: 'normal',
    unit: 'none',
    decimals: 0,
    width: 8,
  }),
  curves({
    title: 'Reward of live runs',
    description: 'Mean score of the newest step, of runs that print none the ' +
      'reward. Flat at one value means that nothing is learned; a fall of more ' +
      'than half of what was gained is reward_drop.',
    queries: [q(live(`(${perRun(key('critic/score/mean'))} or ${
      perRun(key('critic/rewards/mean'))})`), '{{project}} {{run}}')],
    unit: 'none',
    width: 8,
  }),
  curves({
    title: 'Time per step of live runs',
    description: 'Newest training step. One and a half times its own median of ' +
      'the 20 steps before is step_slowdown.',
    queries: [q(live(perRun(of('rlrun_last_step_duration_seconds'))),
      '{{project}} {{run}}')],
    unit: 's',
    width: 8,
  }),
];

export const fleet = () => board({
  uid: 'rlrun-fleet',
  title: 'RL runs / Fleet',
  description: 'Every run that rlrun_exporter sees, the worst first.',
  from: 'now-6h',
  refresh: '30s',
  variables: runVariables({ many: true }),
  rows: [
    row('', [...counts, runs, matched, firing, ages]),
    row('Over time', past),
  ],
});
