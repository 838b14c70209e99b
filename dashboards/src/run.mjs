// One run: the verdict on top, then what its step lines print, by subject.
import { board, row, runEvents, runVariables } from './board.mjs';
import { bySteps, link, q, toSame } from './panels.mjs';
import { one, step, template } from './query.mjs';
import { agreement, policy, rewards } from './run_learning.mjs';
import { filter, sequences, validation } from './run_rollouts.mjs';
import { asynchronous, engines, log, record } from './run_system.mjs';
import { throughput, timing } from './run_time.mjs';
import { MAIN, SCORES, trainStep, valStep } from './step_panels.mjs';
import { failing, head, matched } from './verdict.mjs';

export const runPage = () => board({
  uid: 'rlrun-run',
  title: 'RL runs / Run',
  description: 'One training run: verdict, curves and times.',
  variables: runVariables(),
  annotations: runEvents(),
  rows: [
    row('', [
      ...head(),
      matched({ links: [link('Diagnosis', toSame('rlrun-diagnosis'))] }),
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
    row('Run record', record),
    row('Log and processes', widths(log, 6)),
  ],
});

function widths(panels, width) {
  return panels.map((panel) => panel.span(width));
}
