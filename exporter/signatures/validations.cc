#include "exporter/signatures/validations.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rlrun {
namespace {

constexpr std::size_t kMaxValidations = 64;
constexpr std::size_t kMaxSources = 32;
constexpr std::size_t kMaxTexts = 1024;
constexpr std::string_view kCore = "val-core/";
constexpr std::string_view kTestScore = "val/test_score/";
constexpr std::string_view kTestScoreEnd = "/test_score";
constexpr std::string_view kEval = "eval/";  // slime, miles

// `<source>/<acc or reward>/mean@N`.
std::optional<MainScoreKey> ParseCoreKey(std::string_view key) {
  constexpr std::string_view kMean = "mean@";
  const std::size_t statistic = key.rfind('/');
  if (statistic == std::string_view::npos || statistic == 0) return {};
  std::string_view samples = key.substr(statistic + 1);
  if (!samples.starts_with(kMean)) return {};
  samples.remove_prefix(kMean.size());
  MainScoreKey score;
  const char* const end = samples.data() + samples.size();
  const auto read = std::from_chars(samples.data(), end, score.samples);
  if (read.ec != std::errc() || read.ptr != end) return {};
  const std::size_t variable = key.rfind('/', statistic - 1);
  if (variable == std::string_view::npos || variable == 0) return {};
  const auto name = key.substr(variable + 1, statistic - variable - 1);
  if (name != "acc" && name != "reward") return {};
  score.accuracy = name == "acc";
  score.source = key.substr(0, variable);
  return score;
}

// `<source>` of slime: the mean reward. What else is said of a source has its
// name in front.
std::optional<MainScoreKey> ParseEvalKey(std::string_view key) {
  if (key.empty() || key.find('/') != std::string_view::npos ||
      key.ends_with("-truncated_ratio") ||
      key.ends_with("-none_reward_ratio") ||
      key.find("-pass@") != std::string_view::npos ||
      key.starts_with("skipped_") || key == "step") {
    return std::nullopt;
  }
  return MainScoreKey{key, 0, false};
}

// What a validation amounts to, from its scores.
void Sum(Validation* validation) {
  ValidationFrame& frame = validation->frame;
  frame.scores = validation->scores.size();
  frame.finite = 0;
  frame.all_zero = !validation->scores.empty();
  for (const MainScore& score : validation->scores) {
    if (score.finite()) ++frame.finite;
    if (score.value != 0) frame.all_zero = false;
  }
}

// Where the data source is, or would be.
template <class Scores>
auto PlaceOf(std::string_view source, Scores* scores) {
  return std::lower_bound(scores->begin(), scores->end(), source,
                          [](const MainScore& score, std::string_view name) {
                            return score.source < name;
                          });
}

}  // namespace

std::optional<MainScoreKey> ParseMainScoreKey(std::string_view key) {
  if (key.starts_with(kCore)) return ParseCoreKey(key.substr(kCore.size()));
  if (key.starts_with(kEval)) return ParseEvalKey(key.substr(kEval.size()));
  if (key == "eval_reward") return MainScoreKey{"eval", 0, false};
  if (!key.starts_with("val/")) return {};
  if (key.starts_with(kTestScore))
    key.remove_prefix(kTestScore.size());
  else if (key.ends_with(kTestScoreEnd)) {
    key.remove_prefix(4);
    key.remove_suffix(std::min(key.size(), kTestScoreEnd.size()));
  } else {
    return {};
  }
  if (key.empty()) return {};
  return MainScoreKey{key, 0, true};
}

const MainScore* Validation::finite(std::string_view source) const {
  const auto place = PlaceOf(source, &scores);
  const bool known = place != scores.end() && place->source == source;
  return known && place->finite() ? &*place : nullptr;
}

bool Validations::Apply(const StepRecord& record, std::int64_t step) {
  Validation* validation = nullptr;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (!IsValidationKeyOf(record, key)) continue;
    if (validation == nullptr) {
      if (!list_.empty() && list_.back().frame.step > step) {
        fresh_ = false;
        DropFrom(step);
      }
      if (list_.empty() || list_.back().frame.step != step) {
        list_.emplace_back().frame.step = step;
        if (list_.size() > kMaxValidations) list_.pop_front();
      }
      validation = &list_.back();
      fresh_ = true;
    }
    Take(key, pair.value, validation);
  }
  if (validation == nullptr) return false;
  Sum(validation);
  scored_ = scored_ || validation->frame.scores != 0;
  if (!first_ || first_->frame.step >= step) first_ = *validation;
  return true;
}

void Validations::Take(std::string_view key, double value,
                       Validation* validation) {
  if (key == "val-aux/num_turns/max") validation->frame.turns_max = value;
  const std::optional<MainScoreKey> score = ParseMainScoreKey(key);
  if (!score) return;
  std::vector<MainScore>& scores = validation->scores;
  const auto place = PlaceOf(score->source, &scores);
  const bool known = place != scores.end() && place->source == score->source;
  if (known && place->key != key) {
    const MainScoreKey before = *ParseMainScoreKey(place->key);
    if (score->samples < before.samples ||
        (score->samples == before.samples && before.accuracy)) {
      return;
    }
  }
  if (!known && scores.size() == kMaxSources) return;
  const std::string_view source = Intern(score->source);
  const std::string_view text = Intern(key);
  if (source.empty() || text.empty()) return;
  if (known) {
    *place = {source, text, value};
  } else {
    scores.insert(place, {source, text, value});
  }
}

void Validations::DropFrom(std::int64_t step) {
  const bool keep_newest =
      fresh_ && !list_.empty() && list_.back().frame.step == step;
  while (!list_.empty() && list_.back().frame.step >= step + keep_newest) {
    list_.pop_back();
  }
  if (first_ && first_->frame.step >= step + keep_newest) first_.reset();
}

// Empty: too many texts.
std::string_view Validations::Intern(std::string_view text) {
  const auto found = index_.find(text);
  if (found != index_.end()) return found->second;
  if (index_.size() >= kMaxTexts) return {};
  if (!texts_) texts_ = std::make_shared<std::deque<std::string>>();
  const std::string_view kept = texts_->emplace_back(text);
  index_.emplace(kept, kept);
  return kept;
}

}  // namespace rlrun
