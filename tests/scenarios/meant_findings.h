// Whether what was found of a scenario is in its ledger. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "exporter/signatures/judgement.h"
#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {

inline bool IsMeant(const Finding& finding,
                    const std::vector<Expectation>& ledger) {
  const auto same = [&](const auto& row) {
    return row.signature == finding.name &&
           row.level == LevelName(finding.level);
  };
  const auto& companions = ledger.front().companions;
  return std::any_of(ledger.begin(), ledger.end(), same) ||
         std::any_of(companions.begin(), companions.end(), same);
}

}  // namespace rlrun::scenarios
