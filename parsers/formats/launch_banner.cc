#include "parsers/formats/launch_banner.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parsers/formats/verl_overrides.h"
#include "parsers/lines/payload.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxSectionLines = 5000;
constexpr std::size_t kMaxCommandBytes = 64 * 1024;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The next word of *rest, which loses it.
std::string_view TakeToken(std::string_view* rest) {
  *rest = TrimBlanks(*rest);
  const std::size_t end = std::min(rest->find_first_of(" \t"), rest->size());
  const std::string_view token = rest->substr(0, end);
  rest->remove_prefix(end);
  return token;
}

std::string_view Unquoted(std::string_view text) {
  text = TrimBlanks(text);
  const bool is_quoted = text.size() >= 2 && text.front() == text.back() &&
                         (text.front() == '"' || text.front() == '\'');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// `?`, `<unset>`, a masked value.
bool IsStated(std::string_view value) {
  return !value.empty() && value[0] != '?' && value[0] != '<' &&
         value[0] != '*';
}

void Set(std::string_view value, RunFacts::Text* fact) { fact->emplace(value); }

void Set(std::string_view value, RunFacts::Fact<double>* fact) {
  if (value.ends_with('s')) value.remove_suffix(1);  // `2400s`
  const auto number = ParseNumber(value);
  if (number && std::isfinite(*number)) *fact = number;
}

void Set(std::string_view value, RunFacts::Int* fact) {
  const auto number = ParseNumber(value);
  if (number && std::abs(*number) < 1e9 && *number == std::floor(*number)) {
    *fact = static_cast<std::int64_t>(*number);
  }
}

void Set(std::string_view value, RunFacts::Fact<bool>* fact) {
  if (value == "True" || value == "true" || value == "1") *fact = true;
  if (value == "False" || value == "false" || value == "0") *fact = false;
}

void Set(std::string_view value, RunFacts::Fact<RunMode>* fact) {
  if (value == "async") *fact = RunMode::kAsync;
  if (value == "sync") *fact = RunMode::kSync;
}

struct Name {
  std::string_view name;
  void (*set)(std::string_view value, RunFacts* facts);
};

template <auto field>
void SetField(std::string_view value, RunFacts* facts) {
  Set(value, &(facts->*field));
}

// `rollout_is=token(thr=2.0)`
void SetRolloutIs(std::string_view value, RunFacts* facts) {
  constexpr std::string_view kThreshold = "(thr=";
  const std::size_t at = value.find(kThreshold);
  const std::string_view kind = value.substr(0, at);
  facts->rollout_is.emplace(kind == "null" || kind == "None" ? "" : kind);
  if (at == std::string_view::npos || !value.ends_with(')')) return;
  value.remove_suffix(1);
  Set(value.substr(at + kThreshold.size()), &facts->rollout_is_threshold);
}

constexpr std::array kEnvironment = {
    Name{"PROJECT_NAME", SetField<&RunFacts::project>},
    Name{"TRAINER_PROJECT_NAME", SetField<&RunFacts::project>},
    Name{"EXP_NAME", SetField<&RunFacts::experiment>},
    Name{"TRAINER_EXPERIMENT_NAME", SetField<&RunFacts::experiment>},
    Name{"TRAIN_MODE", SetField<&RunFacts::mode>},
    Name{"ENGINE", SetField<&RunFacts::engine>},
    Name{"MODEL_PATH", SetField<&RunFacts::model>},
    Name{"TRAIN_LOG", SetField<&RunFacts::train_log>},
    Name{"VLLM_LOG", SetField<&RunFacts::engine_log>},
    Name{"HARBOR_TRIALS_DIR", SetField<&RunFacts::trials_dir>},
    Name{"ADV_ESTIMATOR", SetField<&RunFacts::estimator>},
    Name{"LR_SCHEDULER", SetField<&RunFacts::lr_scheduler>},
    Name{"ROLLOUT_IS", SetRolloutIs},
    Name{"TRAJ_FILTER_ENABLE", SetField<&RunFacts::trajectory_filter>},
    Name{"GAE_WHITEN_ADVANTAGES", SetField<&RunFacts::whitens_advantages>},
    Name{"CRITIC_GRAD_CLIP", SetField<&RunFacts::critic_grad_clip>},
    Name{"CRITIC_WARMUP", SetField<&RunFacts::critic_warmup_steps>},
    Name{"N_RESP", SetField<&RunFacts::responses_per_prompt>},
    Name{"MAX_PROMPT", SetField<&RunFacts::max_prompt_tokens>},
    Name{"MAX_RESP", SetField<&RunFacts::max_response_tokens>},
    Name{"HARBOR_AGENT_MAX_TIMEOUT_SEC", SetField<&RunFacts::agent_timeout_s>},
    Name{"HARBOR_VAL_AGENT_MAX_TIMEOUT_SEC",
         SetField<&RunFacts::val_agent_timeout_s>},
};

constexpr std::array kTableWords = {
    Name{"project", SetField<&RunFacts::project>},
    Name{"exp", SetField<&RunFacts::experiment>},
    Name{"mode", SetField<&RunFacts::mode>},
    Name{"engine", SetField<&RunFacts::engine>},
    Name{"vllm_TP", SetField<&RunFacts::tensor_parallel>},
    Name{"prompt", SetField<&RunFacts::max_prompt_tokens>},
    Name{"resp", SetField<&RunFacts::max_response_tokens>},
    Name{"lr", SetField<&RunFacts::lr>},
    Name{"lr_sched", SetField<&RunFacts::lr_scheduler>},
    Name{"R3", SetField<&RunFacts::routing_replay>},
    Name{"rollout_is", SetRolloutIs},
    Name{"trajectory_filter", SetField<&RunFacts::trajectory_filter>},
    Name{"staleness", SetField<&RunFacts::staleness_threshold>},
    Name{"sync_every", SetField<&RunFacts::sync_every_steps>},
    Name{"epochs", SetField<&RunFacts::total_epochs>},
    Name{"save_freq", SetField<&RunFacts::save_freq>},
    Name{"test_freq", SetField<&RunFacts::test_freq>},
    Name{"val_before_train", SetField<&RunFacts::validates_before_training>},
    Name{"timeout", SetField<&RunFacts::agent_timeout_s>},
    Name{"val_timeout", SetField<&RunFacts::val_agent_timeout_s>},
    Name{"trials", SetField<&RunFacts::trials_dir>},
};

template <std::size_t size>
void SetByName(const std::array<Name, size>& names, std::string_view name,
               std::string_view value, RunFacts* facts) {
  if (!IsStated(value)) return;
  for (const Name& known : names) {
    if (known.name == name) known.set(value, facts);
  }
}

}  // namespace

bool LaunchBanner::Take(std::string_view payload, bool has_prefix) {
  payload = TrimBlanks(payload);
  if (has_prefix || ++lines_ > kMaxSectionLines) {
    section_ = Section::kNone;  // the run itself has begun to print
    return false;
  }
  if (MayStart(payload)) {
    const bool was_open = section_ != Section::kNone;
    section_ = Section::kNone;
    if (payload.starts_with("=== Launching Harbor")) {
      Begin(Section::kHead);
    } else if (Contains(payload, " run configuration (train) ")) {
      Begin(Section::kTable);
    } else if (seen_ != 0 && payload.starts_with("=== Final Environment")) {
      Begin(Section::kEnvironment);
    } else if (seen_ != 0 && payload.starts_with("=== Launch Command")) {
      Begin(Section::kCommand);
    }
    return was_open || section_ != Section::kNone;
  }
  switch (section_) {
    case Section::kNone:
      return false;
    case Section::kHead:
      TakeHead(payload);
      break;
    case Section::kEnvironment:
      TakeEnvironment(payload);
      break;
    case Section::kTable:
      TakeTable(payload);
      break;
    case Section::kCommand:
      TakeCommand(payload);
      break;
  }
  return true;
}

void LaunchBanner::Begin(Section section) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(section);
  if ((seen_ & bit) != 0) Reset();  // another launch
  seen_ |= bit;
  section_ = section;
  lines_ = 0;
}

void LaunchBanner::TakeHead(std::string_view payload) {
  const std::size_t colon = payload.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = TrimBlanks(payload.substr(0, colon));
  const std::string_view value = TrimBlanks(payload.substr(colon + 1));
  if (!IsStated(value)) return;
  if (name == "project") Set(value, &stated_.project);
  if (name == "experiment") Set(value, &stated_.experiment);
  if (name == "train log") Set(value, &stated_.train_log);
  if (name == "vLLM log") Set(value, &stated_.engine_log);
  if (name == "mode/engine") {
    const std::size_t slash = value.find('/');
    Set(value.substr(0, slash), &stated_.mode);
    if (slash != std::string_view::npos && slash + 1 < value.size()) {
      Set(value.substr(slash + 1), &stated_.engine);
    }
  }
}

void LaunchBanner::TakeEnvironment(std::string_view payload) {
  const std::size_t equals = payload.find('=');
  if (equals == std::string_view::npos) return;
  SetByName(kEnvironment, payload.substr(0, equals),
            Unquoted(payload.substr(equals + 1)), &environment_);
}

void LaunchBanner::TakeTable(std::string_view payload) {
  std::string_view rest = payload;
  std::string_view label = TakeToken(&rest);
  if (Contains(label, "=")) {  // goes on with the label of the line before
    label = {};
    rest = payload;
  }
  std::string_view words = rest;
  const std::string_view first = TakeToken(&words);
  const bool has_first = IsStated(first) && !Contains(first, "=");
  if (label == "topology") TakeTopology(rest);
  if (label == "batch") TakeBatch(rest);
  if (has_first && label == "algorithm") Set(first, &stated_.estimator);
  if (has_first && label == "model") Set(first, &stated_.model);
  if (has_first && label == "trials") Set(first, &stated_.trials_dir);
  if (has_first && label == "logs") Set(first, &stated_.train_log);
  while (!rest.empty()) {
    const std::string_view word = TakeToken(&rest);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (label == "logs" && name == "train" && IsStated(value)) {
      Set(value, &stated_.train_log);
    } else {
      TakeWord(name, value);
    }
  }
}

// `3 nodes × 8 gpu = train 2 / rollout 1  SP=8 → dp=2  vllm_TP=4`
void LaunchBanner::TakeTopology(std::string_view rest) {
  std::string_view last;
  while (!rest.empty()) {
    const std::string_view word = TakeToken(&rest);
    if (word == "nodes") Set(last, &stated_.nodes);
    if (word == "gpu") Set(last, &stated_.gpus_per_node);
    if (last == "rollout") Set(word, &rollout_nodes_);
    last = word;
  }
}

// `64 prompts × 8 resp = 512 trials/step  mini=64  dynamic_bsz=True`
void LaunchBanner::TakeBatch(std::string_view rest) {
  std::string_view last;
  while (!rest.empty()) {
    const std::string_view word = TakeToken(&rest);
    if (word == "prompts") Set(last, &stated_.prompts_per_step);
    if (word == "resp") Set(last, &stated_.responses_per_prompt);
    last = word;
  }
}

void LaunchBanner::TakeWord(std::string_view name, std::string_view value) {
  if (name == "mini") Set(value, &mini_batch_);
  if (name == "require_batches") Set(value, &required_batches_);
  SetByName(kTableWords, name, value, &stated_);
}

void LaunchBanner::TakeCommand(std::string_view payload) {
  if (payload.empty()) return;
  const bool goes_on = payload.ends_with('\\');
  if (goes_on) payload.remove_suffix(1);
  command_ += payload;
  command_ += ' ';
  if (goes_on && command_.size() <= kMaxCommandBytes) return;
  of_command_ = FactsFromOverrides(SplitCommand(command_));
  command_.clear();
  section_ = Section::kNone;
}

RunFacts LaunchBanner::facts() const {
  RunFacts facts = stated_;
  FillRunFacts(environment_, &facts);
  if (facts.mode == RunMode::kAsync && mini_batch_ && required_batches_) {
    facts.prompts_per_step = *mini_batch_ * *required_batches_;
  }
  const auto generating =
      facts.mode == RunMode::kAsync ? rollout_nodes_ : facts.nodes;
  if (generating && facts.gpus_per_node && facts.tensor_parallel &&
      *facts.tensor_parallel > 0) {
    const std::int64_t gpus = *generating * *facts.gpus_per_node;
    if (gpus > 0 && gpus % *facts.tensor_parallel == 0) {
      facts.engine_replicas = gpus / *facts.tensor_parallel;
    }
  }
  FillRunFacts(of_command_, &facts);
  return facts;
}

}  // namespace rlrun
