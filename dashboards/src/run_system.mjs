// Of one run what works for it: rollouter and trainer, inference engines,
// processes, and what the log tells of them.
import { curves, q } from './panels.mjs';
import { run } from './query.mjs';
import { keys } from './step_panels.mjs';

export const asynchronous = [
  keys('Queues', 'Samples that wait between rollouter and trainer. Empty: the ' +
    'trainer waits; at its size: the rollouter does.', {
    'in the queue': 'fully_async/monitor/queue/mq_queue_size',
    pending: 'fully_async/monitor/queue/pending_queue_size',
    'active tasks': 'fully_async/monitor/active_tasks_size',
    'largest queue': 'fully_async/static/max_queue_size',
  }, { decimals: 0, scenario: 'every_key' }),
  curves({
    title: 'Samples of the current step',
    description: 'Collected so far, of those that the step needs. A count that ' +
      'stays is a rollout wait.',
    queries: [q(run('rlrun_samples_collected'), 'collected'),
      q(run('rlrun_samples_required'), 'required')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  keys('Idle ratios', 'Shares of time that each side waits for the other. Both ' +
    'high: something else is slow.', {
    trainer: 'fully_async/trainer/idle_ratio',
    rollouter: 'fully_async/rollouter/idle_ratio',
  }, { min: 0, decimals: 0 }),
  keys('Staleness', 'Samples of an older policy, and those dropped for it ' +
    '(cumulative). Much of it shows as a low effective sample size.', {
    'stale in the queue': 'fully_async/count/staleness_samples',
    'stale, processed': 'fully_async/count/stale_trajectory_processed',
    dropped: 'fully_async/count/dropped_stale_samples',
  }, { decimals: 0 }),
  keys('Time of a trajectory', 'Percentiles. A tp99 far above the median is a ' +
    'tail of hard tasks or sick sandboxes.', {
    mean: 'fully_async/processing_time/avg', max: 'fully_async/processing_time/max',
    min: 'fully_async/processing_time/min', p50: 'fully_async/processing_time/tp50',
    p95: 'fully_async/processing_time/tp95', p99: 'fully_async/processing_time/tp99',
  }, { decimals: 0, scenario: 'every_key' }),
  keys('Time of rollouter and trainer', 'Active time of a parameter version, and ' +
    'how long the trainer waited for samples.', {
    'rollouter active': 'fully_async/rollouter/active_time',
    'of a version': 'fully_async/rollouter/version_time',
    'trainer waited': 'fully_async/total_wait_time',
  }),
  keys('Samples and versions', 'Both only rise; a version that stays while samples ' +
    'come is a trainer that hangs.', {
    'samples generated': 'fully_async/count/total_generated_samples',
    'parameter version': 'fully_async/count/current_param_version',
  }, { decimals: 0 }),
  keys('Partial rollouts', 'Trajectories that were interrupted by a weight sync ' +
    'and went on with the new policy.', {
    share: 'fully_async/partial/partial_ratio',
  }, { min: 0 }),
  keys('Partial rollouts, counts', 'How many, and the most versions that one ' +
    'trajectory spans.', {
    number: 'fully_async/partial/total_partial_num',
    'longest span': 'fully_async/partial/max_partial_span',
  }, { decimals: 0, scenario: 'every_key' }),
  keys('Configured limits', 'Constants of the run\'s config, for comparison.', {
    'required samples': 'fully_async/static/required_samples',
    'most required': 'fully_async/static/max_required_samples',
    'most concurrent': 'fully_async/static/max_concurrent_samples',
    'staleness threshold': 'fully_async/static/staleness_threshold',
  }, { scenario: 'every_key' }),
];

const engine = (name, matchers) => run(`rlrun_engine_${name}`, matchers);

export const engines = [
  curves({
    title: 'Generated tokens',
    description: 'Per engine. One engine at 0 beside busy ones is stuck; all at 0 ' +
      'wait for work.',
    queries: [q(engine('generation_tokens_per_second'), '{{engine}}')],
    unit: 'suffix: tok/s',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Prompt tokens',
    description: 'Per engine. High with few generated tokens: the context is ' +
      'computed again and again.',
    queries: [q(engine('prompt_tokens_per_second'), '{{engine}}')],
    unit: 'suffix: tok/s',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Requests running',
    description: 'Per engine; an uneven spread is a router that does not balance.',
    queries: [q(engine('requests', 'state="running"'), '{{engine}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Requests waiting',
    description: 'Per engine; a queue that stays beside a full KV cache is memory, ' +
      'not load.',
    queries: [q(engine('requests', 'state="waiting"'), '{{engine}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'KV cache used',
    description: 'Per engine. Near 1 requests are preempted and computed again.',
    queries: [q(engine('kv_cache_usage_ratio'), '{{engine}}')],
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
  }),
  curves({
    title: 'Prefix cache hits',
    description: 'Per engine. Low on multi-turn agents: turns of one trajectory go ' +
      'to different engines.',
    queries: [q(engine('prefix_cache_hit_ratio'), '{{engine}}')],
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
  }),
];

// Of the record that a run's service keeps of it.
export const record = [
  curves({
    title: 'Rollouts recorded',
    description: 'How many summaries the record has, and the id of the newest, ' +
      'which counts from 0. Two curves that part are summaries that are missing.',
    queries: [q(run('rlrun_rollouts'), 'recorded'),
      q(run('rlrun_last_rollout_id'), 'newest id')],
    scenario: 'record',
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Reward of a rollout',
    description: 'Mean of the newest recorded rollout, as the record states it.',
    queries: [q(run('rlrun_rollout_reward_mean'), 'mean reward')],
    scenario: 'record',
    unit: 'none',
    decimals: 3,
  }),
  curves({
    title: 'Duration of a rollout',
    description: 'Newest recorded rollout. One that takes ever longer is what the ' +
      'trainer waits for.',
    queries: [q(run('rlrun_rollout_duration_seconds'), 'duration')],
    scenario: 'record',
    unit: 's',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Samples of a rollout',
    description: 'Newest recorded rollout; fewer than planned are samples that ' +
      'were dropped or never came.',
    queries: [q(run('rlrun_rollout_samples'), 'samples')],
    scenario: 'record',
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Age of the record',
    description: 'Time since the newest sign of life in it. Ten minutes in an ' +
      'active phase while the log is silent as well is possibly_stuck.',
    queries: [q(`time() - ${run('rlrun_record_updated_timestamp_seconds')}`, 'age')],
    scenario: 'record',
    unit: 's',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Attempts',
    description: 'As the record counts them; each one more is a start from the ' +
      'last checkpoint.',
    queries: [q(run('rlrun_attempts_total'), 'attempts')],
    scenario: 'record',
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
];

export const log = [
  curves({
    title: 'Errors in the log',
    description: 'Lines of each kind since the log began. retry and http_rate rise ' +
      'on healthy runs; cuda_oom, nccl and actor_died do not.',
    queries: [q(`${run('rlrun_log_errors_total')} > 0`, '{{kind}}')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Values that are not finite',
    description: 'NaN and infinite values read, by key. On a loss, a reward or an ' +
      'entropy this is nan_inf.',
    queries: [q(`${run('rlrun_nonfinite_values_total')} > 0`, '{{key}}')],
    scenario: 'nan_inf-critical',
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Sources and rewinds',
    description: 'A source at 0 could not be read at the last try: what is shown ' +
      'is what was known before. A rewind is a resume from an earlier step.',
    queries: [q(run('rlrun_source_up'), '{{source}} readable'),
      q(run('rlrun_rewinds_total'), 'rewinds')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  curves({
    title: 'Processes on this host',
    description: 'Trainer and runner, once seen: 0 means gone. Without an end in ' +
      'the log that is died_silently. Absent: none was ever seen by this exporter.',
    queries: [q(run('rlrun_process_up'), '{{role}} alive'),
      q(run('rlrun_process_gpus'), 'GPUs in use')],
    scenario: 'every_key',
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
];
