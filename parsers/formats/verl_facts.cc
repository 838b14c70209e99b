// What the keys of verl's resolved config mean.
#include <cmath>
#include <initializer_list>
#include <string>

#include "parsers/formats/verl_config.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

using Keys = std::initializer_list<std::string_view>;
constexpr std::string_view kActor = "actor_rollout_ref.actor";

// Overrides write what a config has as a number or bool; a number of YAML
// without a point (`1e-6`) is text there. Both are read.
std::optional<double> Number(PyValue value) {
  if (const auto text = value.AsString()) return ParseNumber(*text);
  return value.AsDouble();
}

// Each Get...: of the first of `keys` that states one.
std::optional<double> GetDouble(PyValue config, Keys keys) {
  for (const std::string_view key : keys) {
    const auto number = Number(config.Find(key));
    if (number && std::isfinite(*number)) return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> GetInt(PyValue config, Keys keys) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto number = GetDouble(config, keys);
  if (!number || std::abs(*number) > kExact || *number != std::floor(*number)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::optional<std::int64_t> GetPositive(PyValue config, Keys keys) {
  const auto value = GetInt(config, keys);
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<bool> GetBool(PyValue config, Keys keys) {
  for (const std::string_view key : keys) {
    const PyValue value = config.Find(key);
    if (const auto flag = value.AsBool()) return flag;
    const auto text = value.AsString().value_or("");
    if (text == "True" || text == "true") return true;
    if (text == "False" || text == "false") return false;
  }
  return std::nullopt;
}

std::optional<std::string> GetText(PyValue config, Keys keys) {
  for (const std::string_view key : keys) {
    const auto text = config.Find(key).AsString();
    if (text && !text->empty()) return std::string(*text);
  }
  return std::nullopt;
}

// As GetText; empty where the config says that there is none.
std::optional<std::string> GetTextOrNone(PyValue config, std::string_view key) {
  const PyValue value = config.Find(key);
  if (value.kind() == PyValue::Kind::kNone) return std::string();
  const auto text = value.AsString();
  if (!text) return std::nullopt;
  return *text == "null" || *text == "None" ? std::string()
                                            : std::string(*text);
}

std::optional<std::vector<std::string>> GetTexts(PyValue config,
                                                 std::string_view key) {
  const PyValue list = config.Find(key);
  std::vector<std::string> texts;
  if (const auto one = list.AsString()) texts.emplace_back(*one);
  for (PyValue v = list.First(); v.present(); v = v.Next()) {
    if (const auto text = v.AsString()) texts.emplace_back(*text);
  }
  if (texts.empty()) return std::nullopt;
  return texts;
}

// Whether a section, or a dotted key inside it, is there.
bool HasSection(PyValue config, std::string_view section) {
  if (config.kind() != PyValue::Kind::kDict) return false;
  for (PyValue k = config.First(); k.present();) {
    const std::string_view key = k.AsString().value_or("");
    if (key.starts_with(section) &&
        (key.size() == section.size() || key[section.size()] == '.')) {
      return true;
    }
    k = k.Next().Next();
  }
  return false;
}

void ReadNames(PyValue c, RunFacts* f) {
  f->project = GetText(c, {"trainer.project_name"});
  f->experiment = GetText(c, {"trainer.experiment_name"});
  f->model = GetText(c, {"actor_rollout_ref.model.path", "model.path",
                         "model.partial_pretrain"});
  f->default_local_dir = GetText(c, {"trainer.default_local_dir"});
  f->loggers = GetTexts(c, "trainer.logger");
}

void ReadMode(PyValue c, bool is_whole, RunMode known, RunFacts* f) {
  if (HasSection(c, "async_training")) {
    f->mode = RunMode::kAsync;
  } else if (is_whole) {
    f->mode =
        HasSection(c, "actor_rollout_ref") ? RunMode::kSync : RunMode::kSft;
  } else if (known != RunMode::kUnknown) {
    f->mode = known;
  }
}

std::optional<bool> GetRoutingReplay(PyValue c) {
  const auto mode =
      GetTextOrNone(c, std::string(kActor) + ".router_replay.mode");
  const auto in_rollout =
      GetBool(c, {"actor_rollout_ref.rollout.enable_rollout_routing_replay"});
  if (!mode && !in_rollout) return std::nullopt;
  const bool in_actor = mode && !mode->empty() && *mode != "disabled";
  return in_actor || in_rollout.value_or(false);
}

void ReadMethod(PyValue c, RunFacts* f) {
  f->engine =
      GetText(c, {"actor_rollout_ref.actor.strategy", "model.strategy"});
  f->estimator = GetText(c, {"algorithm.adv_estimator"});
  f->bypass_mode = GetBool(c, {"algorithm.rollout_correction.bypass_mode"});
  f->rollout_is = GetTextOrNone(c, "algorithm.rollout_correction.rollout_is");
  f->rollout_rs = GetTextOrNone(c, "algorithm.rollout_correction.rollout_rs");
  f->rollout_is_threshold =
      GetDouble(c, {"algorithm.rollout_correction.rollout_is_threshold"});
  f->policy_loss =
      GetText(c, {"actor_rollout_ref.actor.policy_loss.loss_mode"});
  f->whitens_advantages =
      GetBool(c, {"algorithm.gae_whiten_advantages",
                  "algorithm.whiten_advantages", "trainer.whiten_advantages"});
  f->routing_replay = GetRoutingReplay(c);
  f->trajectory_filter = GetBool(c, {"algorithm.trajectory_filter.enable"});
}

void ReadOptimizer(PyValue c, RunFacts* f) {
  f->lr = GetDouble(c, {"actor_rollout_ref.actor.optim.lr", "optim.lr"});
  f->lr_scheduler =
      GetText(c, {"actor_rollout_ref.actor.optim.lr_scheduler_type",
                  "actor_rollout_ref.actor.optim.lr_decay_style",
                  "actor_rollout_ref.actor.optim.warmup_style",
                  "optim.lr_scheduler_type", "optim.lr_scheduler"});
  f->lr_warmup_steps =
      GetInt(c, {"actor_rollout_ref.actor.optim.lr_warmup_steps",
                 "optim.lr_warmup_steps"});
  if (f->lr_warmup_steps && *f->lr_warmup_steps < 0) f->lr_warmup_steps.reset();
  f->lr_warmup_ratio =
      GetDouble(c, {"actor_rollout_ref.actor.optim.lr_warmup_steps_ratio",
                    "optim.lr_warmup_steps_ratio", "optim.warmup_steps_ratio"});
  f->lr_total_steps =
      GetInt(c, {"actor_rollout_ref.actor.optim.total_training_steps"});
  f->actor_grad_clip = GetDouble(
      c, {"actor_rollout_ref.actor.grad_clip",
          "actor_rollout_ref.actor.optim.clip_grad", "optim.clip_grad"});
  f->critic_grad_clip =
      GetDouble(c, {"critic.grad_clip", "critic.optim.clip_grad"});
  f->critic_lr = GetDouble(c, {"critic.optim.lr"});
  f->critic_warmup_steps = GetInt(c, {"trainer.critic_warmup"});
}

std::optional<std::int64_t> Product(std::optional<std::int64_t> a,
                                    std::optional<std::int64_t> b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) {
    return std::nullopt;
  }
  return product;
}

void ReadSizes(PyValue c, RunFacts* f) {
  // An asynchronous trainer has a train_batch_size of 0.
  f->prompts_per_step =
      f->mode == RunMode::kAsync
          ? Product(GetPositive(c, {"actor_rollout_ref.actor."
                                    "ppo_mini_batch_size"}),
                    GetPositive(c, {"async_training.require_batches"}))
          : GetPositive(c, {"data.train_batch_size"});
  f->responses_per_prompt = GetPositive(c, {"actor_rollout_ref.rollout.n"});
  const auto of_environment = GetPositive(c, {"env.rollout.n"});
  if (f->responses_per_prompt.value_or(1) == 1 && of_environment) {
    f->responses_per_prompt = of_environment;
  }
  f->max_prompt_tokens = GetPositive(c, {"data.max_prompt_length"});
  f->max_response_tokens = GetPositive(c, {"data.max_response_length"});
  f->sync_every_steps =
      GetPositive(c, {"async_training.trigger_parameter_sync_step"});
  f->staleness_threshold = GetDouble(c, {"async_training.staleness_threshold"});
}

void ReadSchedule(PyValue c, RunFacts* f) {
  f->total_steps = GetPositive(c, {"trainer.total_training_steps"});
  f->total_epochs = GetPositive(c, {"trainer.total_epochs"});
  f->test_freq = GetInt(c, {"trainer.test_freq"});
  f->save_freq = GetInt(c, {"trainer.save_freq"});
  f->validates_before_training = GetBool(c, {"trainer.val_before_train"});
}

void ReadMachines(PyValue c, RunFacts* f) {
  const auto trainers = GetPositive(c, {"trainer.nnodes"});
  f->gpus_per_node = GetPositive(c, {"trainer.n_gpus_per_node"});
  f->tensor_parallel =
      GetPositive(c, {"actor_rollout_ref.rollout.tensor_model_parallel_size"});
  auto rollout_nodes = trainers;
  auto rollout_gpus = f->gpus_per_node;
  if (f->mode == RunMode::kAsync) {
    rollout_nodes =
        GetPositive(c, {"rollout.nnodes", "actor_rollout_ref.rollout.nnodes"});
    rollout_gpus =
        GetPositive(c, {"rollout.n_gpus_per_node",
                        "actor_rollout_ref.rollout.n_gpus_per_node"});
    if (trainers && rollout_nodes) f->nodes = *trainers + *rollout_nodes;
  } else if (f->mode) {
    f->nodes = trainers;
  }
  if (!f->mode || f->mode == RunMode::kSft || !f->tensor_parallel) return;
  const auto size_of = [&](std::string_view key) {
    return GetPositive(c, {key}).value_or(1);
  };
  const auto gpus = Product(rollout_nodes, rollout_gpus);
  const auto replica = Product(
      f->tensor_parallel,
      Product(size_of("actor_rollout_ref.rollout.pipeline_model_parallel_size"),
              size_of("actor_rollout_ref.rollout.data_parallel_size")));
  if (!gpus || !replica || *gpus % *replica != 0) return;
  f->engine_replicas = *gpus / *replica;
}

}  // namespace

RunFacts FactsFromConfig(PyValue config, bool is_whole, RunMode mode) {
  RunFacts facts;
  ReadNames(config, &facts);
  ReadMode(config, is_whole, mode, &facts);
  ReadMethod(config, &facts);
  ReadOptimizer(config, &facts);
  ReadSizes(config, &facts);
  ReadSchedule(config, &facts);
  ReadMachines(config, &facts);
  return facts;
}

}  // namespace rlrun
