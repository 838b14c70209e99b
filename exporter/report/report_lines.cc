#include "exporter/report/report_lines.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

constexpr std::size_t kTrendSteps = 10;
constexpr std::size_t kMaxValidationValues = 8;

// Shown when present, without a bound.
constexpr std::array<std::string_view, 3> kAlsoKeys = {
    "fully_async/processing_time/tp99",
    "fully_async/count/dropped_stale_samples",
    "fully_async/trainer/idle_ratio"};

// Builds the lines of values of one report.
class LineMaker {
 public:
  LineMaker(const ReportInput& input, RunReport* report)
      : input_(input), report_(report) {}

  void MakeAll() {
    Reward();
    Grads();
    Critic();
    Trajectories();
    Validation();
    Also();
  }

 private:
  bool Add(ReportLine* line, std::string_view key,
           std::string_view label = {}) const {
    const std::optional<double> value = input_.run.steps.Value(key);
    if (!value) return false;
    line->values.push_back({RepairUtf8(label.empty() ? key : label),
                            RepairUtf8(key), *value, std::nullopt});
    return true;
  }
  bool Add(ReportLine* line, Role role, std::string_view label = {}) const {
    const std::string_view key = input_.history.key(role);
    return !key.empty() && Add(line, key, label);
  }
  void Keep(ReportLine line) {
    if (line.values.empty() && line.note.empty()) return;
    report_->lines.push_back(std::move(line));
  }

  void Reward() {
    ReportLine line{"reward", {}, {}};
    const Role role = Add(&line, Role::kReward) ? Role::kReward : Role::kScore;
    if (role == Role::kScore && !Add(&line, Role::kScore)) {
      Add(&line, Role::kTrainLoss);
      Keep(std::move(line));
      return;
    }
    const auto values = input_.history.series(role).values();
    const std::size_t n = std::min(values.size(), kTrendSteps);
    if (n >= 2) {
      report_->reward_trend = TrendOf(values.last(n));
      line.note = "(last " + std::to_string(n) +
                  " steps: " + std::string(TrendName(*report_->reward_trend)) +
                  ")";
    }
    Keep(std::move(line));
  }

  void Grads() {
    ReportLine line{"grads", {}, {}};
    if (!Add(&line, Role::kActorGradNorm)) Add(&line, Role::kTrainGradNorm);
    if (!Add(&line, Role::kActorLr)) Add(&line, "train/lr");
    const bool bypass = input_.run.mode == RunMode::kSao;
    if (!Add(&line, Role::kPearson, "pearson") && bypass) {
      line.note = "pearson=n/a (bypass mode)";
    }
    Keep(std::move(line));
  }

  void Critic() {
    if (input_.run.mode != RunMode::kSao) return;
    ReportLine line{"critic", {}, {}};
    Add(&line, Role::kExplainedVariance, "vf_explained_var");
    Add(&line, Role::kCriticGradNorm, "grad_norm");
    Add(&line, Role::kEffectiveSampleSize, "ESS");
    Keep(std::move(line));
  }

  void Trajectories() {
    ReportLine line{"traj", {}, {}};
    Add(&line, Role::kTurns);
    Add(&line, Role::kInvalidRatio, "invalid_ratio");
    Add(&line, Role::kEnvSetupFailed, "env_setup_failed");
    Add(&line, Role::kTimeout, "timeout");
    Keep(std::move(line));
  }

  void Validation() {
    ReportLine line{"val", {}, {}};
    const auto& validations = input_.history.validations();
    if (!validations.empty()) {
      const auto& newest = validations.back();
      for (const auto& [source, value] : newest.scores) {
        if (line.values.size() == kMaxValidationValues) break;
        const auto key = newest.keys.find(source);
        const std::string name =
            RepairUtf8(key == newest.keys.end() ? source : key->second);
        line.values.push_back({name, name, value, newest.frame.step});
      }
      const std::size_t more = newest.scores.size() - line.values.size();
      if (more != 0) line.note = "and " + std::to_string(more) + " more";
      if (newest.frame.scores != newest.frame.finite) {
        line.note += (line.note.empty() ? "" : "; ") +
                     std::to_string(newest.frame.scores - newest.frame.finite) +
                     " not finite";
      }
    } else if (!Add(&line, Role::kValLoss)) {
      NoValidationYet(&line);
    }
    Keep(std::move(line));
  }

  void NoValidationYet(ReportLine* line) const {
    if (!input_.run.facts || !input_.run.facts->test_freq) return;
    const std::int64_t every = *input_.run.facts->test_freq;
    const auto step = input_.run.steps.last_step(LineClass::kTrain);
    if (every <= 0) {
      line->note = "no validation planned";
    } else if (step.value_or(0) < every) {
      line->note = "test_freq not reached yet (" + std::to_string(every) + ")";
    } else {
      line->note = "none yet, test_freq is " + std::to_string(every);
    }
  }

  void Also() {
    ReportLine line{"also", {}, {}};
    for (const std::string_view key : kAlsoKeys) Add(&line, key);
    for (const auto& [key, target] : input_.rules.target) {
      if (!Add(&line, key)) continue;
      line.note += (line.note.empty() ? "target " : ", ") + key + "=" +
                   ReportNumber(target);
    }
    Keep(std::move(line));
  }

  const ReportInput& input_;
  RunReport* report_;
};

}  // namespace

void FillReportLines(const ReportInput& input, RunReport* report) {
  LineMaker(input, report).MakeAll();
}

}  // namespace rlrun
