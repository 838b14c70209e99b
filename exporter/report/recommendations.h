// What the report recommends: the next steps of the worst findings, the
// cheapest first. A report only ever recommends; what cannot be undone (a stop,
// a rollback) says so in its words.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exporter/signatures/judgement.h"

namespace rlrun {

inline constexpr std::size_t kMaxRecommendations = 3;

// At most 3, each `NAME: SENTENCE`, or without a name. Which: those of critical
// findings before those of warnings before those of failed checks that no
// finding tells of, and one for a decision to stop. Order: reading and waiting,
// looking elsewhere, changing the next run, what cannot be undone.
std::vector<std::string> Recommendations(const Judgement& judgement);

}  // namespace rlrun
