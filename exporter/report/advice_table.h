// The sentences of advice.h as tables: by finding, level and key of evidence,
// and by check.
// Pure; safe from any thread.
#pragma once

#include <span>
#include <string_view>

#include "exporter/report/advice.h"
#include "exporter/signatures/judgement.h"

namespace rlrun {

struct AdviceRow {
  std::string_view name;  // of the finding or check
  Level level;            // kNone: any
  std::string_view key;   // a part of a key of its evidence; empty: any
  Cost cost;
  std::string_view text;
};

// Of the rows of one name that fit, the first holds; the last fits always.
std::span<const AdviceRow> FindingAdvice();
// One row each.
std::span<const AdviceRow> CheckAdvice();

}  // namespace rlrun
