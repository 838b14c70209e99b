#include "exporter/signatures/key_layouts.h"

#include <algorithm>
#include <functional>

namespace rlrun {
namespace {

constexpr std::size_t kLayouts = 4;  // lines take turns: train, val, ...

// Of slime the step line alone is a training line; of others the keys tell,
// also what sums a run up.
bool IsTraining(const StepRecord& record, std::string_view key,
                RoleOfKey found) {
  if (record.dialect != KeyDialect::kVerl) {
    return record.line_class == LineClass::kTrain &&
           (found.role != Role::kCount || key.starts_with("train/"));
  }
  return key.starts_with("actor/") || key.starts_with("critic/") ||
         key.starts_with("train/");
}

bool Fits(const KeyLayout& layout, const StepRecord& record) {
  return layout.key_text == record.key_text &&
         layout.dialect == record.dialect &&
         layout.line_class == record.line_class &&
         std::equal(layout.sizes.begin(), layout.sizes.end(),
                    record.pairs.begin(), record.pairs.end(),
                    [](std::uint32_t size, const StepRecord::Pair& pair) {
                      return size == pair.size;
                    });
}

}  // namespace

const KeyLayout& KeyLayouts::Of(const StepRecord& record) {
  for (const KeyLayout& layout : layouts_) {
    if (Fits(layout, record)) return layout;
  }
  if (layouts_.size() < kLayouts) {
    return layouts_.emplace_back(Make(record));
  }
  KeyLayout& layout = layouts_[next_];
  next_ = (next_ + 1) % kLayouts;
  return layout = Make(record);
}

KeyLayout KeyLayouts::Make(const StepRecord& record) {
  KeyLayout layout;
  layout.key_text = record.key_text;
  layout.dialect = record.dialect;
  layout.line_class = record.line_class;
  layout.sizes.reserve(record.pairs.size());
  layout.keys.reserve(record.pairs.size());
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    layout.sizes.push_back(pair.size);
    const RoleOfKey found = FindRole(key, record.dialect);
    layout.keys.push_back({NumberOf(key), found,
                           key.starts_with("trajectory_filter/"),
                           IsValidationKeyOf(record, key),
                           key.starts_with("rollout/zero_std/count_")});
    layout.training = layout.training || IsTraining(record, key, found);
    layout.zero_std = layout.zero_std || layout.keys.back().zero_std;
    layout.filter = layout.filter || layout.keys.back().filter;
    layout.validation = layout.validation || layout.keys.back().validation;
    layout.actor_rollout_corr =
        layout.actor_rollout_corr || key.starts_with("actor/rollout_corr/");
  }
  return layout;
}

std::uint16_t KeyLayouts::NumberOf(std::string_view key) {
  const std::size_t hash = std::hash<std::string_view>()(key);
  const auto known = numbers_.find(hash);
  if (known != numbers_.end()) return known->second;
  if (numbers_.size() == KeyLayout::kNoNumber) return KeyLayout::kNoNumber;
  const auto number = static_cast<std::uint16_t>(numbers_.size());
  numbers_.emplace(hash, number);
  return number;
}

}  // namespace rlrun
