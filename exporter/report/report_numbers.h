// Numbers, durations and times as reports and pages print them.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

// A number as the report prints it: whole ones in full, of others 5 significant
// digits; `nan`, `inf`, `-inf`.
std::string ReportNumber(double value);
// A value of evidence: what is computed of clocks reads better as a duration or
// a time; keys of step lines keep their numbers.
std::string EvidenceNumber(std::string_view key, double value);
// Of seconds per step: `12.35`, `1.5`, `0.0052` minutes.
std::string MinutesText(double seconds);
// `2026-03-02 10:29:12 UTC`, of Unix seconds.
std::string UtcText(double time);
// `2-03:04:05`: days, hours, minutes, seconds.
std::string LongDuration(double seconds);
// `0.31 s`, `40 s`, `2.2 min`, `12 min`, `3.5 h`, `2.1 d`: two digits at least.
std::string ShortDuration(double seconds);

}  // namespace rlrun
