// Of one run where its time goes.
import { bars, byName, curves, now, q } from './panels.mjs';
import { one, run, step, template } from './query.mjs';
import { keys } from './step_panels.mjs';

// Phases that are part of another one, or all of them.
const PARTS = 'step|gen_max|wait_for_enough_samples|generate_sequences';

// Of the agent loop's statistics those that are no seconds.
const COUNTS = 'num_preempted|proxy_num_.*|proxy_total_.*';
const SECONDS = `stage!~"${COUNTS}|.*_length"`;

export const timing = [
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
      `statistic="mean", ${SECONDS}`)),
    '{{stage}}')],
    unit: 's',
    decimals: 1,
  }),
  curves({
    title: 'Agent loop, slowest trajectory',
    description: 'The trajectory that the whole step waited for.',
    queries: [q(one(template('timing_s_agent_loop',
      `statistic="slowest", ${SECONDS}`)),
    '{{stage}}')],
    unit: 's',
    decimals: 1,
  }),
  curves({
    title: 'Agent loop, longest stage',
    description: 'The longest of each stage among the trajectories; not all of ' +
      'one trajectory.',
    queries: [q(one(template('timing_s_agent_loop',
      `statistic="max", ${SECONDS}`)),
    '{{stage}}')],
    unit: 's',
    decimals: 1,
  }),
  curves({
    title: 'Agent loop, counts per trajectory',
    description: 'Calls, tokens, aborts and preemptions of a trajectory, mean. ' +
      '-1: the engine does not tell.',
    queries: [q(one(template('timing_s_agent_loop',
      `statistic="mean", stage=~"${COUNTS}"`)),
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

export const throughput = [
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
  keys('Epoch', 'Passes over the data; always 0 in fully asynchronous training.',
    { epoch: 'training/epoch' }, { min: 0, decimals: 1 }),
  keys('Time of a step', 'As the trainer measures it; what it is made of is in ' +
    'the row Time.', { 'per step': 'perf/time_per_step' },
  { min: 0, decimals: 1 }),
];
