#include "exporter/app/first_step.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "exporter/app/step_trail.h"

namespace rlrun {
namespace {

constexpr std::size_t kMostValues = 128;
// Shorter times agree by chance.
constexpr double kTelling = 0.1;
constexpr int kRoundedDigits = 4;
constexpr std::size_t kMostTimes = 8;

bool IsMeasured(std::string_view key) {
  return key.starts_with("timing_s/") ||
         key.find("time") != std::string_view::npos;
}

bool Agree(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <=
         std::max(FirstStep::kAbsolute,
                  relative * std::max(std::abs(a), std::abs(b)));
}

}  // namespace

void FirstStep::Note(const StepRecord& record) {
  if (closed_ || record.cut) return;
  if (step_ && *step_ != record.step) {
    closed_ = record.step < *step_ || record.step > *step_ + ahead_;
    return;
  }
  step_ = record.step;
  const bool may_round = record.dialect == KeyDialect::kTrl ||
                         record.dialect == KeyDialect::kTrlSft;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (values_.size() == kMostValues) break;
    rounded_ = rounded_ && may_round &&
               SignificantDigits(pair.value) <= kRoundedDigits;
    Value value{std::hash<std::string_view>{}(key), pair.value, false};
    value.measured = IsMeasured(key) && std::isfinite(pair.value);
    const auto it = std::lower_bound(
        values_.begin(), values_.end(), value.key,
        [](const Value& v, std::uint64_t k) { return v.key < k; });
    if (it != values_.end() && it->key == value.key) {
      it->value = value.value;
    } else {
      values_.insert(it, value);
    }
  }
}

std::vector<std::pair<std::uint64_t, double>> FirstStep::TellingTimes() const {
  std::vector<std::pair<std::uint64_t, double>> out;
  for (const Value& v : values_) {
    if (out.size() == kMostTimes) break;
    if (v.measured && v.value >= kTelling) out.emplace_back(v.key, v.value);
  }
  return out;
}

FirstStep::Match FirstStep::Compare(const FirstStep& other) const {
  if (!step_ || step_ != other.step_) return Match::kUnknown;
  const bool rounded = rounded_ || other.rounded_;
  const double relative = rounded ? kRounded : kRelative;
  bool same = false;
  auto it = other.values_.begin();
  for (const Value& mine : values_) {
    while (it != other.values_.end() && it->key < mine.key) ++it;
    if (it == other.values_.end()) break;
    if (it->key != mine.key) continue;
    if (!Agree(mine.value, it->value, relative)) return Match::kDifferent;
    // Two runs of a seed may well agree in four digits of a time.
    same = same || (!rounded && mine.measured && mine.value >= kTelling);
  }
  return same ? Match::kSame : Match::kUnknown;
}

}  // namespace rlrun
