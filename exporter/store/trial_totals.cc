#include "exporter/store/trial_totals.h"

#include <algorithm>
#include <cmath>

namespace rlrun {
namespace {

constexpr std::size_t kMaxDropReasons = 20;
constexpr double kLargestPart = 1e6;

void CountName(std::string_view name, std::uint64_t n, std::size_t most,
               std::map<std::string, std::uint64_t, std::less<>>* counts) {
  auto it = counts->find(name);
  if (it == counts->end() && counts->size() >= most) {
    it = counts->find(kOtherTrials);
    name = kOtherTrials;
  }
  if (it == counts->end()) it = counts->emplace(std::string(name), 0).first;
  it->second += n;
}

}  // namespace

void ExactSum::Add(double value) {
  AddBillionths(
      std::llround(std::clamp(value, -kLargestPart, kLargestPart) * 1e9));
}

void ExactSum::Add(const ExactSum& other) { AddBillionths(other.billionths_); }

void ExactSum::AddBillionths(std::int64_t n) {
  constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;
  if (n > 0 ? billionths_ > kLargest - n : billionths_ < -kLargest - n) {
    billionths_ = n > 0 ? kLargest : -kLargest;
  } else {
    billionths_ += n;
  }
}

std::uint64_t TrialSplitTotals::finished_all() const {
  std::uint64_t n = 0;
  for (const std::uint64_t f : finished) n += f;
  return n;
}

void TrialSplitTotals::Count(const TrialResult& trial) {
  ++finished[static_cast<std::size_t>(trial.reason)];
  if (trial.reward) {
    ++scored;
    if (*trial.reward > 0) ++solved;
    rewards.Observe(kTrialRewardBounds, *trial.reward);
  }
  for (std::size_t i = 0; i < kTrialStages; ++i) {
    if (trial.seconds[i]) {
      seconds[i].Observe(kTrialSecondsBounds, *trial.seconds[i]);
    }
  }
  if (!trial.exception.empty()) {
    CountName(trial.exception, 1, kMaxTrialExceptions, &exceptions);
  }
  for (std::size_t i = 0; i < kTrialTokenKinds; ++i) {
    tokens[i] += trial.tokens[i].value_or(0);
  }
}

void TrialSplitTotals::CountDropped(std::string_view reason) {
  CountName(reason, 1, kMaxDropReasons, &dropped);
}

void TrialSplitTotals::Add(const TrialSplitTotals& other) {
  for (std::size_t i = 0; i < kTrialReasons; ++i) {
    finished[i] += other.finished[i];
  }
  scored += other.scored;
  solved += other.solved;
  rewards.Add(other.rewards);
  for (std::size_t i = 0; i < kTrialStages; ++i) {
    seconds[i].Add(other.seconds[i]);
  }
  for (const auto& [type, n] : other.exceptions) {
    CountName(type, n, kMaxTrialExceptions, &exceptions);
  }
  for (std::size_t i = 0; i < kTrialTokenKinds; ++i) {
    tokens[i] += other.tokens[i];
  }
  for (const auto& [reason, n] : other.dropped) {
    CountName(reason, n, kMaxDropReasons, &dropped);
  }
  running += other.running;
  stuck += other.stuck;
}

void TrialTotals::Add(const TrialTotals& other) {
  for (std::size_t i = 0; i < kTrialSplits; ++i) {
    splits[i].Add(other.splits[i]);
  }
  complete = complete && other.complete;
  up = up && other.up;
  unreadable_results += other.unreadable_results;
  malformed_lines += other.malformed_lines;
  if (other.newest_change) {
    newest_change = std::max(newest_change.value_or(*other.newest_change),
                             *other.newest_change);
  }
}

}  // namespace rlrun
