// Of one run what its policy learns: rewards, losses, gradients, and whether
// rollout and trainer agree.
import { keys, spread } from './step_panels.mjs';

export const rewards = [
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

export const policy = [
  keys('Policy loss', 'Has no level that means something: never judged. 0 is ' +
    'normal when one PPO epoch meets a mini-batch of the whole batch.',
  { 'policy loss': 'actor/pg_loss', 'actor loss': 'actor/loss' }),
  keys('Training loss', 'Supervised runs. A jump of more than 10 % and 8 times ' +
    'its noise is loss_spike; ten points in a row above its best are ' +
    'loss_divergence; no better for 100 points is plateau.',
  { training: 'train/loss', validation: 'val/loss' }),
  keys('Entropy', 'Towards 0 the policy explores no more (entropy_collapse); ' +
    'three times that of the first steps it turns random (entropy_explosion).',
  { entropy: 'actor/entropy', 'old key': 'actor/entropy_loss' },
  { min: 0, scenario: 'every_key' }),
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

export const agreement = [
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
    'sequences, mean': 'rollout_corr/rollout_is_seq_mean',
    'sequences, max': 'rollout_corr/rollout_is_seq_max',
    'sequences, min': 'rollout_corr/rollout_is_seq_min',
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
  keys('Log perplexity', 'The same as logarithms, as some forks print it.', {
    rollout: 'rollout_corr/rollout_log_ppl',
    training: 'rollout_corr/training_log_ppl',
  }, { scenario: 'every_key' }),
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
