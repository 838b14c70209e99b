// All step keys of all runs, by family: which keys share a name and therefore
// carry the label `key`, and what a sample of each key looks like. Counts
// references, so that a collision ends with the last run that had it.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "exporter/exposition/family.h"
#include "exporter/metrics/options.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {

struct StepFamily;

// A step key that some run has. Lives until its last reference is released.
struct StepKey {
  std::string key;               // verbatim
  StepFamily* family = nullptr;  // never null
  std::string template_labels;   // text of AppendLabels, without `key`
  std::string labels;            // the same, with `key` where keys collide
  std::size_t references = 0;
};

struct StepFamily {
  std::string name;
  bool colliding = false;  // its samples carry the label `key`
  std::shared_ptr<const FamilyHeader> header;
  std::unordered_set<StepKey*> keys;
  std::size_t raw_keys = 0;  // those without template labels
  // How many keys have the same template labels, and how many of these counts
  // are above one.
  std::unordered_map<std::string, std::size_t> same_labels;
  std::size_t duplicates = 0;
};

class FamilyTable {
 public:
  explicit FamilyTable(const MetricsOptions& options = {})
      : families_of_(options) {}
  FamilyTable(const FamilyTable&) = delete;
  FamilyTable& operator=(const FamilyTable&) = delete;

  // One more reference to `key`. Null: the key is not exposed, and there is
  // nothing to release. May change other keys of the same family, see
  // generation().
  const StepKey* Acquire(std::string_view key);
  // Gives one reference back; `key` comes from Acquire.
  void Release(const StepKey* key);

  // Moves when the keys of a family begin or cease to collide: samples that
  // were rendered before are then to be rendered again.
  std::uint64_t generation() const { return generation_; }
  std::size_t colliding_families() const { return colliding_; }
  std::size_t families() const { return families_.size(); }

  const StepFamilies& step_families() const { return families_of_; }

 private:
  void Join(StepKey* key);
  void Leave(StepKey* key);
  // Compares the collision state with the keys; header and labels follow.
  void Update(StepFamily* family);
  std::string Help(const StepFamily& family) const;

  StepFamilies families_of_;
  std::unordered_map<std::string, std::unique_ptr<StepFamily>> families_;
  // By StepKey::key.
  std::unordered_map<std::string_view, std::unique_ptr<StepKey>> keys_;
  std::uint64_t generation_ = 0;
  std::size_t colliding_ = 0;
};

}  // namespace rlrun
