#include "exporter/report/advice.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "exporter/report/advice_table.h"

namespace rlrun {
namespace {

struct Pair {
  std::string_view left, right;
};

constexpr Pair kCovers[] = {
    {"frozen_model", "actor_lr"},
    {"lr_anomaly", "actor_lr"},
    {"r3_misalignment", "routing_replay_pearson"},
    {"r3_misalignment", "rollout_kl"},
    {"kl_blowup", "rollout_kl"},
    {"grad_starvation", "actor_grad_norm"},
    {"grad_vanishing", "actor_grad_norm"},
    {"no_signal", "reward_nonzero"},
    {"no_signal", "actor_grad_norm"},
    {"no_tool_call_collapse", "num_turns"},
    {"env_avalanche", "env_setup_failed"},
    {"env_avalanche", "invalid_ratio"},
    {"length_explosion", "response_clip_ratio"},
    {"val_fake_zero", "val_nonzero"},
    {"critic_starvation", "vf_explained_var"},
    {"critic_starvation", "critic_grad_norm"},
    {"all_negative_batch_collapse", "critic_advantages_mean"},
    {"dis_not_reaching_actor", "pg_clipfrac_absent"},
};

constexpr Pair kWords[] = {
    {"traceback", "tracebacks"},
    {"trainer_crash", "error blocks of the trainer"},
    {"cuda_oom", "lines that tell of a GPU out of memory"},
    {"host_oom", "lines that tell of a host out of memory"},
    {"nccl", "lines that tell of failed communication between GPUs"},
    {"actor_died", "lines that tell of a dead worker"},
    {"engine", "errors of the engine"},
    {"http_auth", "lines that tell of a refused access"},
    {"retry", "lines that tell of another attempt"},
    {"disk_full", "lines that tell of a full disk"},
    {"record_status_failed", "its run record says that it has failed"},
    {"process_gone_since", "when its process was found gone"},
    {"newest_step", "the newest training step, below the planned last one"},
    {"http_auth_lines", "of the last 200 lines tell of a refused access"},
    {"cuda_oom_lines", "of the last 200 lines tell of a GPU out of memory"},
    {"nccl_lines",
     "of the last 200 lines tell of failed communication between GPUs"},
    {"retry_lines", "of the last 200 lines tell of another attempt"},
    {"silence_seconds", "how long nothing has been written"},
    {"log_silence_seconds", "how long its log has been silent"},
    {"record_silence_seconds", "how long its record has not been updated"},
    {"record_age_seconds", "how old its record is"},
    {"no_step_seconds", "how long no step has come"},
    {"nodes", "of its own config"},
    {"engine_replicas", "of its own config"},
};

Advice Find(std::span<const AdviceRow> rows, std::string_view name, Level level,
            const std::vector<Evidence>& evidence, std::string_view own) {
  for (const AdviceRow& row : rows) {
    if (row.name != name || (row.level != Level::kNone && row.level != level))
      continue;
    const bool fits =
        row.key.empty() ||
        std::any_of(evidence.begin(), evidence.end(), [&](const Evidence& e) {
          return e.key.view().find(row.key) != std::string_view::npos;
        });
    if (fits) return {row.cost, row.text};
  }
  // What rules say of a rollback.
  const bool undoes = own.find("oll back") != own.npos;
  return {undoes ? Cost::kIrreversible : Cost::kRead, own};
}

}  // namespace

Advice AdviceOn(const Finding& finding) {
  return Find(FindingAdvice(), finding.name, finding.level, finding.evidence,
              finding.next);
}

Advice AdviceOn(const CheckResult& check) {
  return Find(CheckAdvice(), check.name, Level::kWarning, {}, check.means);
}

bool Covers(const Finding& finding, const CheckResult& check) {
  return finding.level >= Level::kWarning &&
         std::any_of(std::begin(kCovers), std::end(kCovers),
                     [&](const Pair& p) {
                       return p.left == finding.name && p.right == check.name;
                     });
}

std::string_view EvidenceWords(std::string_view key) {
  const auto it = std::find_if(std::begin(kWords), std::end(kWords),
                               [&](const Pair& p) { return p.left == key; });
  return it == std::end(kWords) ? std::string_view() : it->right;
}

}  // namespace rlrun
