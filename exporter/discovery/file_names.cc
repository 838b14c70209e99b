#include "exporter/discovery/file_names.h"

#include <algorithm>
#include <array>

#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

constexpr std::array<std::string_view, 3> kLogEndings = {".log", ".out",
                                                         ".jsonl"};
constexpr std::array<std::string_view, 3> kSideEndings = {
    "_vllm.log", "_train_gpu_wandb.log", "_server.out"};
constexpr std::array<std::string_view, 6> kCompressed = {
    ".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip"};
constexpr std::string_view kSecrets = "framework-status-tokens";
constexpr std::array<std::string_view, 10> kPruned = {
    kSecrets, "_dropped",    "__pycache__", "node_modules", "site-packages",
    "venv",   "checkpoints", "lost+found",  "proc",         "sys"};

template <typename A>
bool EndsWithAny(std::string_view name, const A& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view e) { return name.ends_with(e); });
}

// `<prefix><digits>`
bool IsNumbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return !name.empty() &&
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

NameKind ClassifyFileName(std::string_view name) {
  if (name.starts_with('.')) return NameKind::kOther;
  if (IsWandbFile(name) || IsEventFile(name)) return NameKind::kLog;
  if (EndsWithAny(name, kCompressed)) {
    const std::string_view inner = name.substr(0, name.rfind('.'));
    const bool of_a_log = inner.find(".log") != std::string_view::npos ||
                          inner.find(".out") != std::string_view::npos ||
                          inner.ends_with(".jsonl");
    return of_a_log ? NameKind::kSideFile : NameKind::kOther;
  }
  if (name == "trainer_state.json") return NameKind::kLog;
  if (!EndsWithAny(name, kLogEndings)) return NameKind::kOther;
  if (EndsWithAny(name, kSideEndings)) return NameKind::kSideFile;
  return name.starts_with("launch_") ? NameKind::kLaunch : NameKind::kLog;
}

bool IsStoreDirectory(std::string_view name) {
  constexpr std::array<std::string_view, 20> kStore = {
      "training-runs",
      "training-runs-summary",
      "training-run-updates",
      "training-attempts",
      "train-results",
      "train-results-summary",
      "training-rollouts",
      "training-rollouts-summary",
      "training-steps",
      "training-steps-summary",
      "advantage-distributions",
      "substep-timing",
      "metric-series",
      "eval-results",
      "evals",
      "eval-summaries",
      "eval-configs",
      "deployments",
      "deployments-summary",
      kSecrets};
  return std::find(kStore.begin(), kStore.end(), name) != kStore.end();
}

bool HoldsSecrets(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == kSecrets) return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

bool IsPrunedDirectory(std::string_view name) {
  return (name.starts_with('.') && name != ".wandb") ||
         IsNumbered(name, "step_") || IsNumbered(name, "global_step_") ||
         std::find(kPruned.begin(), kPruned.end(), name) != kPruned.end();
}

}  // namespace rlrun
