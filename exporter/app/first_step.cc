#include "exporter/app/first_step.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace rlrun {
namespace {

constexpr std::size_t kMostValues = 128;
// Shorter times agree by chance.
constexpr double kTelling = 0.1;

bool IsMeasured(std::string_view key) {
  return key.starts_with("timing_s/") ||
         key.find("time") != std::string_view::npos;
}

bool Agree(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <=
         std::max(FirstStep::kAbsolute,
                  FirstStep::kRelative * std::max(std::abs(a), std::abs(b)));
}

}  // namespace

void FirstStep::Note(const StepRecord& record) {
  if (closed_ || record.cut) return;
  if (step_ && *step_ != record.step) {
    closed_ = true;
    return;
  }
  step_ = record.step;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (values_.size() == kMostValues) break;
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
    if (value.measured) longest_ = std::max(longest_, value.value);
  }
}

FirstStep::Match FirstStep::Compare(const FirstStep& other) const {
  if (!step_ || step_ != other.step_) return Match::kUnknown;
  bool same = false;
  auto it = other.values_.begin();
  for (const Value& mine : values_) {
    while (it != other.values_.end() && it->key < mine.key) ++it;
    if (it == other.values_.end()) break;
    if (it->key != mine.key) continue;
    if (!Agree(mine.value, it->value)) return Match::kDifferent;
    same = same || (mine.measured && mine.value >= kTelling);
  }
  return same ? Match::kSame : Match::kUnknown;
}

}  // namespace rlrun
