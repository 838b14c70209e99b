// The clock stamps that log lines carry, and what they mean in Unix time once
// the file's mtime is known. Which lines carry one is for the caller to ask;
// which stamp dates which step, too.
//
//   INFO:2026-07-16 18:46:48,452:Loading weights
//
// Accepts, at the front of a payload (prefixes and blanks already skipped):
//   LEVEL:YYYY-mm-dd HH:MM:SS[,mmm]        (also with `.mmm`)
//   [YYYY-mm-dd HH:MM:SS[,mmm]]            (also closed by a blank: `[... E
//   7]`) YYYY-mm-dd HH:MM:SS[,mmm] LEVEL        (blank or tab) LEVEL MM-DD
//   HH:MM:SS [FullyAsyncTrainer] global_steps: ... HH:MM:SS.mmm   (at the end)
// Ignores: dates with a zone, any other shape.
// Rejects: fields out of range (month 13, hour 24).
// Pure; safe to call from any thread.
#pragma once

#include <optional>
#include <string_view>

#include "parsers/model/stamp.h"

namespace rlrun {

// `offset` of the result is 0; the caller knows it.
std::optional<Stamp> ParseStamp(std::string_view payload);

// Seconds from one stamp to a later one of the same shape; 0 where it is the
// earlier one after all. Nothing where one prints a year or a date and the
// other does not: they are of different writers, and perhaps of different
// zones.
std::optional<double> SecondsBetween(const Stamp& older, const Stamp& newer);

// How to read the stamps of one file.
struct StampClock {
  int utc_offset = 0;    // seconds that the printed clock is ahead of UTC
  int year = 0;          // of the file's last stamp, in printed time
  double last_unix = 0;  // the file's last stamp, Unix seconds
};

// Chooses, of all zones that exist and of all years and dates that `last`
// leaves open, those that bring `last` nearest to `mtime` (Unix seconds) and
// not behind it: a line is written before its file's mtime. Of equally near
// ones the zone nearest to UTC. `last` is the file's last stamp. Nothing if no
// such date exists (February 30).
std::optional<StampClock> ChooseStampClock(const Stamp& last, double mtime);

// Unix seconds of `stamp`, read as the clock of its file says. Without a year:
// the newest that does not lie more than a day behind the file's last stamp.
// Without a date: the one that brings it nearest at or before `neighbour`, the
// Unix seconds of the next dated line behind it (the file's last stamp where
// nothing is given). Nothing if no such date exists.
std::optional<double> ResolveStamp(
    const Stamp& stamp, const StampClock& clock,
    std::optional<double> neighbour = std::nullopt);

// Both in one.
std::optional<double> ResolveStamps(
    const Stamp& stamp, const Stamp& last, double mtime,
    std::optional<double> neighbour = std::nullopt);

}  // namespace rlrun
