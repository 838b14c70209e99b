// Bytes that `new` has given and `delete` has not taken back, in this process.
// The operators that count are in live_bytes_test.cc. For any thread.
#pragma once

#include <cstdint>

namespace rlrun {

std::int64_t LiveBytes();
std::int64_t PeakBytes();  // the most since RestartPeak
void RestartPeak();

}  // namespace rlrun
