// How a run trains.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlrun {

// kSao: single-rollout training with a critic whose correction reaches the
// actor's loss; synchronous or not.
enum class RunMode : std::uint8_t { kUnknown = 0, kSync, kAsync, kSft, kSao };

// `sync`, `async`, `sft`, `sao`; empty for kUnknown.
constexpr std::string_view RunModeName(RunMode m) {
  return m == RunMode::kSync    ? "sync"
         : m == RunMode::kAsync ? "async"
         : m == RunMode::kSft   ? "sft"
         : m == RunMode::kSao   ? "sao"
                                : "";
}

}  // namespace rlrun
