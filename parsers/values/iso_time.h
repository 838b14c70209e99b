// Points in time as ISO 8601 writes them.
//
//   2026-01-02T03:04:05.25+02:00
//
// Accepts: a date and a time of day, parted by `T`, `t` or a blank; seconds and
//   their fraction may be missing; `Z`, `z`, `+02:00`, `-0700` or nothing
//   (UTC).
// Rejects: everything else, dates that the calendar does not have.
// Pure; safe from any thread.
#pragma once

#include <optional>
#include <string_view>

namespace rlrun {

// Unix seconds; absent: `text` is no such time.
std::optional<double> ParseIsoTime(std::string_view text);

}  // namespace rlrun
