#include "exporter/signatures/quality_nonfinite_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rlrun {
namespace {

constexpr std::size_t kLayouts = 4;       // lines take turns: train, val, ...
constexpr std::uint32_t kMaxKeys = 4000;  // more are not looked at
constexpr std::size_t kKeptLines = 64;    // what a rewind can go back over

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
    : layouts_(kLayouts),
      lines_(kLineClasses, Series(kKeptLines)),
      gradient_flags_(kGradientNorms, Series(kKeptLines)) {}

void NonfiniteKeys::Apply(const StepRecord& record) {
  const Layout& layout = LayoutOf(record);
  Put(record.step, 0, &lines_[static_cast<std::size_t>(record.line_class)]);
  if (layout.validates) {
    Put(record.step, 0, &lines_[static_cast<std::size_t>(LineClass::kVal)]);
  }
  for (std::size_t i = 0; i < record.pairs.size(); ++i) {
    if (layout.keys[i] == kMaxKeys) continue;
    Key& key = keys_[layout.keys[i]];
    const double value = record.pairs[i].value;
    // Nearly all values: finite as ever.
    const bool usual =
        key.finite_since && key.flags.empty() && std::isfinite(value);
    if (key.gradient != 0) {
      Put(record.step, std::isfinite(value) ? 0 : 1,
          &gradient_flags_[key.gradient - 1]);
    } else if (!usual && !key.named) {
      Take(record, record.pairs[i], layout.keys[i]);
    }
  }
}

void NonfiniteKeys::Take(const StepRecord& record, const StepRecord::Pair& pair,
                         std::uint32_t number) {
  Key& key = keys_[number];
  const bool finite = std::isfinite(pair.value);
  if (finite && !key.finite_since) key.finite_since = record.step;
  if (!key.finite_since) return;
  if (!finite) {
    if (key.flags.empty()) {
      key.flags.emplace_back(kKeptLines);
      flagged_.push_back(number);
    }
    key.value = pair.value;
    key.line_class =
        IsValidationKey(record.Key(pair)) ? LineClass::kVal : record.line_class;
  }
  if (!key.flags.empty()) Put(record.step, finite ? 0 : 1, &key.flags.front());
}

const NonfiniteKeys::Layout& NonfiniteKeys::LayoutOf(const StepRecord& record) {
  const auto fits = [&record](const Layout& layout) {
    return layout.key_text == record.key_text &&
           std::equal(layout.sizes.begin(), layout.sizes.end(),
                      record.pairs.begin(), record.pairs.end(),
                      [](std::uint32_t size, const StepRecord::Pair& pair) {
                        return size == pair.size;
                      });
  };
  for (const Layout& layout : layouts_) {
    if (fits(layout)) return layout;
  }
  Layout& layout = layouts_[next_layout_];
  next_layout_ = (next_layout_ + 1) % kLayouts;
  layout = {record.key_text, {}, {}, false};
  for (const StepRecord::Pair& pair : record.pairs) {
    layout.sizes.push_back(pair.size);
    layout.keys.push_back(NumberOf(record.Key(pair)));
    if (IsValidationKey(record.Key(pair))) layout.validates = true;
  }
  return layout;
}

std::uint32_t NonfiniteKeys::NumberOf(std::string_view key) {
  const auto [place, fresh] = numbers_.try_emplace(
      std::string(key), static_cast<std::uint32_t>(keys_.size()));
  if (!fresh) return place->second;
  if (keys_.size() == kMaxKeys) {
    numbers_.erase(place);
    return kMaxKeys;
  }
  const std::size_t index = IndexOf(FindRole(key).role);
  Key& added = keys_.emplace_back();
  added.named = index < kNamed.size();
  if (index < kGradientNorms) {
    added.gradient = static_cast<std::uint8_t>(index + 1);
  }
  return place->second;
}

void NonfiniteKeys::DropFrom(std::int64_t step) {
  for (Series& s : lines_) s.DropFrom(step);
  for (Series& s : gradient_flags_) s.DropFrom(step);
  for (const std::uint32_t number : flagged_) {
    keys_[number].flags.front().DropFrom(step);
  }
  for (Key& key : keys_) {
    if (key.finite_since && *key.finite_since >= step) key.finite_since.reset();
  }
}

std::optional<NonfiniteKeys::Found> NonfiniteKeys::Longest(
    std::size_t steps) const {
  std::optional<Found> found;
  std::uint32_t longest = 0;
  for (const std::uint32_t number : flagged_) {
    const Key& key = keys_[number];
    const auto flags = key.flags.front().values();
    const Series& lines = lines_[static_cast<std::size_t>(key.line_class)];
    const std::size_t in_a_row = static_cast<std::size_t>(
        std::find(flags.rbegin(), flags.rend(), 0.0) - flags.rbegin());
    if (in_a_row == 0 || in_a_row < steps ||
        (found && in_a_row <= found->steps) ||
        (!lines.values().empty() &&
         key.flags.front().newest_step() < lines.newest_step())) {
      continue;
    }
    found = {{}, key.flags.front().newest_step(), key.value, in_a_row};
    longest = number;
  }
  if (!found) return found;
  for (const auto& [name, number] : numbers_) {
    if (number == longest) found->key = name;
  }
  return found;
}

const Series& NonfiniteKeys::flags(Role gradient_norm) const {
  return gradient_flags_[IndexOf(gradient_norm) % kGradientNorms];
}

}  // namespace rlrun
