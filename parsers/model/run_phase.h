// What a run is doing, in the words of the family rlrun_phase.
// Plain data; freely moved between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

enum class RunPhase : std::uint8_t {
  kInitializing = 0,
  kDownloadModel,
  kConvertModel,
  kPrepareDataset,
  kInitializeRollouts,
  kGenerateRollouts,
  kEvaluateRollouts,
  kComputeLogProbs,
  kOptimizerStep,
  kWeightSync,
  kOffloadRollout,
  kOffloadTrain,
  kCheckpointSave,
  kTraining,
};
inline constexpr std::size_t kRunPhases = 14;
inline constexpr std::array<std::string_view, kRunPhases> kRunPhaseNames = {
    "initializing",        "download_model",
    "convert_model",       "prepare_dataset",
    "initialize_rollouts", "generate_rollouts",
    "evaluate_rollouts",   "compute_log_probs",
    "optimizer_step",      "weight_sync",
    "offload_rollout",     "offload_train",
    "checkpoint_save",     "training"};

}  // namespace rlrun
