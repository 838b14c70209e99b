// Runs with a critic, SAO runs above all: does the critic learn, does the actor
// get what the correction computes.
import { board, row, runEvents, runVariables } from './board.mjs';
import { NAME, now, q, stat, timeline } from './panels.mjs';
import { code, of, perRun, run } from './query.mjs';
import { LEVEL, mappings } from './states.mjs';
import { keys as stepKeys } from './step_panels.mjs';
import { check, signature } from './vocabulary.mjs';
import { age, decision, health, phase, position, state } from './verdict.mjs';

const WATCHED = ['critic_starvation', 'all_negative_batch_collapse',
  'dis_not_reaching_actor', 'loss_divergence', 'grad_explosion', 'nan_inf'];

const keys = (title, description, named, options) =>
  stepKeys(title, description, named, { width: 12, ...options });

const clipFraction = stat({
  title: 'Clip fraction',
  description: `Check pg_clipfrac_absent, fails at once. Printed by a SAO run: ${
    check('pg_clipfrac_absent').means} n/a: not a SAO run.`,
  queries: [now(perRun(
    of('rlrun_check_failing_steps', 'check="pg_clipfrac_absent"')), 'steps')],
  mappings: [
    { type: 'value', options: { 0: { text: 'absent, good', color: 'green', index: 0 } } },
    { type: 'range', options: { from: 1, to: null,
      result: { text: 'printed', color: 'red', index: 1 } } }],
  unit: 'none',
});

const mode = stat({
  title: 'Mode',
  description: 'What kind of run this is; rules of SAO need a critic and the ' +
    'correction in bypass mode.',
  queries: [now(run('rlrun_info'), '{{mode}}')],
  names: NAME,
  neutral: true,
  unit: 'none',
});

const panels = [
  timeline({
    title: 'Signatures of critic and correction',
    description: WATCHED.map((name) =>
      `${name}: ${signature(name).means}`).join('\n\n'),
    queries: [q(code(LEVEL, 'signature', `signature=~"${WATCHED.join('|')}"`),
      '{{signature}}')],
    mappings: mappings(LEVEL),
    width: 24,
    height: 6,
  }),
  keys('Explained variance', '1 is a perfect critic, 0 one that knows the mean ' +
    'only. Huge negatives on batches without spread mean nothing.',
  { 'explained variance': 'critic/vf_explained_var' },
  { checks: ['vf_explained_var'], decimals: 2 }),
  keys('Gradient norm of the critic', 'A median of about 10 is usual on 30B to ' +
    '35B; single spikes are no instability. Three times the configured clip while ' +
    'nothing moves is critic_starvation.', {
    critic: 'critic/grad_norm', actor: 'actor/grad_norm',
  }, { checks: ['critic_grad_norm'], decimals: 1 }),
  keys('Mean of advantages', 'With whitening it is 0 by construction.',
    { mean: 'critic/advantages/mean' },
    { checks: ['critic_advantages_mean'], centered: true }),
  keys('Effective sample size', 'Share of tokens that still count after weighting.',
    { ESS: 'rollout_corr/rollout_is_eff_sample_size' },
    { checks: ['eff_sample_size'], decimals: 3 }),
  keys('Loss of the critic', 'Ten points in a row above its best are ' +
    'loss_divergence.', { 'value loss': 'critic/vf_loss' }),
  keys('Ratios out of bounds', 'Share of tokens that the correction zeroes. A low ' +
    'share that is a whole number of trajectories means that DIS never reached ' +
    'the loss.', {
    low: 'rollout_corr/rollout_is_ratio_fraction_low',
    high: 'actor/rollout_corr/rollout_is_ratio_fraction_high',
  }, { min: 0, decimals: 2 }),
];

const more = [
  keys('Values and predictions', 'What the critic expects. Far outside the returns ' +
    'it has not converged.', {
    'mean value': 'critic/values/mean', 'max value': 'critic/values/max',
    'min value': 'critic/values/min', prediction: 'critic/vpred_mean',
  }),
  keys('Returns', 'What the critic should predict. Max and min that are equal are ' +
    'no points.', {
    mean: 'critic/returns/mean', max: 'critic/returns/max',
    min: 'critic/returns/min',
  }, { band: true }),
  keys('Clip fraction of the value loss', 'Share of values that the loss clips; ' +
    'near 1 the critic cannot follow.', { clipped: 'critic/vf_clipfrac' },
  { min: 0 }),
  keys('Learning rate of the critic', 'In a warm-up it rises from 0.',
    { critic: 'critic/lr' }, { unit: 'sci' }),
  keys('Turns', 'More turns for less reward on all-negative batches: a ' +
    'reward-neutral tool (think) is being reinforced.',
  { turns: 'num_turns/mean' }, { decimals: 1 }),
  keys('Score', 'What the task gave; it falls with the turns of an all-negative ' +
    'collapse.', { score: 'critic/score/mean' }),
];

export const critic = () => board({
  uid: 'rlrun-critic',
  title: 'RL runs / Critic and SAO',
  description: 'One run with a critic: explained variance, gradients, correction.',
  tags: ['sao'],
  variables: runVariables(),
  annotations: runEvents(),
  rows: [
    row('', [health(), decision(), state(), phase(), position(), age(),
      clipFraction, mode, ...panels]),
    row('Values, returns, context', more),
  ],
});
