// What a run was told to do, as its log states it: names, sizes, schedule. What
// it then does is in its step lines. Each field is absent where no source
// states it; a paragraph per field would repeat its key, so each has one line:
// the key in verl's config (or the line of the launch banner), and the unit.
// Plain data; freely moved between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/run_mode.h"

namespace rlrun {

struct RunFacts {
  template <class T>
  using Fact = std::optional<T>;
  using Text = std::optional<std::string>;
  using Int = std::optional<std::int64_t>;

  // Names and places.
  Text framework;  // `slime`, `miles`, `trl`; absent: verl
  // Under which a run-record store knows it; `Training run id:` of a launcher.
  Text training_run_id;
  Text project;            // trainer.project_name; banner `project:`
  Text experiment;         // trainer.experiment_name; banner `experiment:`
  Text model;              // actor_rollout_ref.model.path; SFT model.path
  Text default_local_dir;  // trainer.default_local_dir: checkpoints
  Text train_log;          // banner `train log:`, path
  Text engine_log;         // banner `vLLM log:`, path
  Text trials_dir;         // banner `trials=`; HARBOR_TRIALS_DIR, path
  Fact<std::vector<std::string>> loggers;  // trainer.logger

  // Method.
  Fact<RunMode> mode;  // async iff `async_training`; SFT: no actor_rollout_ref
  Text engine;         // actor_rollout_ref.actor.strategy: `fsdp`, `veomni`
  Text estimator;      // algorithm.adv_estimator: `grpo`, `gae`
  Fact<bool> bypass_mode;  // algorithm.rollout_correction.bypass_mode
  Text rollout_is;  // .rollout_is: `token`, `sequence`; empty: stated as none
  Text rollout_rs;  // .rollout_rs; empty: stated as none
  Fact<double> rollout_is_threshold;  // .rollout_is_threshold
  Text policy_loss;  // actor_rollout_ref.actor.policy_loss.loss_mode
  // algorithm.gae_whiten_advantages, algorithm. or trainer.whiten_advantages;
  // GAE_WHITEN_ADVANTAGES. Which of them a trainer reads differs by fork.
  Fact<bool> whitens_advantages;
  // actor_rollout_ref.actor.router_replay.mode other than `disabled`, or
  // rollout.enable_rollout_routing_replay; banner `R3=`.
  Fact<bool> routing_replay;
  Fact<bool> trajectory_filter;  // algorithm.trajectory_filter.enable

  // Optimizer, critic.
  Fact<double> lr;      // actor_rollout_ref.actor.optim.lr; SFT optim.lr
  Text lr_scheduler;    // .lr_scheduler_type, older .warmup_style: `constant`
  Int lr_warmup_steps;  // .lr_warmup_steps, where not negative
  Fact<double> lr_warmup_ratio;  // .lr_warmup_steps_ratio, 0..1 of all steps
  Int lr_total_steps;  // .total_training_steps; -1: left to the trainer
  Fact<double> actor_grad_clip;   // actor_rollout_ref.actor.grad_clip
  Fact<double> critic_grad_clip;  // critic.grad_clip; CRITIC_GRAD_CLIP
  Fact<double> critic_lr;         // critic.optim.lr
  Int critic_warmup_steps;        // trainer.critic_warmup

  // Sizes. Prompts per training step: sync data.train_batch_size, async
  // ppo_mini_batch_size x async_training.require_batches; banner `batch`.
  Int prompts_per_step;
  // actor_rollout_ref.rollout.n; where that is 1, env.rollout.n of verl-agent.
  Int responses_per_prompt;
  Int max_prompt_tokens;    // data.max_prompt_length
  Int max_response_tokens;  // data.max_response_length
  Int sync_every_steps;     // async_training.trigger_parameter_sync_step
  Fact<double> staleness_threshold;  // async_training.staleness_threshold

  // Schedule, in training steps (test_freq, save_freq: <= 0 means never).
  Int total_steps;   // trainer.total_training_steps, where positive
  Int total_epochs;  // trainer.total_epochs
  Int test_freq;     // trainer.test_freq
  Int save_freq;     // trainer.save_freq
  Fact<bool> validates_before_training;  // trainer.val_before_train

  // Machines.
  Int nodes;  // trainer.nnodes, async + rollout.nnodes; banner `topology`
  Int gpus_per_node;    // trainer.n_gpus_per_node
  Int tensor_parallel;  // actor_rollout_ref.rollout.tensor_model_parallel_size
  // GPUs that generate / (tensor x pipeline x data parallel of the rollout).
  Int engine_replicas;

  // Agent time limits in seconds, as the launch environment states them.
  Fact<double> agent_timeout_s;      // HARBOR_AGENT_MAX_TIMEOUT_SEC
  Fact<double> val_agent_timeout_s;  // HARBOR_VAL_AGENT_MAX_TIMEOUT_SEC
};

// Calls visit("name", &RunFacts::field) for each field, in the order above.
template <class Visit>
constexpr void ForEachRunFact(Visit visit) {
  visit("framework", &RunFacts::framework);
  visit("training_run_id", &RunFacts::training_run_id);
  visit("project", &RunFacts::project);
  visit("experiment", &RunFacts::experiment);
  visit("model", &RunFacts::model);
  visit("default_local_dir", &RunFacts::default_local_dir);
  visit("train_log", &RunFacts::train_log);
  visit("engine_log", &RunFacts::engine_log);
  visit("trials_dir", &RunFacts::trials_dir);
  visit("loggers", &RunFacts::loggers);
  visit("mode", &RunFacts::mode);
  visit("engine", &RunFacts::engine);
  visit("estimator", &RunFacts::estimator);
  visit("bypass_mode", &RunFacts::bypass_mode);
  visit("rollout_is", &RunFacts::rollout_is);
  visit("rollout_rs", &RunFacts::rollout_rs);
  visit("rollout_is_threshold", &RunFacts::rollout_is_threshold);
  visit("policy_loss", &RunFacts::policy_loss);
  visit("whitens_advantages", &RunFacts::whitens_advantages);
  visit("routing_replay", &RunFacts::routing_replay);
  visit("trajectory_filter", &RunFacts::trajectory_filter);
  visit("lr", &RunFacts::lr);
  visit("lr_scheduler", &RunFacts::lr_scheduler);
  visit("lr_warmup_steps", &RunFacts::lr_warmup_steps);
  visit("lr_warmup_ratio", &RunFacts::lr_warmup_ratio);
  visit("lr_total_steps", &RunFacts::lr_total_steps);
  visit("actor_grad_clip", &RunFacts::actor_grad_clip);
  visit("critic_grad_clip", &RunFacts::critic_grad_clip);
  visit("critic_lr", &RunFacts::critic_lr);
  visit("critic_warmup_steps", &RunFacts::critic_warmup_steps);
  visit("prompts_per_step", &RunFacts::prompts_per_step);
  visit("responses_per_prompt", &RunFacts::responses_per_prompt);
  visit("max_prompt_tokens", &RunFacts::max_prompt_tokens);
  visit("max_response_tokens", &RunFacts::max_response_tokens);
  visit("sync_every_steps", &RunFacts::sync_every_steps);
  visit("staleness_threshold", &RunFacts::staleness_threshold);
  visit("total_steps", &RunFacts::total_steps);
  visit("total_epochs", &RunFacts::total_epochs);
  visit("test_freq", &RunFacts::test_freq);
  visit("save_freq", &RunFacts::save_freq);
  visit("validates_before_training", &RunFacts::validates_before_training);
  visit("nodes", &RunFacts::nodes);
  visit("gpus_per_node", &RunFacts::gpus_per_node);
  visit("tensor_parallel", &RunFacts::tensor_parallel);
  visit("engine_replicas", &RunFacts::engine_replicas);
  visit("agent_timeout_s", &RunFacts::agent_timeout_s);
  visit("val_agent_timeout_s", &RunFacts::val_agent_timeout_s);
}

// Fills what *facts lacks from `weaker`. The order of sources, the strongest
// first: resolved config block, launch banner, overrides of a command line.
inline void FillRunFacts(const RunFacts& weaker, RunFacts* facts) {
  ForEachRunFact([&](std::string_view, auto field) {
    if (!(facts->*field)) facts->*field = weaker.*field;
  });
}

// Facts that are stated.
inline std::size_t CountRunFacts(const RunFacts& facts) {
  std::size_t count = 0;
  ForEachRunFact([&](std::string_view, auto field) {
    if (facts.*field) ++count;
  });
  return count;
}

}  // namespace rlrun
