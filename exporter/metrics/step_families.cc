#include "exporter/metrics/step_families.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"
#include "parsers/values/glob.h"

namespace rlrun {

namespace {

// The pattern for people: `<name...>` and `<name@>` as `<name>`.
std::string Shown(std::string pattern) {
  for (const std::string_view mark : {"...>", "@>"}) {
    for (std::size_t i = 0; (i = pattern.find(mark, i)) != std::string::npos;) {
      pattern.erase(i, mark.size() - 1);
    }
  }
  return pattern;
}

}  // namespace

std::span<const KeyTemplate> BuiltInTemplates() {
  static const std::vector<KeyTemplate> templates = {
      {"val-core/<data_source...>/<variable>/<statistic@>", "val_core", "", ""},
      {"val-aux/<data_source...>/<variable>/<statistic@>", "val_aux", "", ""},
      {"val/test_score/<data_source...>", "val_test_score", "", ""},
      {"trajectory_filter/reason/<reason>", "trajectory_filter_reason", "", ""},
      {"timing_s/agent_loop/slowest/<stage>", "timing_s_agent_loop",
       "statistic", "slowest"},
      {"timing_s/agent_loop/<stage>/<statistic>", "timing_s_agent_loop", "",
       ""},
      {"timing_s/<phase>", "timing_s", "", ""},
      {"timing_per_token_ms/<phase>", "timing_per_token_ms", "", ""},
  };
  return templates;
}

std::string CheckTemplate(const KeyTemplate& key_template) {
  KeyPattern pattern;
  return KeyPattern::Parse(key_template, &pattern);
}

std::string RawFamilyName(std::string_view key) {
  std::string name(kStepPrefix);
  while (!key.empty()) {
    std::size_t invalid = 0;
    const std::size_t length =
        std::max<std::size_t>(1, Utf8SequenceLength(key, &invalid));
    const char c = key.front();
    const bool kept = c == '_' || (c >= 'a' && c <= 'z') ||
                      (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name.push_back(kept ? c : '_');
    key.remove_prefix(length);
  }
  return name;
}

std::string KeyLabelValue(std::string_view key) {
  std::string value = RepairUtf8(key);
  if (value == key) return value;
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : key) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  std::array<char, 10> hex{};
  std::snprintf(hex.data(), hex.size(), "@%08x", hash);
  return value + hex.data();
}

StepFamilies::StepFamilies(const MetricsOptions& options)
    : include_(options.include), exclude_(options.exclude) {
  for (const KeyTemplate& t : options.templates) Add(t);
  for (const KeyTemplate& t : BuiltInTemplates()) Add(t);
}

void StepFamilies::Add(const KeyTemplate& source) {
  Template added;
  const std::string problem = KeyPattern::Parse(source, &added.pattern);
  if (!problem.empty()) {
    problems_.push_back(source.pattern + ": " + problem);
    return;
  }
  added.shown = Shown(source.pattern);
  added.family = std::string(kStepPrefix) + source.family;
  added.fixed_label = source.fixed_label;
  added.fixed_value = source.fixed_value;
  templates_.push_back(std::move(added));
}

bool StepFamilies::Exposed(std::string_view key) const {
  const auto matches = [key](const std::string& glob) {
    return GlobMatches(glob, key);
  };
  return (include_.empty() ||
          std::any_of(include_.begin(), include_.end(), matches)) &&
         std::none_of(exclude_.begin(), exclude_.end(), matches);
}

std::optional<StepSeries> StepFamilies::Map(std::string_view key) const {
  if (!Exposed(key)) return std::nullopt;
  StepSeries series;
  std::vector<std::string_view> values;
  for (const Template& t : templates_) {
    if (!t.pattern.Matches(key, &values)) continue;
    series.family = t.family;
    series.templated = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      series.labels.emplace_back(t.pattern.label_names()[i], values[i]);
    }
    if (!t.fixed_label.empty()) {
      series.labels.emplace_back(t.fixed_label, t.fixed_value);
    }
    std::sort(series.labels.begin(), series.labels.end());
    return series;
  }
  series.family = RawFamilyName(key);
  return series;
}

std::string StepFamilies::TemplateHelp(std::string_view family) const {
  std::string patterns;
  for (const Template& t : templates_) {
    if (t.family != family) continue;
    if (!patterns.empty()) patterns += ", ";
    patterns += t.shown;
  }
  return "Step metrics " + patterns + " of the trainer's log, as printed.";
}

bool StepFamilies::AllowsStaticLabel(std::string_view name) const {
  if (!IsValidLabelName(name) || IsCatalogueLabel(name)) return false;
  return std::none_of(
      templates_.begin(), templates_.end(), [name](const Template& t) {
        const auto& names = t.pattern.label_names();
        return t.fixed_label == name ||
               std::find(names.begin(), names.end(), name) != names.end();
      });
}

}  // namespace rlrun
