// The one change that is made to what alerts/ ships before it is run by the
// end-to-end test and by the demo of scripts/run.sh, so that nobody waits for
// half an hour: a minute becomes a second, and nothing gets shorter than a
// second. Only values of the keys below change, and the places that stand for
// somebody's own machines. Expressions, `[15m]` and `< 7200` in them too, stay
// as they are.
// Pure functions; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlrun::notify {

// Keys of Prometheus' and Alertmanager's files whose values are durations.
inline constexpr std::string_view kDurationKeys[] = {
    "scrape_interval", "evaluation_interval", "group_wait",
    "group_interval",  "repeat_interval",     "for",
    "keep_firing_for"};

// Seconds of `90s`, `15m`, `2h`, `1d`; empty: not one number and one unit.
std::optional<long> DurationSeconds(std::string_view text);

// `15m` -> `15s`, `30s` -> `1s`, `24h` -> `1440s`; empty: no duration.
std::optional<std::string> ShortDuration(std::string_view text);

// Literal texts, each with what stands in its place.
using Places = std::vector<std::pair<std::string, std::string>>;

// The file with short durations and other places; comments stay.
std::string Shorten(std::string_view text, const Places& places);

}  // namespace rlrun::notify
