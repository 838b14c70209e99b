// The numbers of the failure signatures, with the defaults of signatures.md.
// Filled by config from `rules:`. Shares and ratios are 0..1, windows are
// points (training steps on which the key is finite), times are seconds.
// Plain data.
#pragma once

#include <cstddef>

namespace rlrun {

struct FailureOptions {
  // r3_misalignment. Points that must agree, the newest ones.
  std::size_t r3_points = 2;
  // Bound of the health table for pearson on them.
  double r3_pearson = 0.99;
  // Proof by itself when all of them are below it.
  double r3_pearson_proof = 0.95;
  // Proof beside the first bound: size of the KL between rollout and trainer.
  double r3_kl = 0.01;

  // frozen_model. Steps in a row with a rate of 0.
  std::size_t frozen_steps = 2;
  // Last share of the planned steps in which a schedule may end at 0.
  double frozen_tail_share = 0.02;

  // grad_starvation. Newest points that a median is taken of.
  std::size_t starvation_window = 3;
  // Gradient norm against its usual value.
  double starvation_grad = 0.15;
  // Answers are long from this share of the cap on ...
  double starvation_cap_share = 0.6;
  // ... or from this multiple of their trailing or first median on.
  double starvation_growth = 1.5;
  // Points that both keys need.
  std::size_t starvation_points = 8;

  // no_signal. Tied steps that raise the warning, and those that hold it, of
  // a window of steps.
  std::size_t no_signal_window = 10;
  std::size_t no_signal_raise = 9;
  std::size_t no_signal_hold = 5;
  // From this many steps on, all of them tied raise it as well.
  std::size_t no_signal_all = 5;
  // The same for critical.
  std::size_t no_signal_long_window = 30;
  std::size_t no_signal_long_raise = 26;
  std::size_t no_signal_long_hold = 15;
  // Above these, cut answers and failed environments are named as the cause.
  double no_signal_clip_ratio = 0.15;
  double no_signal_env_share = 0.02;

  // env_avalanche. Steps on which the count rises, one after the other.
  std::size_t avalanche_rises = 3;
  // Or: share of failed set-ups on the newest points.
  double avalanche_share = 0.05;
  std::size_t avalanche_points = 2;
  // Newest count and newest share that there must be in any case.
  double avalanche_count = 3;
  double avalanche_min_share = 0.02;
  // Newest points of the reward, and those before that they are compared with.
  std::size_t avalanche_recent = 2;
  std::size_t avalanche_before = 5;

  // val_fake_zero. Task rewards up to a validation, and their median above
  // which its zeros are not believed.
  std::size_t fake_zero_points = 3;
  double fake_zero_reward = 0.05;

  // validation_missing. Multiple of test_freq without a validation, and
  // multiple of the longest one while one runs.
  double validation_overdue = 2;
  // Validations in a row without a finite score.
  std::size_t validation_nonfinite = 2;

  // no_tool_call_collapse. Only runs whose first turns reach this many.
  double tools_first_turns = 4;
  // Newest points that a median is taken of, and points that turns need.
  std::size_t tools_window = 3;
  std::size_t tools_points = 8;
  // Bound of the turns: share of the first ones, at least a floor (some
  // trainers count user turns, so that 2 is their least).
  double tools_turns_share = 0.4;
  double tools_turns_floor = 2.1;
  // Shares of failed set-ups and of time-outs up to which they explain nothing.
  double tools_env_share = 0.02;
  double tools_timeout_share = 0.20;
  // Steps with more than this share of the first turns are compared with: the
  // newest of them, and how many there must be.
  double tools_alive_share = 0.8;
  std::size_t tools_alive_window = 20;
  std::size_t tools_alive_points = 3;
  // Spreads or noises that the reward must have lost for critical.
  double tools_reward_drop = 3;

  // critic_starvation. Points with live returns that are looked at.
  std::size_t critic_window = 50;
  // Explained variance that none of them exceeds.
  double critic_variance = 0.3;
  // Median gradient norm, in multiples of the critic's clip; the clip of a run
  // that does not state it.
  double critic_grad = 3;
  double critic_default_clip = 1.0;
  // First and last points of the window whose medians tell what moved, and how
  // much explained variance counts as a move.
  std::size_t critic_edge = 10;
  double critic_gain = 0.05;

  // all_negative_batch_collapse. Mean advantage below this on so many points
  // in a row among the newest ones.
  double negative_advantage = -0.01;
  std::size_t negative_run = 3;
  std::size_t negative_window = 20;
  // Newest points that a median is taken of.
  std::size_t negative_recent = 3;
  // Steps back that turns and reward are compared with.
  std::size_t negative_back = 5;
  // Growth of the turns; loss of reward in shares of its size, or in noises.
  double negative_turns = 1.1;
  double negative_reward_share = 0.10;
  double negative_reward_noise = 2;

  // dis_not_reaching_actor. How far a share may be off a multiple of 1/batch,
  // and the points in a row that must be such.
  double dis_tolerance = 1e-9;
  std::size_t dis_points = 3;

  // step_slowdown. Recent step time against the steps before ...
  double slowdown_recent = 1.5;
  std::size_t slowdown_window = 3;
  std::size_t slowdown_before = 20;
  std::size_t slowdown_needed = 5;
  // ... and against the first ones.
  double slowdown_first = 3;
  std::size_t slowdown_long_window = 10;
  std::size_t slowdown_points = 15;

  // possibly_stuck, app_died: seconds without a word.
  double record_silence = 600;
  // not_started: seconds in start-up phases alone.
  double record_startup = 1800;
  // auth_failure, cuda_oom, nccl_failure; retry_loop: lines.
  std::size_t record_lines = 1;
  std::size_t record_retries = 5;
};

}  // namespace rlrun
