// A large log for benchmarks: step lines of 251 keys, about one in 2,000 lines,
// among engine throughput and per-trial lines. 500 MB hold about 1,080 of them.
// Pure but for the sink; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace rlrun::scenarios {

inline constexpr std::size_t kBulkKeys = 251;

struct BulkStats {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t step_lines = 0;
  std::uint64_t last_step = 0;
};

// Hands pieces of whole lines to `sink` until at least `bytes` are written;
// stops early when the sink returns false.
BulkStats WriteBulk(std::uint64_t bytes, std::uint64_t seed,
                    const std::function<bool(std::string_view)>& sink);

}  // namespace rlrun::scenarios
