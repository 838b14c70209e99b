// Prints what dashboards may speak of, as JSON: families with their labels and
// units, templates of step keys, the keys of each role, signatures and checks
// with their words. With a file of step keys, one a line: also the series that
// each of them becomes.
//   dashboard_vocabulary [KEYS]
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/step_families.h"
#include "exporter/signatures/check.h"
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/role.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {
namespace {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void Add(Writer* out, std::string_view text) {
  out->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void Add(Writer* out, const char* key, std::string_view text) {
  out->Key(key);
  Add(out, text);
}

std::string_view TypeName(FamilyType type) {
  if (type == FamilyType::kCounter) return "counter";
  return type == FamilyType::kHistogram ? "histogram" : "gauge";
}

void AddFamilies(Writer* out) {
  out->Key("families");
  out->StartArray();
  for (const CatalogueRow& row : Catalogue()) {
    out->StartObject();
    Add(out, "name", row.name);
    Add(out, "type", TypeName(row.type));
    Add(out, "unit", row.unit);
    Add(out, "labels", row.labels);
    Add(out, "scope", row.scope == FamilyScope::kRun ? "run" : "exporter");
    Add(out, "help", row.help);
    out->EndObject();
  }
  out->EndArray();
}

template <class Keys>
void AddKeysOfRole(Writer* out, const char* trainer, const Keys& keys) {
  out->Key(trainer);
  out->StartArray();
  for (const std::string_view key : keys) {
    if (!key.empty()) Add(out, key);
  }
  out->EndArray();
}

template <class Row>
void AddRole(Writer* out, const Row& row) {
  if (row.keys[0].empty()) return;  // derived
  out->StartObject();
  AddKeysOfRole(out, "verl", row.keys);
  if constexpr (requires { row.slime; }) AddKeysOfRole(out, "slime", row.slime);
  if constexpr (requires { row.trl; }) AddKeysOfRole(out, "trl", row.trl);
  out->EndObject();
}

void AddRoles(Writer* out) {
  out->Key("roles");
  out->StartArray();
  for (const RoleRow& row : RoleTable()) AddRole(out, row);
  out->EndArray();
}

template <class Rule>
void AddRules(Writer* out, const char* group, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    out->StartObject();
    Add(out, "name", rule.name);
    Add(out, "group", group);
    out->Key("levels");
    out->StartArray();
    for (const Level level :
         {Level::kInfo, Level::kWarning, Level::kCritical}) {
      if ((rule.severities & LevelBit(level)) != 0) Add(out, LevelName(level));
    }
    out->EndArray();
    Add(out, "means", rule.means);
    Add(out, "next", rule.next);
    out->EndObject();
  }
}

void AddChecks(Writer* out) {
  out->Key("checks");
  out->StartArray();
  const CheckOptions options;
  for (const Check& check : Checks()) {
    out->StartObject();
    Add(out, "name", check.name);
    if (check.role != Role::kCount) {
      Add(out, "key", RoleTable()[RoleIndex(check.role)].keys[0]);
    }
    out->Key("alert_after");
    out->Uint64((options.*check.bound).alert_after);
    Add(out, "means", check.means);
    out->EndObject();
  }
  out->EndArray();
}

void AddKeys(Writer* out, const char* path) {
  const StepFamilies families;
  std::ifstream in(path);
  out->Key("keys");
  out->StartObject();
  for (std::string key; std::getline(in, key);) {
    const auto series = families.Map(key);
    if (!series) continue;
    out->Key(key.c_str());
    out->StartObject();
    Add(out, "family", series->family);
    out->Key("labels");
    out->StartObject();
    for (const auto& [name, value] : series->labels) {
      Add(out, name.c_str(), value);
    }
    out->EndObject();
    out->EndObject();
  }
  out->EndObject();
}

void Print(const char* keys) {
  rapidjson::StringBuffer text;
  Writer out(text);
  out.SetIndent(' ', 1);
  out.StartObject();
  AddFamilies(&out);
  AddRoles(&out);
  out.Key("signatures");
  out.StartArray();
  AddRules(&out, "event", EventRules());
  AddRules(&out, "time", TimeRules());
  AddRules(&out, "record", RecordRules());
  AddRules(&out, "failure", FailureRules());
  AddRules(&out, "quality", QualityRules());
  out.EndArray();
  AddChecks(&out);
  if (keys != nullptr) AddKeys(&out, keys);
  out.EndObject();
  std::printf("%s\n", text.GetString());
}

}  // namespace
}  // namespace rlrun

int main(int argc, char** argv) { rlrun::Print(argc > 1 ? argv[1] : nullptr); }
