// Logs of invented training runs, with the oddities that real ones have, and
// beside each log what a reader must have read from it. Leaves writing to files
// and waiting between steps to main.cc.
// Pure functions of their options; safe to call from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun::scenarios {

enum class Kind {
  kSync,   // one line per step, validation merged into it
  kAsync,  // rollouter, training and validation lines, in both known orders
  kSft,    // no actor prefix, keys with parentheses, three decimals
};

// `sync`, `async`, `sft`.
std::optional<Kind> KindFromName(std::string_view name);

struct RunOptions {
  Kind kind = Kind::kSync;
  int steps = 60;  // planned and printed, at least 1
  std::uint64_t seed = 1;
};

// What the log says.
struct Ledger {
  // step -> key -> value, all lines of one step merged, later wins. NaN and
  // +-Inf are values. A bare step line is a step without keys.
  std::map<std::int64_t, std::map<std::string, double>> steps;
  std::uint64_t step_lines = 0;
  std::uint64_t glued_values = 0;  // step lines with text behind the last value
  std::uint64_t not_a_number = 0;  // pairs whose value is no number
  std::uint64_t longest_line = 0;  // bytes, without the terminator
  std::optional<std::int64_t> total_steps;
};

// Bytes that a trainer would write at once.
struct Chunk {
  std::string bytes;
  bool ends_step = false;  // a live replay waits behind it
};

struct SampleRun {
  std::vector<Chunk> chunks;
  Ledger ledger;

  std::string Text() const;  // all chunks as one
};

// The same options give the same bytes on every machine. The log holds one line
// of more than 1 MiB, which readers skip.
SampleRun MakeSampleRun(const RunOptions& options);

}  // namespace rlrun::scenarios
