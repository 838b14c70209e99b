// The bounds and patience of the health table. Filled by config from `rules:`.
#pragma once

#include <cstddef>

namespace rlrun {

struct CheckBound {
  double bound = 0;
  std::size_t alert_after = 1;  // consecutive evaluated steps out of range
};

// One member per row, under its name; beside some, numbers that it also needs.
struct CheckOptions {
  CheckBound routing_replay_pearson{0.99, 2};
  CheckBound actor_lr{0, 2};
  double actor_lr_tolerance = 0.05;    // of the configured rate, if constant
  double actor_lr_last_part = 0.02;    // of the planned steps: 0 is no finding
  CheckBound actor_grad_norm{0.1, 5};  // times U
  CheckBound reward_nonzero{0, 5};
  CheckBound num_turns{0.4, 2};  // times F
  double num_turns_floor = 2.1;  // the least bound
  double num_turns_from = 4;     // the least F
  CheckBound env_setup_failed{0.02, 2};
  CheckBound timeout_share{0.20, 3};
  CheckBound invalid_ratio{0.10, 2};
  CheckBound response_clip_ratio{0.15, 5};
  CheckBound aborted_ratio{0.05, 2};
  CheckBound val_nonzero{0, 1};  // validations
  CheckBound rollout_kl{0.01, 3};
  CheckBound vf_explained_var{0, 3};
  double vf_explained_var_from = 20;  // steps beyond it
  CheckBound critic_grad_norm{30, 3};
  CheckBound critic_advantages_mean{-0.01, 3};
  CheckBound eff_sample_size{0.99, 3};
  CheckBound pg_clipfrac_absent{0, 1};
};

}  // namespace rlrun
