#include "exporter/report/report_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/exposition/text.h"
#include "exporter/report/trend.h"

namespace rlrun {
namespace {

constexpr std::size_t kTrendSteps = 10;
constexpr std::size_t kMaxValidationValues = 8;
constexpr std::size_t kMostSources = 32;  // kept of a validation

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

  // `(last 10 steps: rising)`; with too few points nothing is said. Where the
  // newest value is no number: `(10 steps to step 30: rising)`.
  std::optional<Trend> TrendOfRole(Role role, std::string* note) const {
    const Series& series = input_.history.series(role);
    const auto values = series.values();
    const std::size_t n = std::min(values.size(), kTrendSteps);
    if (n < kLeastTrendValues) return std::nullopt;
    const Trend trend = TrendOf(values.last(n));
    const std::optional<double> newest = input_.history.newest().value(role);
    const bool to_newest = !newest || std::isfinite(*newest);
    *note = (to_newest ? "(last " + std::to_string(n) + " steps: "
                       : "(" + std::to_string(n) + " steps to step " +
                             std::to_string(series.newest_step()) + ": ") +
            std::string(TrendName(trend)) + ")";
    return trend;
  }

  void Reward() {
    ReportLine line{"reward", {}, {}};
    for (const Role role : {Role::kReward, Role::kScore}) {
      if (!Add(&line, role)) continue;
      report_->reward_trend = TrendOfRole(role, &line.note);
      break;
    }
    Keep(std::move(line));
  }

  void Grads() {
    ReportLine line{"grads", {}, {}};
    if (!Add(&line, Role::kActorGradNorm)) Add(&line, Role::kTrainGradNorm);
    if (!Add(&line, Role::kActorLr)) AddSupervisedRate(&line);
    const bool bypass = input_.run.mode == RunMode::kSao;
    if (!Add(&line, Role::kPearson, "pearson") && bypass) {
      line.note = "pearson=n/a (bypass mode)";
    }
    Keep(std::move(line));
  }

  // `train/lr`, or with the unit that some print: `train/lr(1e-3)`; of others
  // `train/lr-pg_0`, `learning_rate`.
  void AddSupervisedRate(ReportLine* line) const {
    std::string found;
    input_.run.steps.ForEachCurrent([&](std::string_view key, double) {
      if (key == "train/lr" || key.starts_with("train/lr(") ||
          key == "train/lr-pg_0" || key == "learning_rate") {
        found = key;
      }
    });
    if (!found.empty()) Add(line, found);
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
    if (const auto& trials = report_->trials) {
      line.note = trials->complete
                      ? "(trials: " + std::to_string(trials->scored) + "/" +
                            std::to_string(trials->finished) + " scored)"
                      : "(trials: not all read yet)";
    }
    Keep(std::move(line));
  }

  void Validation() {
    ReportLine line{"val", {}, {}};
    const auto& validations = input_.history.validations();
    if (!validations.empty() && !validations.back().scores.empty()) {
      Scores(validations.back(), &line);
    } else if (Add(&line, Role::kValLoss)) {
      line.values.back().step = input_.run.steps.last_step(LineClass::kVal);
    } else if (!validations.empty()) {
      line.note = "no main score at step " +
                  std::to_string(validations.back().frame.step);
    } else {
      NoValidationYet(&line);
    }
    Keep(std::move(line));
  }

  // The main scores of a validation, those that are no number among them.
  void Scores(const rlrun::Validation& validation, ReportLine* line) const {
    for (const MainScore& score : validation.scores) {
      if (line->values.size() == kMaxValidationValues) break;
      const std::string name = RepairUtf8(score.key);
      line->values.push_back({name, name, score.value, validation.frame.step});
    }
    const std::size_t more = validation.scores.size() - line->values.size();
    // No more of them are kept.
    const bool all = validation.scores.size() < kMostSources;
    if (more != 0) {
      line->note = std::string(all ? "and " : "and at least ") +
                   std::to_string(more) + " more";
    }
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
    // Supervised training has no reward.
    if (Add(&line, Role::kTrainLoss)) TrendOfRole(Role::kTrainLoss, &line.note);
    std::string targets;
    for (const auto& [key, target] : input_.rules.target) {
      if (!IsShown(key) && !Add(&line, key)) continue;
      targets += " " + RepairUtf8(key) + "=" + ReportNumber(target);
    }
    if (!targets.empty()) {
      line.note += (line.note.empty() ? "target" : "  target") + targets;
    }
    Keep(std::move(line));
  }
  // By an earlier line; those are told apart by their keys.
  bool IsShown(std::string_view key) const {
    for (const ReportLine& line : report_->lines) {
      for (const ReportValue& value : line.values) {
        if (value.key == key) return true;
      }
    }
    return false;
  }

  const ReportInput& input_;
  RunReport* report_;
};

}  // namespace

void FillReportLines(const ReportInput& input, RunReport* report) {
  LineMaker(input, report).MakeAll();
}

}  // namespace rlrun
