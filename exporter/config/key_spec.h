// Maps of the configuration as tables: key, and the function that reads its
// value. Unknown keys are reported here, with the name that was likely meant.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/config/yaml_value.h"

namespace rlrun {

// A key of a map that fills a T.
template <typename T>
struct KeySpec {
  std::string_view name;
  void (*read)(const YamlValue& value, T* target);
};

// Reports `value`, whose key is none of `here`.
void FailUnknown(const YamlValue& value, std::string_view key,
                 const std::vector<std::string_view>& here);

// Reads a whole number in [min, max] into *out, or reports.
void ReadSize(const YamlValue& value, std::int64_t min, std::int64_t max,
              std::size_t* out);

// Reads every pair of `map` that `keys` knows and reports the others. False:
// it is no map (reported).
template <typename T>
bool ReadMap(const YamlValue& map, std::span<const KeySpec<T>> keys,
             T* target) {
  for (const auto& [key, value] : map.Entries()) {
    const auto spec =
        std::find_if(keys.begin(), keys.end(),
                     [&k = key](const KeySpec<T>& s) { return s.name == k; });
    if (spec != keys.end()) {
      spec->read(value, target);
      continue;
    }
    std::vector<std::string_view> here;
    for (const KeySpec<T>& s : keys) here.push_back(s.name);
    FailUnknown(value, key, here);
  }
  return map.IsMap();
}

// `prefix` and the name of each key.
template <typename T>
void AppendNames(std::string_view prefix, std::span<const KeySpec<T>> keys,
                 std::vector<std::string>* names) {
  for (const KeySpec<T>& key : keys) {
    names->push_back(std::string(prefix) + std::string(key.name));
  }
}

}  // namespace rlrun
