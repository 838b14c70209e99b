#include "exporter/metrics/family_table.h"

#include <optional>
#include <utility>
#include <vector>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

void SetLabels(StepKey* key) {
  key->labels = key->template_labels;
  if (!key->family->colliding) return;
  const std::string value = KeyLabelValue(key->key);
  const Label label{"key", value};
  if (!key->labels.empty()) key->labels.push_back(',');
  AppendLabels(&key->labels, {&label, 1});
}

}  // namespace

const StepKey* FamilyTable::Acquire(std::string_view text) {
  if (const auto it = keys_.find(text); it != keys_.end()) {
    ++it->second->references;
    return it->second.get();
  }
  const std::optional<StepSeries> series = families_of_.Map(text);
  if (!series) return nullptr;
  auto owned = std::make_unique<StepKey>();
  StepKey* key = owned.get();
  key->key = std::string(text);
  key->references = 1;
  std::vector<Label> labels;
  for (const auto& [name, value] : series->labels) {
    labels.push_back({name, value});
  }
  AppendLabels(&key->template_labels, labels);
  std::unique_ptr<StepFamily>& family = families_[series->family];
  if (family == nullptr) {
    family = std::make_unique<StepFamily>();
    family->name = series->family;
  }
  key->family = family.get();
  keys_.emplace(key->key, std::move(owned));
  Join(key);
  return key;
}

void FamilyTable::Release(const StepKey* released) {
  const auto it = keys_.find(released->key);
  if (it == keys_.end() || --it->second->references > 0) return;
  const std::unique_ptr<StepKey> key = std::move(it->second);
  keys_.erase(it);
  Leave(key.get());
}

void FamilyTable::Join(StepKey* key) {
  StepFamily* family = key->family;
  family->keys.insert(key);
  if (key->template_labels.empty()) ++family->raw_keys;
  if (++family->same_labels[key->template_labels] == 2) ++family->duplicates;
  Update(family);
  SetLabels(key);
}

void FamilyTable::Leave(StepKey* key) {
  StepFamily* family = key->family;
  family->keys.erase(key);
  if (key->template_labels.empty()) --family->raw_keys;
  const auto same = family->same_labels.find(key->template_labels);
  if (--same->second == 1) --family->duplicates;
  if (same->second == 0) family->same_labels.erase(same);
  if (!family->keys.empty()) {
    Update(family);
    return;
  }
  families_.erase(std::string(family->name));
}

void FamilyTable::Update(StepFamily* family) {
  const bool mixed =
      family->raw_keys > 0 && family->raw_keys < family->keys.size();
  const bool colliding = family->duplicates > 0 || mixed;
  const bool changed = colliding != family->colliding;
  if (changed) {
    family->colliding = colliding;
    colliding_ += colliding ? 1 : 0;
    colliding_ -= colliding ? 0 : 1;
    for (StepKey* key : family->keys) SetLabels(key);
  }
  std::string help = Help(*family);
  const bool is_new = family->header == nullptr;
  if (is_new || help != family->header->help) {
    family->header = std::make_shared<const FamilyHeader>(
        FamilyHeader{family->name, FamilyType::kGauge, std::move(help), ""});
    if (!is_new) ++generation_;
  }
}

std::string FamilyTable::Help(const StepFamily& family) const {
  if (family.raw_keys == 1 && family.keys.size() == 1) {
    return "Step metric " + (*family.keys.begin())->key +
           " of the trainer's log, as printed.";
  }
  std::string help = family.raw_keys < family.keys.size()
                         ? families_of_.TemplateHelp(family.name)
                         : "Step metrics of the trainer's log, as printed.";
  if (family.colliding) {
    help += " Several keys share this name; the label key tells them apart.";
  }
  return help;
}

}  // namespace rlrun
