#include "tests/scenarios/step_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rlrun::scenarios {
namespace {

StepValues::Part PartOf(std::string_view key) {
  if (key.starts_with("val-") || key.starts_with("val/") ||
      key == "rollouter/validate_time") {
    return StepValues::Part::kValidation;
  }
  if (key.starts_with("fully_async/rollouter/")) {
    return StepValues::Part::kRollouter;
  }
  return StepValues::Part::kTraining;
}

}  // namespace

const StepValues::Entry* StepValues::Find(std::string_view key) const {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(),
                   [key](const Entry& entry) { return entry.key == key; });
  return at == entries_.end() ? nullptr : &*at;
}

StepValues::Entry* StepValues::Find(std::string_view key) {
  return const_cast<Entry*>(std::as_const(*this).Find(key));
}

void StepValues::Add(std::string_view key, double value, As as) {
  if (Entry* entry = Find(key)) {
    entry->value = value;
    entry->as = as;
  } else {
    entries_.push_back({std::string(key), value, as});
  }
}

void StepValues::Spread(std::string_view key, double mean, double max,
                        double min) {
  const std::string name(key);
  Add(name + "/mean", mean);
  Add(name + "/max", max);
  Add(name + "/min", min);
}

void StepValues::Set(std::string_view key, double value) {
  if (Entry* entry = Find(key)) entry->value = value;
}

void StepValues::Scale(std::string_view key, double factor) {
  if (Entry* entry = Find(key)) entry->value *= factor;
}

void StepValues::Erase(std::string_view key) {
  entries_.erase(
      std::remove_if(entries_.begin(), entries_.end(),
                     [key](const Entry& entry) { return entry.key == key; }),
      entries_.end());
}

double StepValues::Get(std::string_view key) const {
  const Entry* entry = Find(key);
  return entry ? entry->value : std::numeric_limits<double>::quiet_NaN();
}

std::string StepValues::Printed(std::string_view key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return {};
  Pairs pairs;
  if (entry->as == As::kInt && std::isfinite(entry->value)) {
    pairs.Int("", std::llround(entry->value));
  } else if (entry->as == As::kFloat64) {
    pairs.Numpy("", "float64", entry->value);
  } else {
    pairs.Float("", entry->value);
  }
  return pairs.text().substr(4);  // behind ` - :`
}

Pairs StepValues::Print(Part part, bool fixed) const {
  Pairs pairs;
  for (const Entry& entry : entries_) {
    if (part != Part::kAll && PartOf(entry.key) != part) continue;
    const bool finite = std::isfinite(entry.value);
    if (fixed && finite) {
      pairs.Fixed(entry.key, entry.value);
    } else if (entry.as == As::kInt && finite) {
      pairs.Int(entry.key, std::llround(entry.value));
    } else if (entry.as == As::kFloat64) {
      pairs.Numpy(entry.key, "float64", entry.value);
    } else {
      pairs.Float(entry.key, entry.value);
    }
  }
  return pairs;
}

void SetReward(StepValues* values, double mean) {
  mean = std::clamp(mean, 0.0, 1.0);
  for (const char* key : {"critic/score/mean", "critic/rewards/mean"}) {
    values->Set(key, mean);
  }
}

void SetTied(StepValues* values, double reward) {
  SetReward(values, reward);
  for (const char* key : {"critic/score/", "critic/rewards/"}) {
    for (const char* end : {"mean", "max", "min"}) {
      values->Set(std::string(key) + end, reward);
    }
  }
  for (const char* end : {"mean", "max", "min"}) {
    values->Set(std::string("critic/advantages/") + end, 0);
    values->Set(std::string("critic/returns/") + end, 0);
  }
  values->Set("actor/pg_loss", 0);
  values->Set("actor/grad_norm", 0.0007);
}

}  // namespace rlrun::scenarios
