#include "parsers/formats/tracked_keys.h"

#include <string_view>

namespace rlrun {

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

}  // namespace rlrun
