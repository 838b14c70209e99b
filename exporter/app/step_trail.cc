#include "exporter/app/step_trail.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>

namespace rlrun {
namespace {

constexpr int kRoundedDigits = 4;
constexpr double kFloat = 1e-6;      // relative, of 32-bit floats
constexpr double kRounded = 5.1e-4;  // relative, of four digits

// The same in every run of one configuration, or in none.
bool IsOfSchedule(std::string_view key) {
  const auto has = [key](std::string_view part) {
    return key.find(part) != std::string_view::npos;
  };
  return has("learning_rate") || has("epoch") || has("lr") || has("tokens") ||
         has("time") || has("per_second") || has("flos") || has("step");
}

bool Agree(double a, double b, double slack) {
  if (!std::isfinite(a) || !std::isfinite(b)) {
    return a == b || (std::isnan(a) && std::isnan(b));
  }
  return std::abs(a - b) <= slack * std::max(std::abs(a), std::abs(b));
}

}  // namespace

int SignificantDigits(double value) {
  std::array<char, 32> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(),
                    static_cast<float>(value), std::chars_format::scientific);
  if (error != std::errc() || !std::isfinite(value)) return 0;
  const char* const begin = text.data();
  const char* const exponent =
      std::find(begin, static_cast<const char*>(end), 'e');
  return static_cast<int>(std::count_if(
      begin, exponent, [](char c) { return c >= '0' && c <= '9'; }));
}

void StepTrail::Note(const StepRecord& record, std::optional<double> time) {
  if (record.cut || record.step < 0) return;
  if (record.step < newest_) {
    std::erase_if(steps_, [&](const Step& s) { return s.step >= record.step; });
    ++version_;
  }
  newest_ = record.step;
  const auto is_kept = [&] {
    return steps_.size() < kFirstSteps || record.step % stride_ == 0 ||
           steps_.back().step == record.step;
  };
  if (!is_kept()) return;
  if (steps_.empty() || steps_.back().step != record.step) {
    if (steps_.size() == kMostSteps) Thin();
    if (!is_kept()) return;
    steps_.push_back({record.step, time, {}});
    // Whoever looks at the trail need not look at each of its steps.
    const std::size_t size = steps_.size();
    if (size <= kEnough || std::has_single_bit(size)) ++version_;
  }
  Step& step = steps_.back();
  if (!step.time) step.time = time;
  for (const StepRecord::Pair& pair : record.pairs) {
    Add(record.Key(pair), pair.value, &step);
  }
}

void StepTrail::Add(std::string_view key, double value, Step* step) {
  if (IsOfSchedule(key)) return;
  const auto hash = static_cast<std::uint32_t>(
      std::hash<std::string_view>{}(key)*0x9e3779b97f4a7c15u >> 32);
  const auto at = std::lower_bound(
      step->values.begin(), step->values.end(), hash,
      [](const Value& v, std::uint32_t k) { return v.key < k; });
  if (at != step->values.end() && at->key == hash) {
    at->value = static_cast<float>(value);
  } else if (step->values.size() < kMostValues || at != step->values.end()) {
    step->values.insert(at, {hash, static_cast<float>(value)});
    if (step->values.size() > kMostValues) step->values.pop_back();
  }
  rounded_ = rounded_ && SignificantDigits(value) <= kRoundedDigits;
}

void StepTrail::Thin() {
  while (steps_.size() == kMostSteps) {
    stride_ *= 2;
    const auto first = steps_.begin() + kFirstSteps;
    steps_.erase(
        std::remove_if(first, steps_.end(),
                       [this](const Step& s) { return s.step % stride_ != 0; }),
        steps_.end());
  }
}

bool StepTrail::timed() const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [](const Step& s) { return s.time.has_value(); });
}

StepTrail::Likeness StepTrail::Compare(const StepTrail& other) const {
  Likeness out;
  const double slack = rounded_ || other.rounded_ ? kRounded : kFloat;
  const Step* before = nullptr;
  auto theirs = other.steps_.begin();
  for (const Step& mine : steps_) {
    while (theirs != other.steps_.end() && theirs->step < mine.step) ++theirs;
    if (theirs == other.steps_.end()) break;
    if (theirs->step != mine.step) continue;
    ++out.common;
    if (mine.time && theirs->time) {
      out.lag =
          std::max(out.lag.value_or(0), std::abs(*mine.time - *theirs->time));
    }
    bool tells = false;
    auto value = theirs->values.begin();
    auto last = before == nullptr ? mine.values.end() : before->values.begin();
    for (const Value& v : mine.values) {
      while (value != theirs->values.end() && value->key < v.key) ++value;
      if (value == theirs->values.end()) break;
      if (value->key != v.key) continue;
      if (!Agree(v.value, value->value, slack)) {
        out.differ = true;
        return out;
      }
      if (tells) continue;
      bool moved = true;
      if (before != nullptr) {
        while (last != before->values.end() && last->key < v.key) ++last;
        moved = last == before->values.end() || last->key != v.key ||
                last->value != v.value;
      }
      tells = moved && SignificantDigits(v.value) >= kRoundedDigits;
    }
    if (tells) ++out.steps;
    before = &mine;
  }
  return out;
}

std::optional<double> StepTrail::TimeAt(std::int64_t step) const {
  const Step* left = nullptr;  // the two nearest of those with a time
  const Step* right = nullptr;
  for (const Step& s : steps_) {
    if (!s.time) continue;
    if (s.step == step) return s.time;
    if (right != nullptr && right->step > step) break;
    left = right;
    right = &s;
  }
  if (left == nullptr || right == nullptr) return std::nullopt;
  const double from = *left->time;
  return from + (*right->time - from) /
                    static_cast<double>(right->step - left->step) *
                    static_cast<double>(step - left->step);
}

double StepTrail::pace() const {
  const Step* first = nullptr;
  const Step* last = nullptr;
  for (const Step& s : steps_) {
    if (!s.time) continue;
    if (first == nullptr) first = &s;
    last = &s;
  }
  if (first == last) return 0;
  return std::max(0.0, (*last->time - *first->time) /
                           static_cast<double>(last->step - first->step));
}

}  // namespace rlrun
