// How a run trains.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlrun {

enum class RunMode : std::uint8_t { kUnknown = 0, kSync, kAsync, kSft };

// `sync`, `async`, `sft`; empty for kUnknown.
constexpr std::string_view RunModeName(RunMode m) {
  return m == RunMode::kSync    ? "sync"
         : m == RunMode::kAsync ? "async"
         : m == RunMode::kSft   ? "sft"
                                : "";
}

}  // namespace rlrun
