#include "exporter/signatures/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace rlrun {
namespace {

constexpr std::size_t kFirst = 10;  // points that T and kMaxLate leave out
constexpr std::size_t kCarriedPoints = 224;  // more than a rule looks back
constexpr std::size_t kUsual = 64;           // points of T and of the noise
constexpr std::size_t kLeast = 20;           // points that T needs
constexpr std::uint8_t kLongSpike = 2;  // spikes in a row that T leaves out
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The size at which a vector of the newest `capacity` elements is cut again.
std::size_t MostOf(std::size_t capacity) {
  return capacity + std::max<std::size_t>(8, capacity / 32);
}

template <class T>
void KeepNewest(std::size_t count, std::vector<T>* v) {
  if (v->size() <= count) return;
  v->erase(v->begin(), v->end() - static_cast<std::ptrdiff_t>(count));
}

// The vector grows to what it may need and not beyond it.
template <class T>
void Append(T x, std::size_t capacity, std::vector<T>* v) {
  if (v->size() == v->capacity()) {
    v->reserve(
        std::min(MostOf(capacity), std::max<std::size_t>(16, v->size() * 2)));
  }
  v->push_back(x);
}

// Median of a copy of a short span.
double MedianOf(std::span<const double> values) {
  if (values.size() <= kUsual) {
    std::array<double, kUsual> copy;
    std::copy(values.begin(), values.end(), copy.begin());
    return Median(std::span(copy).first(values.size()));
  }
  std::vector<double> copy(values.begin(), values.end());
  return Median(copy);
}

}  // namespace

void Series::Add(std::int64_t step, double value) {
  if (capacity_ == 0) return;
  if (values_.size() >= MostOf(capacity_)) Trim();
  if (first_.size() < kFirst && first_.size() == count()) {
    first_.reserve(kFirst);
    first_steps_.reserve(kFirst);
    first_.push_back(value);
    first_steps_.push_back(static_cast<std::int32_t>(step));
    if (first_.size() == kOfF) f_ = *First(kOfF);
  }
  Append(value, capacity_, &values_);
  Append(static_cast<std::int32_t>(step), capacity_, &steps_);
  if (!spikes_.empty()) Append(std::uint8_t{0}, capacity_, &spikes_);
  AddCarried(value);
}

void Series::Trim() {
  dropped_ += values_.size() - capacity_;
  KeepNewest(capacity_, &values_);
  KeepNewest(capacity_, &steps_);
  KeepNewest(capacity_, &spikes_);
}

void Series::AddCarried(double value) {
  if (carried_bits_ == 0) return;
  const auto column = [this](Carried c) -> std::vector<double>* {
    if ((carried_bits_ & CarriedBit(c)) == 0) return nullptr;
    return &columns_[ColumnOf(c)];
  };
  // fmin and fmax take the other operand where one is NaN.
  const auto add = [&](Carried c, double x, auto best) {
    std::vector<double>* v = column(c);
    if (v == nullptr) return;
    if (!v->empty()) x = best(v->back(), x);
    const std::size_t capacity = std::min(capacity_, kCarriedPoints);
    if (v->size() >= MostOf(capacity)) KeepNewest(capacity, v);
    Append(x, capacity, v);
  };
  const auto least = [](double a, double b) { return std::fmin(a, b); };
  const auto most = [](double a, double b) { return std::fmax(a, b); };
  const auto newest = [](double, double b) { return b; };
  const auto any = [this](std::initializer_list<Carried> list) {
    std::uint16_t bits = 0;
    for (Carried c : list)
      bits = static_cast<std::uint16_t>(bits | CarriedBit(c));
    return (carried_bits_ & bits) != 0;
  };
  double m10 = kNan, m50 = kNan;
  if (any({Carried::kM10, Carried::kMaxM10})) m10 = M(10).value_or(kNan);
  if (any({Carried::kM50, Carried::kMinM50, Carried::kMaxM50})) {
    m50 = M(50).value_or(kNan);
  }
  add(Carried::kM10, m10, newest);
  add(Carried::kM50, m50, newest);
  add(Carried::kMin, value, least);
  add(Carried::kMax, value, most);
  add(Carried::kMaxLate, count() > kFirst ? value : kNan, most);
  add(Carried::kMaxM10, m10, most);
  add(Carried::kMinM50, m50, least);
  add(Carried::kMaxM50, m50, most);
  if (any({Carried::kNoise})) {
    add(Carried::kNoise, JitterBefore(values_.size()).value_or(kNan), newest);
  }
}

void Series::DropFrom(std::int64_t step) {
  std::size_t keep = steps_.size();
  while (keep > 0 && steps_[keep - 1] >= step) --keep;
  if (keep == steps_.size()) return;
  const std::size_t gone = steps_.size() - keep;
  values_.resize(keep);
  steps_.resize(keep);
  if (!spikes_.empty()) spikes_.resize(keep);
  std::size_t first = first_steps_.size();
  while (first > 0 && first_steps_[first - 1] >= step) --first;
  first_.resize(first);
  first_steps_.resize(first);
  if (keep == 0 && dropped_ != 0) return Restart();
  if (carried_bits_ == 0) return;
  if (gone >= columns_.front().size()) return RebuildCarried();
  for (std::vector<double>& column : columns_) {
    column.resize(column.size() - gone);
  }
}

void Series::RebuildCarried() {
  for (std::vector<double>& column : columns_) column.clear();
  for (const double value : std::exchange(values_, {})) {
    Append(value, capacity_, &values_);
    AddCarried(value);
  }
}

// All kept points are gone, older ones are known no more: what is left of the
// run are its first ten points.
void Series::Restart() {
  const std::vector<double> values = std::move(first_);
  const std::vector<std::int32_t> steps = std::move(first_steps_);
  Clear();
  for (std::size_t i = 0; i < values.size(); ++i) Add(steps[i], values[i]);
}

void Series::MarkSpike() {
  if (values_.empty()) return;
  if (spikes_.empty()) spikes_.resize(values_.size());
  const std::size_t at = values_.size() - 1;
  const std::uint8_t before = at == 0 ? std::uint8_t{0} : spikes_[at - 1];
  spikes_[at] = before == 255 ? before : static_cast<std::uint8_t>(before + 1);
}

bool Series::spike(std::size_t back) const {
  return back < spikes_.size() && spikes_[spikes_.size() - 1 - back] != 0;
}

void Series::Clear() {
  dropped_ = 0;
  values_.clear();
  steps_.clear();
  spikes_.clear();
  for (std::vector<double>& column : columns_) column.clear();
  first_.clear();
  first_steps_.clear();
}

std::optional<double> Series::M(std::size_t k, std::size_t skip) const {
  if (k == 0 || values_.size() < k + skip) return std::nullopt;
  return MedianOf(values().subspan(values_.size() - skip - k, k));
}

std::optional<double> Series::First(std::size_t k) const {
  if (k == 0 || first_.size() < k) return std::nullopt;
  return MedianOf(std::span(first_).first(k));
}

std::optional<double> Series::T(std::size_t k) const {
  if (values_.size() < k + kLeast) return std::nullopt;
  const std::size_t end = values_.size() - k;
  std::size_t begin = end > kUsual ? end - kUsual : 0;
  if (dropped_ < kFirst) begin = std::max(begin, kFirst - dropped_);
  std::array<double, kUsual> points;
  std::size_t size = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const bool short_spike =
        !spikes_.empty() && spikes_[i] != 0 && spikes_[i] <= kLongSpike;
    if (!short_spike) points[size++] = values_[i];
  }
  if (size < kLeast) return std::nullopt;
  return Median(std::span(points).first(size));
}

std::optional<double> Series::U(std::size_t k) const {
  const std::optional<double> f = F();
  if (!f) return std::nullopt;
  return std::max(*f, T(k).value_or(*f));
}

std::optional<double> Series::Noise(double quantum, std::size_t skip) const {
  if (values_.size() < 2 + skip) return std::nullopt;
  const std::span<const double> known = carried(Carried::kNoise);
  const double jitter = skip < known.size()
                            ? known[known.size() - 1 - skip]
                            : *JitterBefore(values_.size() - skip);
  return std::max(jitter, quantum);
}

std::optional<double> Series::JitterBefore(std::size_t end) const {
  if (end < 2) return std::nullopt;
  const std::size_t changes = std::min(kUsual, end - 1);
  std::array<double, kUsual> points;
  for (std::size_t i = 0; i < changes; ++i) {
    points[i] = std::abs(values_[end - 1 - i] - values_[end - 2 - i]);
  }
  return 1.0483 * Median(std::span(points).first(changes));
}

double Spread(std::span<const double> values, double quantum) {
  std::vector<double> copy(values.begin(), values.end());
  const double median = Median(copy);
  for (std::size_t i = 0; i < copy.size(); ++i) {
    copy[i] = std::abs(values[i] - median);
  }
  return std::max({1.4826 * Median(copy), 0.02 * std::abs(median), quantum});
}

}  // namespace rlrun
