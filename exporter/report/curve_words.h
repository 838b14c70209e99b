// What curves are called, which role a key of evidence speaks of, and what of
// a role's key a curve shows. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exporter/signatures/history.h"
#include "exporter/signatures/role.h"

namespace rlrun {

// In words, with the unit where there is one.
std::string_view CurveTitle(Role role);

// The times that are printed for a step count validation or checkpoint in,
// which the curve of step times leaves out.
bool StepTimesHoldMore(const History& history);

// What of its key the curve shows; empty: its value.
std::string CurveNote(const History& history, Role role);

// Why a finite value of the role may be no point; empty: it always is.
std::string_view WhyUnused(Role role);

// The role whose curve shows what a key of evidence tells. `same`: in the same
// unit, so that its bound can be drawn. kCount: none.
struct EvidenceRole {
  Role role = Role::kCount;
  bool same = true;
};
EvidenceRole RoleOfEvidence(const History& history, std::string_view key);

// The range that values of the role cannot leave; absent: there is no end.
struct NaturalRange {
  std::optional<double> least, most;
};
NaturalRange RangeOf(Role role);

}  // namespace rlrun
