// Which series a step key becomes: the built-in templates and those of the
// configuration, the names of raw families, and which keys are exposed at all.
// Knows one key at a time; family_table.h knows which of them share a name.
// Immutable; safe to use from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/metrics/key_pattern.h"
#include "exporter/metrics/options.h"

namespace rlrun {

// Belongs to step keys alone: no family of the catalogue begins with it.
inline constexpr std::string_view kStepPrefix = "rlrun_step_";

// The table of metrics.md.
std::span<const KeyTemplate> BuiltInTemplates();

// Empty, or what is wrong with a template.
std::string CheckTemplate(const KeyTemplate& key_template);

// `rlrun_step_` and the key with every character outside [a-zA-Z0-9_] replaced
// by `_`. A UTF-8 sequence is one character, an invalid byte is one too.
std::string RawFamilyName(std::string_view key);

// The value of the label `key`: the key itself. Keys that only differ in bytes
// which are no UTF-8 would be repaired to one text, so a repaired key also
// carries a hash of its bytes, `@<8 hex>`.
std::string KeyLabelValue(std::string_view key);

// Where a key goes.
struct StepSeries {
  std::string family;  // whole name
  bool templated = false;
  // Of its template, by name.
  std::vector<std::pair<std::string, std::string>> labels;
};

class StepFamilies {
 public:
  // Templates that CheckTemplate refuses are left out; problems() names them.
  explicit StepFamilies(const MetricsOptions& options = {});

  // Absent: the key is not exposed (`include`, `exclude`).
  std::optional<StepSeries> Map(std::string_view key) const;

  // HELP of a template family: the patterns that lead to it.
  std::string TemplateHelp(std::string_view family) const;
  // Whether a root may add a label of that name to the series of its runs: a
  // label name that neither the catalogue nor a template uses.
  bool AllowsStaticLabel(std::string_view name) const;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Template {
    KeyPattern pattern;
    std::string shown;  // the pattern as HELP prints it
    std::string family;
    std::string fixed_label;
    std::string fixed_value;
  };
  void Add(const KeyTemplate& source);
  bool Exposed(std::string_view key) const;

  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
  std::vector<Template> templates_;
  std::vector<std::string> problems_;
};

}  // namespace rlrun
