// What parsing some lines of one source gave, in the order of the lines, and
// the counts of what was read, ignored and refused. A format parser appends to
// it; whoever takes it leaves an empty one behind.
// Plain data; freely moved between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/model/log_events.h"
#include "parsers/model/run_facts.h"
#include "parsers/model/run_mode.h"
#include "parsers/model/stamp.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// What became of a line. Every line gets exactly one.
enum class LineOutcome : std::uint8_t {
  kStep = 0,   // a step line
  kEvent,      // another line that a parser took a fact from
  kIgnored,    // nothing that we read
  kMalformed,  // begins like a step line or record, but is none
  kTooLong,    // longer than the line limit; skipped
};
inline constexpr std::size_t kLineOutcomes = 5;
inline constexpr std::array<std::string_view, kLineOutcomes> kLineOutcomeNames =
    {"step", "event", "ignored", "malformed", "too_long"};

// Why a value of a step line was not taken; the rest of its line was.
enum class SkipReason : std::uint8_t {
  kNotANumber = 0,  // text that is no number: `error:NameError`, `bad:1.2.3`
  kNoValue,         // a piece without a colon, or without a key
  kCut,             // the last pair of a line that was cut while it was copied
  kGlued,           // text behind a value: the rest of the line is untrusted
};
inline constexpr std::size_t kSkipReasons = 4;
inline constexpr std::array<std::string_view, kSkipReasons> kSkipReasonNames = {
    "not_a_number", "no_value", "cut", "glued"};

// What became of a python dict that a trainer prints as its config.
enum class ConfigOutcome : std::uint8_t {
  kWhole = 0,  // read to its end
  kCut,        // its end is missing: read as far as it goes
  kOther,      // a dict, but no config of a trainer
  kGivenUp,    // like a config, but no literal, or too long
};
inline constexpr std::size_t kConfigOutcomes = 4;
inline constexpr std::array<std::string_view, kConfigOutcomes>
    kConfigOutcomeNames = {"whole", "cut", "other", "given_up"};

struct LogFacts {
  std::vector<StepRecord> steps;
  std::optional<std::int64_t> total_steps;  // planned steps, newest statement
  RunMode mode = RunMode::kUnknown;         // of the newest line that tells
  bool trainer_actor = false;  // a line of an actor that only a trainer starts
  // When the run began, Unix seconds, where the source itself says so.
  std::optional<double> start_time;
  std::optional<Stamp> first_stamp;  // the oldest and the newest stamp among
  std::optional<Stamp> last_stamp;   // these lines
  // A stamp behind the last step line of the *previous* facts, where these
  // lines brought it (it is then not in any of `steps`).
  std::optional<Stamp> stamp_behind_previous;
  // Up to here, nothing but blank lines and progress bars follows the newest
  // step line (of these facts or of older ones): bytes, absent where these
  // lines do not tell.
  std::optional<std::uint64_t> quiet_end;
  LogEvents events;
  // All that the text has stated of its run so far: config block over launch
  // banner over overrides. Null: these lines change nothing.
  std::shared_ptr<const RunFacts> run_facts;
  std::array<std::uint64_t, kLineOutcomes> lines{};
  std::array<std::uint64_t, kSkipReasons> values_skipped{};
  std::array<std::uint64_t, kConfigOutcomes> config_blocks{};
};

}  // namespace rlrun
