// Several runs, a chosen set of metrics: by the clock and by the step.
import { board, labelValues, row, runVariables } from './board.mjs';
import {
  coloured, curves, link, q, rows, runsBySteps, table, toRun,
} from './panels.mjs';
import { code, key, of, perRun, RUN, template } from './query.mjs';
import { HEALTH, mappings, STATE } from './states.mjs';
import { rawFamily } from './vocabulary.mjs';

// What is compared to begin with.
export const DEFAULT_KEYS = ['critic/score/mean', 'critic/rewards/mean',
  'actor/grad_norm', 'actor/entropy', 'actor/pg_loss', 'response_length/mean',
  'perf/throughput', 'perf/time_per_step'];
DEFAULT_KEYS.forEach((each) => key(each));
const FAMILIES = DEFAULT_KEYS.map(rawFamily);

const LAST_STEP = perRun(of('rlrun_last_step', 'line="train"'));
const METRIC = perRun(`{__name__=~"$metric", ${RUN}}`);

const overview = table({
  title: 'The runs',
  description: 'Where each run is and how it fares; health as on Fleet.',
  queries: [
    rows(code(HEALTH)),
    rows(code(STATE)),
    rows(LAST_STEP),
    rows(perRun(key('critic/score/mean'))),
    rows(perRun(key('critic/rewards/mean'))),
    rows(perRun(key('actor/grad_norm'))),
    rows(perRun(key('response_length/mean'))),
    rows(perRun(of('rlrun_last_step_duration_seconds'))),
  ],
  columns: [
    ['Value #A', 'Health', 90, coloured, ['mappings', mappings(HEALTH)]],
    ['Value #B', 'State', 100, coloured, ['mappings', mappings(STATE)]],
    ['project', 'Project', 140],
    ['run', 'Run', undefined, link('Run', toRun('rlrun-run'))],
    ['Value #C', 'Step', 80, ['decimals', 0]],
    ['Value #D', 'Score', 100, ['decimals', 3]],
    ['Value #E', 'Reward', 100, ['decimals', 3]],
    ['Value #F', 'Gradient norm', 110, ['decimals', 3]],
    ['Value #G', 'Response length', 120, ['decimals', 0]],
    ['Value #H', 'Time per step', 110, ['unit', 's'], ['decimals', 1]],
  ],
  sort: [['Score', true]],
  filterable: true,
  unit: 'none',
  width: 24,
  height: 8,
});

const byStep = runsBySteps({
  title: '$metric by training step',
  description: 'Each run against its own steps, as far as it was scraped; where ' +
    'two runs part at one step, compare their configs and data there.',
  steps: LAST_STEP,
  values: METRIC,
  repeat: 'metric',
  unit: 'none',
  height: 9,
});

const byClock = curves({
  title: '$metric over time',
  description: 'The same by the clock: a change of several runs at one time is ' +
    'what they share, not what they train.',
  queries: [q(METRIC, '{{project}} {{run}}')],
  repeat: 'metric',
  unit: 'none',
  height: 9,
});

const scores = [
  runsBySteps({
    title: 'Validation by training step',
    description: 'Mean of the main scores over data sources, at the step of each ' +
      'validation. Runs that validate other data sources are not comparable.',
    steps: perRun(of('rlrun_last_step', 'line="val"')),
    values: `avg by (project, run) (${
      template('val_core', 'statistic=~"mean@.*"')})`,
    unit: 'none',
    decimals: 3,
    width: 12,
    height: 9,
  }),
  curves({
    title: 'Progress',
    description: 'Training step over time: the slope is the speed, a flat line a ' +
      'run that stands.',
    queries: [q(LAST_STEP, '{{project}} {{run}}')],
    unit: 'none',
    decimals: 0,
    width: 12,
    height: 9,
  }),
];

export const compare = () => board({
  uid: 'rlrun-compare',
  title: 'RL runs / Compare',
  description: 'Several runs side by side, by the clock and by the step.',
  from: 'now-2d',
  variables: [
    ...runVariables({ many: true }),
    labelValues({
      name: 'metric',
      label: 'Metrics',
      description: 'Any step metric that one of the runs prints.',
      selector: `{__name__=~"rlrun_step_.*", ${RUN}}`,
      from: '__name__',
      regex: '/^rlrun_step_.*/',
      many: true,
      current: { text: FAMILIES, value: FAMILIES },
    }),
  ],
  rows: [
    row('', [overview, ...scores]),
    row('By training step', [byStep], false),
    row('By the clock', [byClock]),
  ],
});
