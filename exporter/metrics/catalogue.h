// Every family that the exporter publishes under a fixed name, one row each:
// name, type, unit, labels, help. Raw step keys (`rlrun_step_*`) are not here;
// step_families.h makes their names.
// Immutable; safe to read from any thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "exporter/exposition/family.h"

namespace rlrun {

// Whose samples a family holds: those of each run (with the labels `run`,
// `project` and the static labels of its root), or those of the exporter.
enum class FamilyScope { kRun, kExporter };

struct CatalogueRow {
  std::string_view name;  // with `_total` for counters
  FamilyType type;
  std::string_view unit;    // empty: none
  std::string_view labels;  // beyond those of the scope: `a,b`
  std::string_view help;
  FamilyScope scope;
};

std::span<const CatalogueRow> Catalogue();

// The one header of a family, shared by whoever writes it. Null: no such row.
std::shared_ptr<const FamilyHeader> Family(std::string_view name);

// Whether a label of that name is used by some row, or is one of `run`,
// `project`, `key` and `le`: names that no static label of a root may have.
bool IsCatalogueLabel(std::string_view name);

}  // namespace rlrun
