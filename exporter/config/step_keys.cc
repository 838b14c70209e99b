#include "exporter/config/step_keys.h"

#include <utility>

#include "exporter/config/key_spec.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

void ReadFixedLabel(const YamlValue& v, KeyTemplate* t) {
  const auto entries = v.Entries();
  if (entries.size() > 1) v.Fail("one label at most is added to a template");
  if (entries.size() != 1) return;
  t->fixed_label = entries[0].first;
  if (!entries[0].second.Read(&t->fixed_value)) t->fixed_label.clear();
}

constexpr KeySpec<KeyTemplate> kTemplateKeys[] = {
    {"pattern",
     [](const YamlValue& v, KeyTemplate* t) { v.Read(&t->pattern); }},
    {"family", [](const YamlValue& v, KeyTemplate* t) { v.Read(&t->family); }},
    {"labels", ReadFixedLabel},
};

void ReadTemplates(const YamlValue& list, MetricsOptions* options) {
  for (const YamlValue& element : list.Elements()) {
    KeyTemplate t;
    if (!ReadMap<KeyTemplate>(element, kTemplateKeys, &t)) continue;
    std::string wrong;
    if (t.pattern.empty()) {
      wrong = "pattern is missing";
    } else if (t.family.empty()) {
      wrong = "family is missing";
    } else if (t.family.starts_with(kStepPrefix)) {
      wrong = "family is written without " + std::string(kStepPrefix);
    } else {
      wrong = CheckTemplate(t);
    }
    if (!wrong.empty()) element.Fail(wrong);
    options->templates.push_back(std::move(t));
  }
}

void ReadGlobs(const YamlValue& list, std::vector<std::string>* globs) {
  for (const YamlValue& element : list.Elements()) {
    std::string glob;
    if (!element.Read(&glob)) continue;
    if (glob.empty()) element.Fail("must not be empty");
    globs->push_back(std::move(glob));
  }
}

constexpr KeySpec<MetricsOptions> kKeysKeys[] = {
    {"include",
     [](const YamlValue& v, MetricsOptions* o) { ReadGlobs(v, &o->include); }},
    {"exclude",
     [](const YamlValue& v, MetricsOptions* o) { ReadGlobs(v, &o->exclude); }},
    {"templates", ReadTemplates},
};

}  // namespace

void ReadStepKeys(const YamlValue& map, MetricsOptions* options) {
  ReadMap<MetricsOptions>(map, kKeysKeys, options);
}

void AppendStepKeysKeys(std::vector<std::string>* names) {
  AppendNames<MetricsOptions>("keys.", kKeysKeys, names);
  AppendNames<KeyTemplate>("keys.templates.", kTemplateKeys, names);
}

}  // namespace rlrun
