#include "exporter/signatures/quality_nonfinite_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace rlrun {
namespace {

constexpr std::size_t kKeptLines = 64;  // what a rewind can go back over

// Roles that `nan_inf` names, the gradient norms in front.
constexpr std::array kNamed = {
    Role::kActorGradNorm, Role::kCriticGradNorm, Role::kTrainGradNorm,
    Role::kPolicyLoss,    Role::kActorLoss,      Role::kTrainLoss,
    Role::kValueLoss,     Role::kKlLoss,         Role::kPpoKl,
    Role::kEntropy,       Role::kEntropyLoss,    Role::kReward,
    Role::kScore};
constexpr std::size_t kGradientNorms = 3;

std::size_t IndexOf(Role role) {
  return static_cast<std::size_t>(
      std::find(kNamed.begin(), kNamed.end(), role) - kNamed.begin());
}

// A later line of the same step says it again.
void Put(std::int64_t step, double value, Series* series) {
  series->DropFrom(step);
  series->Add(step, value);
}

}  // namespace

NonfiniteKeys::NonfiniteKeys()
    : lines_(kLineClasses, Series(kKeptLines)),
      gradient_flags_(kGradientNorms, Series(kKeptLines)) {}

void NonfiniteKeys::Apply(const StepRecord& record, const KeyLayout& layout) {
  Put(record.step, 0, &lines_[static_cast<std::size_t>(record.line_class)]);
  if (layout.validation) {
    Put(record.step, 0, &lines_[static_cast<std::size_t>(LineClass::kVal)]);
  }
  for (std::size_t i = 0; i < record.pairs.size(); ++i) {
    if (layout.keys[i].number == KeyLayout::kNoNumber) continue;
    Key& key = KeyOf(layout.keys[i]);
    const bool finite = std::isfinite(record.pairs[i].value);
    // Nearly all values: finite as ever.
    const bool usual = finite && key.finite_since >= 0 && key.suspect == 0;
    if (key.gradient != 0) {
      Put(record.step, finite ? 0 : 1, &gradient_flags_[key.gradient - 1u]);
    } else if (!usual && !key.named) {
      Take(record, record.pairs[i], &key);
    }
  }
}

// Keys are numbered in the order in which they come.
NonfiniteKeys::Key& NonfiniteKeys::KeyOf(const KeyLayout::Key& key) {
  if (key.number < keys_.size()) return keys_[key.number];
  keys_.resize(key.number + 1u);
  Key& added = keys_.back();
  const std::size_t index = IndexOf(key.found.role);
  added.named = index < kNamed.size();
  if (index < kGradientNorms) {
    added.gradient = static_cast<std::uint8_t>(index + 1);
  }
  return added;
}

void NonfiniteKeys::Take(const StepRecord& record, const StepRecord::Pair& pair,
                         Key* key) {
  const bool finite = std::isfinite(pair.value);
  if (finite && key->finite_since < 0) {
    key->finite_since = static_cast<std::int32_t>(record.step);
  }
  if (key->finite_since < 0) return;
  if (!finite) {
    if (key->suspect == 0) {
      suspects_.push_back({std::string(record.Key(pair)), LineClass::kTrain, 0,
                           Series(kKeptLines)});
      key->suspect = static_cast<std::uint16_t>(suspects_.size());
    }
    Suspect& suspect = suspects_[key->suspect - 1u];
    suspect.value = pair.value;
    suspect.line_class = IsValidationKeyOf(record, record.Key(pair))
                             ? LineClass::kVal
                             : record.line_class;
  }
  if (key->suspect == 0) return;
  Put(record.step, finite ? 0 : 1, &suspects_[key->suspect - 1u].flags);
}

void NonfiniteKeys::DropFrom(std::int64_t step) {
  for (Series& s : lines_) s.DropFrom(step);
  for (Series& s : gradient_flags_) s.DropFrom(step);
  for (Suspect& suspect : suspects_) suspect.flags.DropFrom(step);
  for (Key& key : keys_) {
    if (key.finite_since >= step) key.finite_since = -1;
  }
}

std::optional<NonfiniteKeys::Found> NonfiniteKeys::Longest(
    std::size_t steps) const {
  std::optional<Found> found;
  for (const Suspect& suspect : suspects_) {
    const auto flags = suspect.flags.values();
    const Series& lines = lines_[static_cast<std::size_t>(suspect.line_class)];
    const std::size_t in_a_row = static_cast<std::size_t>(
        std::find(flags.rbegin(), flags.rend(), 0.0) - flags.rbegin());
    if (in_a_row == 0 || in_a_row < steps ||
        (found && in_a_row <= found->steps) ||
        (!lines.values().empty() &&
         suspect.flags.newest_step() < lines.newest_step())) {
      continue;
    }
    found = {suspect.key, suspect.flags.newest_step(), suspect.value, in_a_row};
  }
  return found;
}

const Series& NonfiniteKeys::flags(Role gradient_norm) const {
  return gradient_flags_[IndexOf(gradient_norm) % kGradientNorms];
}

}  // namespace rlrun
