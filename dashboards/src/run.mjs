// One run: the verdict on top, then what its step lines print, by subject.
import { board, row, runEvents, runVariables } from './board.mjs';
import {
  bars, byName, bySteps, curves, link, now, q, stat, toRun,
} from './panels.mjs';
import { one, run, step, template } from './query.mjs';
import { unitOf } from './units.mjs';
import { failing, head, matched } from './verdict.mjs';

// Curves of step keys: { legend: key }. The unit is that of the first key.
function keys(title, description, named, options = {}) {
  const queries = Object.entries(named)
    .map(([legend, key]) => q(step(key), legend));
  return curves({
    title,
    description,
    queries,
    unit: unitOf(Object.values(named)[0]),
    ...options,
  });
}

// The mean of a quantity inside the band from its min to its max.
const spread = (title, description, prefix, options = {}) =>
  keys(title, description, {
    mean: `${prefix}/mean`, max: `${prefix}/max`, min: `${prefix}/min`,
  }, { band: true, ...options });

const trainStep = q(run('rlrun_last_step', 'line="train"'), 'step');
const valStep = q(run('rlrun_last_step', 'line="val"'), 'step');
const MAIN = 'statistic=~"mean@.*|"';
const SCORES = '{{data_source}} {{variable}} {{statistic}}';

const rewards = [
  spread('Score', 'What the task gave, before KL and length penalties. Flat at ' +
    'one value since step 1 is infrastructure, not the model (check ' +
    'reward_nonzero, fails after 5 steps in a row): read the filter reasons ' +
    'before touching hyperparameters. No spread between max and min is no_signal.',
  'critic/score'),
  spread('Reward', 'What is optimised. If it rises while the score falls, ' +
    'something else than the task is learned: reward_hacking_suspect.',
  'critic/rewards'),
  spread('Advantages', 'With whitening the mean is 0 by construction. Max and min ' +
    'both at 0 means that all answers of the step are worth the same: nothing ' +
    'can be learned there.', 'critic/advantages', { centered: true }),
  spread('Returns', 'Sums of rewards from each token on. Max and min that are ' +
    'equal are no points for the critic.', 'critic/returns'),
];

const policy = [
  keys('Policy loss', 'Has no level that means something: never judged. 0 is ' +
    'normal when one PPO epoch meets a mini-batch of the whole batch.',
  { 'policy loss': 'actor/pg_loss', 'actor loss': 'actor/loss' }),
  keys('Training loss', 'Supervised runs. A jump of more than 10 % and 8 times ' +
    'its noise is loss_spike; ten points in a row above its best are ' +
    'loss_divergence; no better for 100 points is plateau.',
  { training: 'train/loss', validation: 'val/loss' }),
  keys('Entropy', 'Towards 0 the policy explores no more (entropy_collapse); ' +
    'three times that of the first steps it turns random (entropy_explosion).',
  { entropy: 'actor/entropy', 'old key': 'actor/entropy_loss' }, { min: 0, scenario: 'every_key' }),
  keys('KL divergence', 'From the reference (KL loss) and from the policy of the ' +
    'step before (PPO KL). Far above their own past is kl_blowup: a smaller ' +
    'learning rate, or a larger coefficient.',
  { 'KL loss': 'actor/kl_loss', 'PPO KL': 'actor/ppo_kl' }),
  keys('Clip fraction', 'Share of tokens whose ratio the loss clips. 0 is normal ' +
    'on policy. In a SAO run this must not be printed at all.',
  { clipped: 'actor/pg_clipfrac', 'clipped below': 'actor/pg_clipfrac_lower' }),
  keys('Gradient norm', 'Ten times the usual is grad_explosion, a hundredth ' +
    'grad_vanishing.', {
    actor: 'actor/grad_norm', 'supervised': 'train/grad_norm',
  }, { checks: ['actor_grad_norm'], decimals: 3 }),
  keys('Learning rate', 'A jump up after a decay, or no valid number, is ' +
    'lr_anomaly.', { actor: 'actor/lr' }, { checks: ['actor_lr'], unit: 'sci' }),
  keys('Share of tied prompts', 'Prompts whose answers are all worth the same; ' +
    'above 0.9 a step teaches nothing.', {
    'no spread': 'frac_reward_zero_std',
  }, { scenario: 'every_key' }),
];

const agreement = [
  keys('Pearson correlation of rollout and trainer', 'About 0.999 is normal. Below ' +
    'the bound with a large KL it is r3_misalignment. Absent by design in bypass ' +
    'mode.', { pearson: 'training/rollout_actor_probs_pearson_corr' },
  { checks: ['routing_replay_pearson'], decimals: 4 }),
  keys('Difference of probabilities', 'Between what the engine sampled with and ' +
    'what the trainer computes; it grows with any mismatch of the two.', {
    mean: 'training/rollout_probs_diff_mean',
    max: 'training/rollout_probs_diff_max',
    std: 'training/rollout_probs_diff_std',
  }),
  keys('KL of rollout and trainer', 'About 3e-4 is normal.', {
    KL: 'rollout_corr/kl', 'K3 estimate': 'rollout_corr/k3_kl',
    'KL, bypass mode': 'actor/rollout_corr/kl',
    'K3, bypass mode': 'actor/rollout_corr/k3_kl',
  }, { checks: ['rollout_kl'] }),
  keys('Importance weights', 'Ratio of trainer to rollout; 1 where they agree. A ' +
    'max far above the mean is a few tokens that decide the update.', {
    mean: 'rollout_corr/rollout_is_mean', max: 'rollout_corr/rollout_is_max',
    min: 'rollout_corr/rollout_is_min', std: 'rollout_corr/rollout_is_std',
    'mean of sequences': 'rollout_corr/rollout_is_seq_mean',
    'mean, bypass mode': 'actor/rollout_corr/rollout_is_mean',
  }, { scenario: 'every_key' }),
  keys('Effective sample size', 'Share of tokens that still count after ' +
    'weighting; SAO runs are checked.', {
    ESS: 'rollout_corr/rollout_is_eff_sample_size',
  }, { checks: ['eff_sample_size'], decimals: 3 }),
  keys('Ratios out of bounds', 'Share of tokens whose ratio is cut off: staleness ' +
    'or a backend mismatch.', {
    high: 'rollout_corr/rollout_is_ratio_fraction_high',
    low: 'rollout_corr/rollout_is_ratio_fraction_low',
    'out of bounds': 'rollout_corr/rollout_is_oob_ratio',
    'high, bypass mode': 'actor/rollout_corr/rollout_is_ratio_fraction_high',
  }, { scenario: 'every_key' }),
  keys('Chi-squared', 'A second measure of the mismatch, sensitive to its tail.', {
    tokens: 'rollout_corr/chi2_token', sequences: 'rollout_corr/chi2_seq',
    'tokens, bypass mode': 'actor/rollout_corr/chi2_token',
  }, { scenario: 'every_key' }),
  keys('Perplexity', 'Of the same answers by the engine and by the trainer; two ' +
    'curves that part are a mismatch.', {
    rollout: 'rollout_corr/rollout_ppl', training: 'rollout_corr/training_ppl',
    'rollout, bypass mode': 'actor/rollout_corr/rollout_ppl',
    'training, bypass mode': 'actor/rollout_corr/training_ppl',
  }),
  keys('Difference of log perplexities', '0 where rollout and trainer agree; the ' +
    'percentiles tell whether a few sequences or all of them disagree.', {
    mean: 'rollout_corr/log_ppl_diff', max: 'rollout_corr/log_ppl_diff_max',
    min: 'rollout_corr/log_ppl_diff_min', p50: 'rollout_corr/log_ppl_diff_p50',
    p90: 'rollout_corr/log_ppl_diff_p90', p99: 'rollout_corr/log_ppl_diff_p99',
    'bypass mode': 'actor/rollout_corr/log_ppl_diff',
  }, { centered: true, scenario: 'every_key' }),
  keys('Sequences that disagree', 'Share of sequences whose log perplexities ' +
    'differ by more than 1 and more than 2.', {
    'more than 1': 'rollout_corr/log_ppl_diff_gt1_frac',
    'more than 2': 'rollout_corr/log_ppl_diff_gt2_frac',
  }, { scenario: 'every_key' }),
  keys('Gradient variance', 'Signal against noise of the batch gradient: noise ' +
    'far above signal asks for a larger batch.', {
    signal: 'variance_proxy/proxy1_signal_strength',
    total: 'variance_proxy/proxy2_total_power',
    noise: 'variance_proxy/proxy3_pure_noise',
  }, { scenario: 'every_key' }),
];

const sequences = [
  spread('Response length', 'Tokens. Half of what it was is length_collapse, ' +
    'twice length_explosion; very long answers with a thin gradient are ' +
    'grad_starvation.', 'response_length', { decimals: 0 }),
  keys('Responses cut at the window', '0.02 to 0.13 was seen on healthy runs.', {
    responses: 'response_length/clip_ratio',
    prompts: 'prompt_length/clip_ratio',
  }, { checks: ['response_clip_ratio'], min: 0 }),
  keys('Empty responses', 'Answers of zero tokens.', {
    empty: 'response/aborted_ratio',
  }, { checks: ['aborted_ratio'], min: 0 }),
  spread('Turns', 'Of the agent, per trajectory. Turns that fall while the filter ' +
    'reasons are normal are no_tool_call_collapse.', 'num_turns',
  { checks: ['num_turns'], decimals: 1 }),
  curves({
    title: 'Tokens per turn',
    description: 'Mean response length by mean turns. A rise with steady turns is ' +
      'an agent that talks more for the same work.',
    queries: [q(`${step('response_length/mean')} / ${step('num_turns/mean')}`,
      'tokens per turn')],
    unit: 'none',
    decimals: 0,
    min: 0,
  }),
  spread('Prompt length', 'Tokens. It should not move unless the data does.',
    'prompt_length', { decimals: 0 }),
  spread('Response length, empty ones left out', 'Tokens; beside the response ' +
    'length it tells what aborts do to the mean.', 'response_length_non_aborted',
  { decimals: 0 }),
  keys('Balance over ranks', 'Tokens per rank after balancing; a wide gap makes ' +
    'every step as slow as its fullest rank.', {
    mean: 'global_seqlen/mean', 'balanced max': 'global_seqlen/balanced_max',
    'balanced min': 'global_seqlen/balanced_min',
  }, { decimals: 0 }),
];

const REASONS = template('trajectory_filter_reason');
const share = (reason) => `max without (reason) (${
  one(template('trajectory_filter_reason', `reason="${reason}"`))}) / ` +
  `sum without (reason) (${one(REASONS)})`;

const filter = [
  curves({
    title: 'Why trajectories ended',
    description: 'Trajectories of the batch by reason. Only agent_completed is an ' +
      'end of the agent\'s own; what the filter drops never reaches the loss.',
    queries: [q(one(REASONS), '{{reason}}')],
    stack: 'normal',
    unit: 'none',
    decimals: 0,
  }),
  curves({
    title: 'Share of sandboxes that cannot start',
    description: 'env_setup_failed among all reasons of the step. Rising from step ' +
      'to step while the reward falls it is env_avalanche.',
    queries: [q(share('env_setup_failed'), 'env_setup_failed')],
    checks: ['env_setup_failed'],
    unit: 'percentunit',
    decimals: 1,
    min: 0,
  }),
  curves({
    title: 'Share of timeouts',
    description: 'Trajectories that ran out of time, among all reasons of the step.',
    queries: [q(share('timeout'), 'timeout')],
    checks: ['timeout_share'],
    unit: 'percentunit',
    decimals: 1,
    min: 0,
  }),
  keys('Dropped from the loss', 'Share of the batch that the filter drops.', {
    invalid: 'trajectory_filter/invalid_ratio',
  }, { checks: ['invalid_ratio'], decimals: 1, min: 0 }),
  keys('Trajectories dropped', 'How many the filter drops, and the counts that ' +
    'older forks print instead of reasons.', {
    dropped: 'trajectory_filter/invalid_count',
    'sandbox failed (old key)': 'trajectory_filter/env_failure_count',
    'timeout (old key)': 'trajectory_filter/timeout_count',
  }, { decimals: 0, min: 0, scenario: 'every_key' }),
];

const validation = [
  bySteps({
    title: 'Validation by training step',
    description: 'Main scores by data source. Below its best pair, or below where ' +
      'it started, is eval_regression.',
    queries: [q(one(template('val_core', MAIN)), SCORES), valStep],
    unit: 'none',
    decimals: 3,
  }),
  curves({
    title: 'Validation scores',
    description: 'Newest validation of each data source; it stays until the next ' +
      'one. All at 0 (check val_nonzero, fails at once) beside healthy training ' +
      'reward is val_fake_zero: it points at images of the validation split that ' +
      'cannot be pulled, not at the model.',
    queries: [
      q(one(template('val_core', MAIN)), SCORES),
      q(one(template('val_test_score')), '{{data_source}} (old key)')],
    scenario: 'every_key',
    unit: 'none',
    decimals: 3,
  }),
  curves({
    title: 'Other validation values',
    description: 'Spread, best and worst of several answers: no scores, and never ' +
      'judged.',
    queries: [q(one(template('val_aux')), SCORES)],
    unit: 'none',
    decimals: 3,
  }),
  stat({
    title: 'Last validated step',
    description: 'Training step of the newest validation. Twice the planned ' +
      'distance behind the newest step is validation_missing.',
    queries: [now(run('rlrun_last_step', 'line="val"'), 'validated'),
      now(run('rlrun_last_step', 'line="train"'), 'trained')],
    width: 4,
    height: 8,
    unit: 'none',
    decimals: 0,
    neutral: true,
  }),
  spread('Turns in validation', 'Of the agent. 0 turns everywhere means that no ' +
    'sandbox started.', 'val-aux/num_turns', { width: 10, decimals: 1 }),
  keys('Time of validation', 'Longer than all before it while the log is silent ' +
    'is the deadlock shape.', {
    rollouter: 'rollouter/validate_time', trainer: 'trainer/validate_time',
  }, { width: 10, scenario: 'every_key' }),
];

// Phases that are part of another one, or all of them.
const PARTS = 'step|gen_max|wait_for_enough_samples|generate_sequences';

const timing = [
  curves({
    title: 'Time of a step by phase',
    description: 'Phases of the newest step, stacked; the line is the whole step ' +
      'as the trainer measures it. What is missing up to the line has no phase; ' +
      'a stack above it are phases that overlap.',
    queries: [
      q(one(template('timing_s', `phase!~"${PARTS}"`)), '{{phase}}'),
      q(`sum without (phase) (${one(template('timing_s', 'phase="step"'))})`,
        'whole step'),
      q(step('timing_s/timing_s/param_sync'), 'param_sync')],
    overrides: [byName('whole step',
      ['custom.stacking', { mode: 'none', group: 'B' }],
      ['custom.fillOpacity', 0], ['custom.lineWidth', 2],
      ['color', { mode: 'fixed', fixedColor: 'text' }])],
    stack: 'normal',
    unit: 's',
    decimals: 1,
    width: 16,
  }),
  bars({
    title: 'Where the time went',
    description: 'Seconds of each phase over the whole run, as its step lines ' +
      'print them.',
    queries: [now(`sort_desc(${run('rlrun_phase_seconds_total')})`, '{{phase}}')],
    unit: 's',
    decimals: 0,
  }),
  curves({
    title: 'Agent loop, mean per trajectory',
    description: 'Stages of a trajectory: sandbox, agent, tools, verifier. One ' +
      'that grows alone names the service to look at.',
    queries: [q(one(template('timing_s_agent_loop',
      'statistic="mean", stage!~"num_preempted|proxy_num_.*|proxy_total_.*|.*_length"')),
    '{{stage}}')],
    unit: 's',
    decimals: 1,
  }),
  curves({
    title: 'Agent loop, slowest trajectory',
    description: 'The trajectory that the whole step waited for.',
    queries: [q(one(template('timing_s_agent_loop',
      'statistic="slowest", stage!~"num_preempted|proxy_num_.*|proxy_total_.*|.*_length"')),
    '{{stage}}')],
    unit: 's',
    decimals: 1,
  }),
  curves({
    title: 'Agent loop, counts per trajectory',
    description: 'Calls, tokens, aborts and preemptions of a trajectory, mean. ' +
      '-1: the engine does not tell.',
    queries: [q(one(template('timing_s_agent_loop',
      'statistic="mean", stage=~"num_preempted|proxy_num_.*|proxy_total_.*"')),
    '{{stage}}')],
    unit: 'none',
    decimals: 1,
  }),
  curves({
    title: 'Time per token',
    description: 'Milliseconds per token by phase: independent of how long the ' +
      'answers are, so that a rise is the machine.',
    queries: [q(one(template('timing_per_token_ms')), '{{phase}}')],
    unit: 'ms',
    decimals: 2,
  }),
];

const throughput = [
  keys('Throughput', 'Tokens per second and GPU. A fall with steady lengths is the ' +
    'machine: step_slowdown follows.', { throughput: 'perf/throughput' },
  { min: 0, decimals: 0 }),
  keys('Model FLOPs utilisation', 'Share of the hardware\'s peak. 0 means that the ' +
    'trainer does not know its hardware.', {
    actor: 'perf/mfu/actor', critic: 'perf/mfu/critic',
    'log-probs': 'perf/mfu/actor_infer',
  }, { min: 0, decimals: 1, scenario: 'every_key' }),
  keys('Tokens per step', 'All tokens of the batch, prompts included.', {
    tokens: 'perf/total_num_tokens',
  }, { unit: 'short', min: 0 }),
  keys('Memory of a rank', 'Largest of all ranks. Host memory that grows from step ' +
    'to step ends with the host\'s OOM killer: died_silently.', {
    'GPU allocated': 'actor/perf/max_memory_allocated_gb',
    'GPU reserved': 'actor/perf/max_memory_reserved_gb',
    host: 'actor/perf/cpu_memory_used_gb',
    'GPU allocated (old key)': 'perf/max_memory_allocated_gb',
    'GPU reserved (old key)': 'perf/max_memory_reserved_gb',
    'host (old key)': 'perf/cpu_memory_used_gb',
  }, { min: 0, scenario: 'every_key' }),
  keys('Time of a step', 'As the trainer measures it; what it is made of is in ' +
    'the row Time.', { 'per step': 'perf/time_per_step' },
  { min: 0, decimals: 1 }),
];

const asynchronous = [
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

const engines = [
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

const log = [
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

export const runPage = () => board({
  uid: 'rlrun-run',
  title: 'RL runs / Run',
  description: 'One training run: verdict, curves and times.',
  variables: runVariables(),
  annotations: runEvents(),
  rows: [
    row('', [
      ...head(),
      matched({ links: [link('Diagnosis', toRun('rlrun-diagnosis'))] }),
      failing(),
      bySteps({
        title: 'Score and reward by training step',
        description: 'The score is what the task gave; the reward, which is ' +
          'optimised, has penalties in it. A score that has lost more than half of ' +
          'what it had gained is reward_drop; one that no longer moves ' +
          'reward_stagnation.',
        queries: [q(step('critic/score/mean'), 'score'),
          q(step('critic/rewards/mean'), 'reward'), trainStep],
        unit: 'none',
        decimals: 3,
        width: 12,
      }),
      bySteps({
        title: 'Validation score by training step',
        description: 'Main scores by data source; below its best pair, or below ' +
          'where it started, is eval_regression.',
        queries: [q(one(template('val_core', MAIN)), SCORES), valStep],
        unit: 'none',
        decimals: 3,
        width: 12,
      }),
    ]),
    row('Rewards, advantages, returns', widths(rewards, 6)),
    row('Policy, gradients, learning rate', widths(policy, 6)),
    row('Agreement of rollout and trainer', agreement),
    row('Sequences and turns', widths(sequences, 6)),
    row('Trajectory filter', filter),
    row('Validation', validation),
    row('Time', timing),
    row('Throughput and memory', throughput),
    row('Fully asynchronous training', asynchronous),
    row('Inference engines', engines),
    row('Log and processes', widths(log, 6)),
  ],
});

function widths(panels, width) {
  return panels.map((panel) => panel.span(width));
}
