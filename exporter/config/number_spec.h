// Numbers of the configuration as tables: a key and where its value goes.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/config/yaml_value.h"

namespace rlrun {

// Where a number of T goes: exactly one of the two is set.
template <typename T>
struct NumberSpec {
  std::string_view name;
  double& (*number)(T&) = nullptr;
  std::size_t& (*count)(T&) = nullptr;
};

// A map of numbers, under its own key.
template <typename T>
struct NumberGroup {
  std::string_view name;
  std::span<const NumberSpec<T>> numbers;
};

// Reads a number, or reports; a count is 1..max_count.
template <typename T>
void ReadNumberOf(const NumberSpec<T>& spec, std::int64_t max_count,
                  const YamlValue& value, T* target) {
  if (spec.number != nullptr) {
    value.ReadNumber(-1e12, 1e12, &spec.number(*target));
    return;
  }
  std::int64_t count = 0;
  if (value.ReadWhole(1, max_count, &count)) {
    spec.count(*target) = static_cast<std::size_t>(count);
  }
}

}  // namespace rlrun
