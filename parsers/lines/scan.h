// Finds the bytes of a text that a line splitter must look at, in one pass over
// the text, 32 bytes at a time where the CPU can. What they mean is left to the
// caller, who reads the byte at each position.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

enum class ScanLevel { kBytes, kSse2, kAvx2 };

// The fastest level that this CPU has.
ScanLevel BestScanLevel();

// False: this build or this CPU lacks the level.
bool HasScanLevel(ScanLevel level);

// Writes the positions, ascending and relative to `begin`, of these bytes of
// text[begin, end): each LF; each CR; the first NUL of each run of NULs; the
// colon of each "step:" (which may begin before `begin`). Returns how many.
// Every level gives the same answer. Requires end <= text.size(), end - begin
// below 2^32, room for end - begin positions in `out`, and HasScanLevel(level).
std::size_t Scan(ScanLevel level, std::string_view text, std::size_t begin,
                 std::size_t end, std::uint32_t* out);

}  // namespace rlrun
