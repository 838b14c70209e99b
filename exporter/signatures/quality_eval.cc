// eval_regression: the mean of the main scores over those data sources that
// are present at every validation (a cut line loses some, and a mean over other
// sources is another quantity), from the third validation on. Warning: the mean
// of the last two < the best mean of two in a row - max(0.05, 20 % of it, 4 x
// noise of the validations). Critical: the same against the first validation,
// or against the configured baseline of these scores. Two validations are
// averaged because one is small and noisy; the first validation is the model
// that was started from, and being worse than it means that training has done
// harm. A known false positive: fewer samples per prompt after a resume.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

using Validation = History::Validation;

// Validations that have a main score, the first of the run in front.
std::vector<const Validation*> Scored(const History& history) {
  std::vector<const Validation*> all;
  if (!history.has_scores()) return all;
  const auto& first = history.first_validation();
  if (first && first->frame.finite != 0 &&
      (history.validations().empty() ||
       history.validations().front().frame.step != first->frame.step)) {
    all.push_back(&*first);
  }
  for (const Validation& v : history.validations()) {
    if (v.frame.finite != 0) all.push_back(&v);
  }
  return all;
}

// Data sources that all of them have.
std::vector<std::string_view> Common(
    const std::vector<const Validation*>& all) {
  std::vector<std::string_view> sources;
  for (const MainScore& score : all.back()->scores) {
    const bool everywhere =
        std::all_of(all.begin(), all.end(), [&](const Validation* v) {
          return v->finite(score.source) != nullptr;
        });
    if (everywhere) sources.push_back(score.source);
  }
  return sources;
}

double MeanOf(const Validation& v,
              const std::vector<std::string_view>& sources) {
  double sum = 0;
  for (const std::string_view s : sources) sum += v.finite(s)->value;
  return sum / static_cast<double>(sources.size());
}

// The noise of signatures.md, of the means of validations.
double NoiseOf(std::span<const double> means, double quantum) {
  if (means.size() < 2) return quantum;
  const std::size_t changes = std::min<std::size_t>(64, means.size() - 1);
  std::vector<double> sizes(changes);
  for (std::size_t i = 0; i < changes; ++i) {
    sizes[i] =
        std::abs(means[means.size() - 1 - i] - means[means.size() - 2 - i]);
  }
  return std::max(1.0483 * Median(sizes), quantum);
}

double Bound(const RuleInput& input, double reference, double noise) {
  const auto& o = input.rules.options.quality.eval_regression;
  return reference -
         std::max({o.loss, o.share * std::abs(reference), o.noises * noise});
}

void ClaimScores(Level level, const Validation& newest,
                 const std::vector<std::string_view>& sources, double bound,
                 RuleResult* result) {
  Raise(level, result);
  result->evidence.clear();
  for (const std::string_view s : sources) {
    if (result->evidence.size() == 4) break;
    const MainScore& score = *newest.finite(s);
    result->evidence.push_back(
        {std::string(score.key), newest.frame.step, score.value,
         sources.size() == 1 ? std::optional<double>(bound) : std::nullopt});
  }
}

struct Reference {
  std::vector<std::string_view> sources;
  double value = 0;
};
// What the run was started from: the configured baselines of the scores where
// there are some, else the first validation.
Reference StartOf(const RuleInput& input,
                  const std::vector<const Validation*>& all,
                  const std::vector<std::string_view>& sources) {
  Reference start;
  for (const std::string_view s : sources) {
    const std::string_view key = all.back()->finite(s)->key;
    const auto baseline = input.rules.baseline.find(std::string(key));
    if (baseline == input.rules.baseline.end()) continue;
    start.sources.push_back(s);
    start.value += baseline->second;
  }
  if (start.sources.empty()) return {sources, MeanOf(*all.front(), sources)};
  start.value /= static_cast<double>(start.sources.size());
  return start;
}

// The best mean of two in a row; 1 < size.
double BestPair(std::span<const double> means) {
  double best = (means[0] + means[1]) / 2;
  for (std::size_t i = 2; i < means.size(); ++i) {
    best = std::max(best, (means[i] + means[i - 1]) / 2);
  }
  return best;
}

RuleResult EvalRegression(const RuleInput& input) {
  const std::vector<const Validation*> all = Scored(input.history);
  if (all.empty()) return RuleResult::NotApplicable();
  const auto& o = input.rules.options.quality.eval_regression;
  if (input.history.validations().empty() ||
      all.back() != &input.history.validations().back() ||
      all.size() < std::max<std::size_t>(2, o.validations)) {
    return RuleResult::NotEvaluated();
  }
  const std::vector<std::string_view> sources = Common(all);
  if (sources.empty()) return RuleResult::NotEvaluated();

  std::vector<double> means;
  means.reserve(all.size());
  for (const Validation* v : all) means.push_back(MeanOf(*v, sources));
  const std::size_t n = means.size();
  // The first one may have been carried over a gap: then it pairs with none.
  const auto& first = input.history.first_validation();
  const bool gap = first && all.front() == &*first;
  const auto kept = std::span<const double>(means).subspan(gap ? 1 : 0);
  const double newest = (means[n - 1] + means[n - 2]) / 2;
  const double best = BestPair(kept);
  const double noise = NoiseOf(kept, input.history.quantum());

  RuleResult result = RuleResult::None();
  const double bound = Bound(input, best, noise);
  if (newest < bound) {
    ClaimScores(Level::kWarning, *all.back(), sources, bound, &result);
    AddDetail("mean of two", newest, &result);
    AddDetail("best", best, &result);
  }
  const Reference start = StartOf(input, all, sources);
  const double pair = (MeanOf(*all[n - 1], start.sources) +
                       MeanOf(*all[n - 2], start.sources)) /
                      2;
  const double start_bound = Bound(input, start.value, noise);
  if (pair < start_bound) {
    ClaimScores(Level::kCritical, *all.back(), start.sources, start_bound,
                &result);
    AddDetail("start", start.value, &result);
  }
  return result;
}

constexpr std::array kRules = {
    StepRule{"eval_regression",
             RuleTrigger::kValidation,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             {},
             &EvalRegression,
             "The validation score has fallen below what the run had reached "
             "before, or below where it started.",
             "Keep the checkpoint of the best validation; compare with the "
             "training reward before going on."},
};

}  // namespace

std::span<const StepRule> EvalRules() { return kRules; }

}  // namespace rlrun
