#include "exporter/config/rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "exporter/config/key_spec.h"
#include "exporter/config/rule_numbers.h"
#include "parsers/values/glob.h"

namespace rlrun {
namespace {

using Group = NumberGroup<RuleOptions>;

// Windows look back at most so far; what is kept of a key is no more.
constexpr std::int64_t kMaxCount = 512;

std::array<std::span<const Group>, 4> Families() {
  return {CheckNumbers(), FailureNumbers(), QualityNumbers(), TimeNumbers()};
}

void ReadGroup(const Group& group, const YamlValue& map, RuleOptions* options) {
  for (const auto& [key, value] : map.Entries()) {
    const auto spec = std::find_if(
        group.numbers.begin(), group.numbers.end(),
        [&k = key](const NumberSpec<RuleOptions>& s) { return s.name == k; });
    if (spec != group.numbers.end()) {
      ReadNumberOf(*spec, kMaxCount, value, options);
      continue;
    }
    std::vector<std::string_view> here;
    for (const auto& s : group.numbers) here.push_back(s.name);
    FailUnknown(value, key, here);
  }
}

void ReadValues(const YamlValue& map, std::map<std::string, double>* values) {
  for (const auto& [key, value] : map.Entries()) {
    double number = 0;
    if (value.ReadNumber(-1e300, 1e300, &number)) (*values)[key] = number;
  }
}

struct Loading {
  std::string match;
  RunRules rules;
};

constexpr KeySpec<Loading> kRunKeys[] = {
    {"match", [](const YamlValue& v, Loading* l) { v.Read(&l->match); }},
    {"rules",
     [](const YamlValue& v, Loading* l) { ReadRules(v, &l->rules.options); }},
    {"baseline",
     [](const YamlValue& v, Loading* l) { ReadValues(v, &l->rules.baseline); }},
    {"target",
     [](const YamlValue& v, Loading* l) { ReadValues(v, &l->rules.target); }},
    {"expected_lr",
     [](const YamlValue& v, Loading* l) {
       double lr = 0;
       if (v.ReadNumber(0, 1e6, &lr)) l->rules.expected_lr = lr;
     }},
};

}  // namespace

std::shared_ptr<const RunRules> Config::RulesFor(std::string_view project,
                                                 std::string_view run) const {
  const std::string name =
      std::string(project.empty() ? "-" : project) + "/" + std::string(run);
  for (const RunOverride& o : runs) {
    if (GlobMatches(o.match, name)) return o.rules;
  }
  return rules;
}

void ReadRules(const YamlValue& map, RuleOptions* options) {
  for (const auto& [key, value] : map.Entries()) {
    const Group* found = nullptr;
    std::vector<std::string_view> here;
    for (const std::span<const Group> family : Families()) {
      for (const Group& group : family) {
        here.push_back(group.name);
        if (group.name == key) found = &group;
      }
    }
    if (found == nullptr) {
      FailUnknown(value, key, here);
    } else {
      ReadGroup(*found, value, options);
    }
  }
}

void ReadRuns(const YamlValue& list, const RuleOptions& base,
              std::vector<RunOverride>* runs) {
  for (const YamlValue& element : list.Elements()) {
    Loading loading;
    loading.rules.options = base;
    if (!ReadMap<Loading>(element, kRunKeys, &loading)) continue;
    if (loading.match.empty()) element.Fail("match is missing");
    runs->push_back({std::move(loading.match), std::make_shared<const RunRules>(
                                                   std::move(loading.rules))});
  }
}

void AppendRuleKeys(std::vector<std::string>* names) {
  for (const std::span<const Group> family : Families()) {
    for (const Group& group : family) {
      names->push_back("rules." + std::string(group.name));
      for (const auto& number : group.numbers) {
        names->push_back("rules." + std::string(group.name) + "." +
                         std::string(number.name));
      }
    }
  }
  AppendNames<Loading>("runs.", kRunKeys, names);
}

}  // namespace rlrun
