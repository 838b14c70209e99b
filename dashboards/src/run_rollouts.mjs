// Of one run what its rollouts are: lengths and turns, why trajectories ended,
// validations.
import { bySteps, curves, now, q, stat } from './panels.mjs';
import { one, run, step, template } from './query.mjs';
import { keys, MAIN, SCORES, spread, valStep } from './step_panels.mjs';

export const sequences = [
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

export const filter = [
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

export const validation = [
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
