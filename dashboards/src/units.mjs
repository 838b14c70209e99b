// What step keys are measured in, as a unit of Grafana; values are shown as
// printed. The first pattern that fits counts.
const UNITS = [
  [/^(actor\/)?perf\/.*_gb$/, 'decgbytes'],
  [/^perf\/throughput$/, 'suffix: tok/s'],
  [/^perf\/mfu\//, 'percentunit'],
  [/^perf\/time_per_step$/, 's'],
  [/_(wait_)?time$|\/processing_time\//, 's'],
  [/^timing_s\//, 's'],
  [/(clip|aborted|invalid|idle|partial|oob)_ratio$/, 'percentunit'],
  [/clipfrac(_lower)?$|_frac$|ratio_fraction|frac_reward_zero_std$/,
    'percentunit'],
];

export const unitOf = (key) =>
  UNITS.find(([pattern]) => pattern.test(key))?.[1] ?? 'none';

// Of the families of step keys that a template makes.
export const TEMPLATE_UNITS = {
  timing_s: 's',
  timing_per_token_ms: 'ms',
  timing_s_agent_loop: 's',
  trajectory_filter_reason: 'none',
  val_core: 'none',
  val_aux: 'none',
  val_test_score: 'none',
};
