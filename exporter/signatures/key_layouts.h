// What the keys of a line mean, found once per layout: a run prints the same
// keys in the same order line after line. Values are left to who reads them.
// Not thread-safe; belongs to one History.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporter/signatures/role.h"
#include "parsers/model/step_record.h"

namespace rlrun {

struct KeyLayout {
  struct Key {
    std::uint16_t number = 0;  // of the key in this run; kNoNumber: too many
    RoleOfKey found;
    bool filter = false;      // starts with `trajectory_filter/`
    bool validation = false;  // IsValidationKeyOf
    bool zero_std = false;    // starts with `rollout/zero_std/count_`
  };
  static constexpr std::uint16_t kNoNumber = 4000;

  std::vector<Key> keys;            // by pair of the line
  bool training = false;            // one makes the line a training line
  bool validation = false;          // one is a validation key
  bool filter = false;              // one is of the trajectory filter
  bool zero_std = false;            // one counts groups of equal rewards
  bool actor_rollout_corr = false;  // one starts with `actor/rollout_corr/`
  // Which lines it fits.
  std::string key_text;
  std::vector<std::uint32_t> sizes;
  KeyDialect dialect = KeyDialect::kVerl;
  LineClass line_class = LineClass::kTrain;
};

class KeyLayouts {
 public:
  // The layout of the record; good until the next call. The newest four are
  // kept. Keys are told apart by 64 bits of their hash.
  const KeyLayout& Of(const StepRecord& record);

 private:
  KeyLayout Make(const StepRecord& record);
  std::uint16_t NumberOf(std::string_view key);

  std::unordered_map<std::size_t, std::uint16_t> numbers_;  // by hash
  std::vector<KeyLayout> layouts_;
  std::size_t next_ = 0;
};

}  // namespace rlrun
