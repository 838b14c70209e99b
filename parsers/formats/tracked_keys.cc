#include "parsers/formats/tracked_keys.h"

#include <string>
#include <string_view>
#include <utility>

#include "parsers/formats/step_line.h"

namespace rlrun {
namespace {

constexpr std::string_view kTrain = "train/";
constexpr std::string_view kEval = "eval/";

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
  bool slime = false, train = false, policy = false, critic = false;
  bool eval = false, generated = false;
  for (const StepRecord::Pair& pair : record->pairs) {
    const std::string_view key = record->Key(pair);
    const bool of_train = key.starts_with("train/");
    train = train || of_train;
    critic = critic || key.starts_with("train/critic-");
    policy = policy || key == "train/pg_loss" || key == "train/ppo_kl";
    eval = eval || key.starts_with("eval/");
    generated = generated || key == "perf/rollout_time" ||
                key.starts_with("rollout/response_len/");
    slime = slime || key == "train/pg_loss" || key == "train/step" ||
            key == "rollout/step" || key == "eval/step" ||
            key == "rollout/raw_reward" || key.starts_with("train/lr-pg_") ||
            key.starts_with("rollout/response_len/") ||
            key == "perf/rollout_time" || key == "perf/wait_time_ratio";
  }
  if (!slime) return false;
  record->dialect =
      train && !policy && !critic ? KeyDialect::kSlimeSft : KeyDialect::kSlime;
  record->by_rollout = !train;
  record->line_class =
      train       ? critic && !policy ? LineClass::kCritic : LineClass::kTrain
      : eval      ? LineClass::kVal
      : generated ? LineClass::kRollouter
                  : LineClass::kRollout;
  return true;
}

void RowTeller::Classify(StepRecord* record, LogFacts* facts) {
  if (framework_ != "trl" && ClassifySlimeRow(record)) {
    framework_ = "slime";
    if (record->line_class == LineClass::kTrain) {
      mode_ = record->dialect == KeyDialect::kSlimeSft ? RunMode::kSft
                                                       : RunMode::kSync;
    }
    return;
  }
  if (ClassifyHuggingFace(record, facts)) return;
  record->line_class = ClassifyPairs(*record);
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
