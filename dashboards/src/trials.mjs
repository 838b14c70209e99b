// The trials of one run: how they ended, what they were worth, how long they
// took. Counts are those of the trial directories, not of the step lines.
import {
  board, labelValues, row, runEvents, runVariables,
} from './board.mjs';
import {
  bars, curves, heatmap, now, q, rows, stat, table,
} from './panels.mjs';
import { of, one, perRun } from './query.mjs';

const SPLIT = 'split=~"$split"';
const trials = (name, matchers = '') =>
  of(name, [SPLIT, matchers].filter(Boolean).join(', '));
// How many came in the last minutes of each point, over all splits chosen.
const came = (name, by, matchers) =>
  `sum by (${by}) (${one(`increase(${trials(name, matchers)}[$__rate_interval])`)})`;
const total = (name, matchers) => `sum(${one(trials(name, matchers))})`;
const inRange = (name, by) =>
  `sum by (${by}) (${one(`increase(${trials(name)}[$__range])`)})`;
const REASONS = ['agent_completed', 'max_turns_reached', 'overlong', 'timeout',
  'env_setup_failed', 'unscored', 'unknown'];

const head = [
  stat({
    title: 'Running',
    description: 'Trial directories without a result that still change.',
    queries: [now(`sum(${one(trials('rlrun_trials', 'state="running"'))})`)],
    unit: 'none',
    neutral: true,
  }),
  stat({
    title: 'Stuck',
    description: 'Trial directories without a result that no longer change: ' +
      'agents or sandboxes that hang.',
    queries: [now(`sum(${one(trials('rlrun_trials', 'state="stuck"'))})`)],
    unit: 'none',
    thresholds: [[null, 'green'], [1, 'yellow']],
  }),
  stat({
    title: 'Finished',
    description: 'Trials that have ended, all of the run so far.',
    queries: [now(total('rlrun_trials_finished_total'))],
    unit: 'short',
    neutral: true,
  }),
  stat({
    title: 'Solve rate so far',
    description: 'Scored trials with a reward above 0. Read it beside the ' +
      'coverage: a trial without a score is missing, not 0.',
    queries: [now(`${total('rlrun_trials_solved_total')} / ${
      total('rlrun_trials_scored_total')}`)],
    unit: 'percentunit',
    decimals: 1,
    neutral: true,
  }),
  stat({
    title: 'Coverage so far',
    description: 'Share of finished trials that have a score. Low coverage makes ' +
      'the solve rate a rate of those that got through.',
    queries: [now(`${total('rlrun_trials_scored_total')} / ${
      total('rlrun_trials_finished_total')}`)],
    unit: 'percentunit',
    decimals: 1,
    thresholds: [[null, 'red'], [0.8, 'yellow'], [0.95, 'green']],
  }),
  stat({
    title: 'Mean reward so far',
    description: 'Of scored trials; rewards may be negative.',
    queries: [now(`${total('rlrun_trial_reward_sum')} / ${
      total('rlrun_trial_reward_count')}`)],
    unit: 'none',
    decimals: 3,
    neutral: true,
  }),
  stat({
    title: 'Dropped',
    description: 'Trajectories that the trainer dropped, so far.',
    queries: [now(total('rlrun_trials_dropped_total'))],
    unit: 'short',
    neutral: true,
  }),
  stat({
    title: 'Directories',
    description: 'Whether the trial directories have been walked through once; ' +
      'before that there is no other number here.',
    queries: [now(perRun(of('rlrun_trials_scan_complete')), 'scan')],
    mappings: [{
      type: 'value',
      options: {
        0: { text: 'being read', color: 'blue', index: 0 },
        1: { text: 'read', color: 'green', index: 1 },
      },
    }],
    unit: 'none',
  }),
];

const outcomes = [
  curves({
    title: 'Finished trials by reason',
    description: 'New results per interval. Only agent_completed is an end of the ' +
      'agent\'s own. env_setup_failed points at an image that cannot be pulled, a ' +
      'registry that is down, or a node without its registry trust: confirm on ' +
      'the node.',
    queries: [q(came('rlrun_trials_finished_total', 'reason'), '{{reason}}')],
    stack: 'normal',
    bars: true,
    unit: 'none',
    decimals: 0,
    width: 12,
  }),
  bars({
    title: 'Reasons so far',
    description: 'All finished trials of the run by why they ended.',
    queries: REASONS.map((reason) => now(
      total('rlrun_trials_finished_total', `reason="${reason}"`), reason)),
    unit: 'none',
    decimals: 0,
    width: 6,
  }),
  curves({
    title: 'Running and stuck',
    description: 'stuck: no result and no change any more. A number that stays ' +
      'while a step does not end is what the step waits for.',
    queries: [q(`sum by (state) (${one(trials('rlrun_trials'))})`, '{{state}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
    width: 6,
  }),
  curves({
    title: 'Solve rate and coverage',
    description: 'Of the trials that ended in each interval. A solve rate that ' +
      'rises while coverage falls says nothing of the model. No curve where no ' +
      'trial ended.',
    queries: [
      q(`${came('rlrun_trials_solved_total', 'split')} / ${
        came('rlrun_trials_scored_total', 'split')}`, 'solved of scored, {{split}}'),
      q(`${came('rlrun_trials_scored_total', 'split')} / ${
        came('rlrun_trials_finished_total', 'split')}`,
      'scored of finished, {{split}}')],
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
    width: 12,
  }),
  heatmap({
    title: 'Rewards',
    description: 'How many scored trials got which reward, per interval. Two ' +
      'bands at 0 and 1 are usual; one band only is no_signal.',
    queries: [q(came('rlrun_trial_reward_bucket', 'le'), '{{le}}')],
    unit: 'none',
    decimals: 2,
    width: 12,
  }),
];

const durations = [
  heatmap({
    title: 'Duration of trials',
    description: 'The stage chosen above, of the trials that ended in each ' +
      'interval. A second band far above the first are hard tasks or sick ' +
      'sandboxes.',
    queries: [q(came('rlrun_trial_duration_seconds_bucket', 'le',
      'stage=~"$stage"'), '{{le}}')],
    unit: 's',
    width: 12,
  }),
  curves({
    title: 'Quantiles of the stage',
    description: 'The stage chosen above. A p99 that leaves the median is a tail ' +
      'that the whole step waits for.',
    queries: [0.5, 0.9, 0.99].map((p) => q(
      `histogram_quantile(${p}, ${came('rlrun_trial_duration_seconds_bucket',
        'le', 'stage=~"$stage"')})`, `p${p * 100}`)),
    unit: 's',
    decimals: 0,
    width: 12,
  }),
  curves({
    title: 'Median by stage',
    description: 'A stage that grows alone names the service to look at: ' +
      'environment_setup the registry, verifier the test machines.',
    queries: [q(`histogram_quantile(0.5, ${
      came('rlrun_trial_duration_seconds_bucket', 'le, stage')})`, '{{stage}}')],
    unit: 's',
    decimals: 0,
    width: 12,
  }),
  bars({
    title: 'Mean duration by stage so far',
    description: 'Over all finished trials of the run.',
    queries: [now(`sum by (stage) (${one(trials('rlrun_trial_duration_seconds_sum'))
    }) / sum by (stage) (${one(trials('rlrun_trial_duration_seconds_count'))})`,
    '{{stage}}')],
    unit: 's',
    decimals: 0,
    width: 12,
  }),
];

const details = [
  table({
    title: 'Exceptions',
    description: 'Types that trials ended with, so far and in the time range, the ' +
      'most frequent first.',
    queries: [
      rows(`sum by (exception) (${one(trials('rlrun_trial_exceptions_total'))})`),
      rows(inRange('rlrun_trial_exceptions_total', 'exception')),
    ],
    columns: [
      ['exception', 'Exception', undefined],
      ['Value #A', 'So far', 90, ['decimals', 0]],
      ['Value #B', 'In range', 90, ['decimals', 0]],
    ],
    sort: [['So far', true]],
    unit: 'none',
    width: 8,
    height: 9,
  }),
  curves({
    title: 'Tokens',
    description: 'Of finished trials, per second. Much input with little cache is ' +
      'a prefix cache that does not hit.',
    queries: [q(`sum by (kind) (${one(`rate(${
      trials('rlrun_trial_tokens_total')}[$__rate_interval])`)})`, '{{kind}}')],
    unit: 'suffix: tok/s',
    decimals: 0,
    min: 0,
    height: 9,
  }),
  curves({
    title: 'Dropped trajectories',
    description: 'New ones per interval, by the trainer\'s reason.',
    queries: [q(came('rlrun_trials_dropped_total', 'reason'), '{{reason}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
    bars: true,
    height: 9,
  }),
  curves({
    title: 'Results that cannot be read',
    description: 'Results and drop lines that are malformed, so far: what the ' +
      'numbers above leave out.',
    queries: [q(one(of('rlrun_exporter_trial_errors_total')), '{{kind}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
    width: 24,
    height: 6,
  }),
];

export const trialsPage = () => board({
  uid: 'rlrun-trials',
  title: 'RL runs / Trials',
  description: 'Trials of one run, as their directories tell of them.',
  variables: [
    ...runVariables(),
    labelValues({
      name: 'split',
      label: 'Split',
      description: 'Trials of training, of validation, or of neither that is known.',
      selector: 'rlrun_trials_finished_total{project=~"$project", run=~"$run"}',
      many: true,
      all: '.*',
    }),
    labelValues({
      name: 'stage',
      label: 'Stage',
      description: 'Of the duration panels.',
      selector:
        'rlrun_trial_duration_seconds_count{project=~"$project", run=~"$run"}',
      current: { text: 'total', value: 'total' },
    }),
  ],
  annotations: runEvents(),
  scenario: 'tree',
  rows: [
    row('', [...head, ...outcomes]),
    row('Durations', durations, false),
    row('Exceptions, tokens, drops', details, false),
  ],
});
