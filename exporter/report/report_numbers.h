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
// `2026-03-02 10:29:12 UTC`, of Unix seconds.
std::string UtcText(double time);
// `2-03:04:05`: days, hours, minutes, seconds.
std::string LongDuration(double seconds);
// `40 s`, `12 min`, `3.5 h`, `2.1 d`.
std::string ShortDuration(double seconds);

}  // namespace rlrun
