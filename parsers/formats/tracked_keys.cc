#include "parsers/formats/tracked_keys.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "parsers/formats/step_line.h"

namespace rlrun {
namespace {

constexpr std::string_view kTrain = "train/";
constexpr std::string_view kEval = "eval/";

// What slime tells of at once, in the order in which it comes by it.
enum class SlimePart : std::uint8_t {
  kGenerated = 0,
  kRollout,
  kSteps,
  kTimes,
  kScores,
};
constexpr std::size_t kSlimeParts = 5;

bool IsGenerated(std::string_view key) {
  return key == "perf/rollout_time" || key == "perf/tokens_per_gpu_per_sec" ||
         key.starts_with("perf/longest_sample_") ||
         key.starts_with("rollout/response_len/") ||
         key.starts_with("rollout/zero_std/") ||
         key == "rollout/truncated_ratio" || key == "rollout/repetition_frac";
}

SlimePart PartOf(std::string_view key) {
  if (IsGenerated(key)) return SlimePart::kGenerated;
  if (key.starts_with("perf/")) return SlimePart::kTimes;
  if (key.starts_with(kEval)) return SlimePart::kScores;
  return key.starts_with("rollout/") || key.starts_with("multi_turn/") ||
                 key.starts_with("passrate/")
             ? SlimePart::kRollout
             : SlimePart::kSteps;
}

// What the keys of a row show of slime or miles.
struct SlimeKeys {
  bool tells = false;  // nobody else has such a key
  bool train = false, policy = false, critic = false;
  bool eval = false;
  // A key that only a line of whoever generates has; only such as may stand
  // there; another one.
  bool generated = false, may_be_generated = false, other = false;

  explicit SlimeKeys(const StepRecord& record) {
    for (const StepRecord::Pair& pair : record.pairs) Note(record.Key(pair));
  }
  void Note(std::string_view key) {
    train = train || key.starts_with(kTrain);
    critic = critic || key.starts_with("train/critic-");
    policy = policy || key == "train/pg_loss" || key == "train/ppo_kl";
    eval = eval || key.starts_with(kEval);
    generated = generated || key == "perf/rollout_time" ||
                key.starts_with("rollout/response_len/");
    const bool may_be = IsGenerated(key);
    may_be_generated = may_be_generated || may_be;
    other = other || !may_be;
    tells = tells || key == "train/pg_loss" || key == "train/step" ||
            key == "rollout/step" || key == "eval/step" ||
            key == "rollout/raw_reward" || key.starts_with("train/lr-pg_") ||
            key.starts_with("rollout/response_len/") ||
            key == "perf/rollout_time" || key == "perf/wait_time_ratio";
  }
  void Set(StepRecord* record) const {
    record->dialect = train && !policy && !critic ? KeyDialect::kSlimeSft
                                                  : KeyDialect::kSlime;
    record->by_rollout = !train;
    record->line_class =
        train  ? critic && !policy ? LineClass::kCritic : LineClass::kTrain
        : eval ? LineClass::kVal
        : generated || (may_be_generated && !other) ? LineClass::kRollouter
                                                    : LineClass::kRollout;
  }
};

// What the keys of a row show of a trainer of Hugging Face.
struct HuggingFaceKeys {
  bool epoch = false, rate = false, runtime = false;
  bool policy = false;
  bool summary = false;   // of a training that has ended
  bool training = false;  // a measure of training
  bool evaluation = false;

  explicit HuggingFaceKeys(const StepRecord& record) {
    for (const StepRecord::Pair& pair : record.pairs) Note(record.Key(pair));
  }
  void Note(std::string_view key) {
    evaluation = evaluation || key.starts_with(kEval);
    epoch = epoch || key == "train/epoch";
    rate = rate || key == "train/learning_rate";
    runtime = runtime || key == "eval/runtime";
    summary = summary || key == "train/train_runtime";
    policy = policy || key == "train/reward" || key == "eval/reward" ||
             key.ends_with("/completions/mean_length");
    training = training || (key.starts_with(kTrain) && key != "train/epoch" &&
                            key != "train/global_step");
  }
  bool Tells() const { return epoch && (rate || runtime || summary); }
};

// `train/loss` -> `loss`, `eval/loss` -> `eval_loss`.
void PutOwnWordsBack(StepRecord* record) {
  StepRecord own;
  own.key_text.reserve(record->key_text.size());
  for (const StepRecord::Pair& pair : record->pairs) {
    std::string_view key = record->Key(pair);
    if (key == "train/global_step") continue;  // the step itself
    if (key.starts_with(kTrain)) key.remove_prefix(kTrain.size());
    if (key.starts_with(kEval)) {
      own.Add("eval_" + std::string(key.substr(kEval.size())), pair.value);
    } else {
      own.Add(key, pair.value);
    }
  }
  record->key_text = std::move(own.key_text);
  record->pairs = std::move(own.pairs);
}

}  // namespace

bool ClassifySlimeRow(StepRecord* record) {
  const SlimeKeys keys(*record);
  if (keys.tells) keys.Set(record);
  return keys.tells;
}

bool CountsRollouts(std::string_view key) {
  return PartOf(key) != SlimePart::kSteps;
}

void RowTeller::Classify(StepRecord* record, LogFacts* facts) {
  if (framework_ != "trl" && ClassifySlime(record)) return;
  if (ClassifyHuggingFace(record, facts)) return;
  record->line_class = ClassifyPairs(*record);
}

bool RowTeller::ClassifySlime(StepRecord* record) {
  const SlimeKeys keys(*record);
  if (!keys.tells && framework_ != "slime") return false;
  framework_ = "slime";
  keys.Set(record);
  if (record->line_class != LineClass::kTrain) return true;
  // A step may come in pieces.
  policy_ = policy_ || record->dialect == KeyDialect::kSlime;
  if (policy_) record->dialect = KeyDialect::kSlime;
  mode_ = policy_ ? RunMode::kSync : RunMode::kSft;
  return true;
}

void RowTeller::ClassifyParts(StepRecord record, LogFacts* facts) {
  Classify(&record, facts);
  if (framework_ != "slime") {
    if (!record.pairs.empty()) facts->steps.push_back(std::move(record));
    return;
  }
  std::array<StepRecord, kSlimeParts> parts;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    parts[static_cast<std::size_t>(PartOf(key))].Add(key, pair.value);
  }
  for (StepRecord& part : parts) {
    if (part.pairs.empty()) continue;
    part.step = record.step;
    part.decimals = record.decimals;
    part.begin_offset = record.begin_offset;
    part.end_offset = record.end_offset;
    part.time = record.time;
    Classify(&part, facts);
    facts->steps.push_back(std::move(part));
  }
}

bool RowTeller::ClassifyHuggingFace(StepRecord* record, LogFacts* facts) {
  const HuggingFaceKeys keys(*record);
  if (framework_.empty() && keys.Tells()) framework_ = "trl";
  if (framework_ != "trl") return false;
  policy_ = policy_ || keys.policy;
  record->dialect = policy_ ? KeyDialect::kTrl : KeyDialect::kTrlSft;
  record->line_class =
      keys.evaluation && !keys.training ? LineClass::kVal : LineClass::kTrain;
  if (keys.summary) {
    record->cut = true;  // it sums up, and takes nothing away
    // Behind its own row, which is one of training.
    facts->events.end = {{record->begin_offset + 1, {}}, EndKind::kTrainer};
  }
  mode_ = policy_ ? RunMode::kSync : RunMode::kSft;
  PutOwnWordsBack(record);
  return true;
}

}  // namespace rlrun
