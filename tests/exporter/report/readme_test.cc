// The tables of checks and signatures in README.md are made from the tables of
// the rules: RLRUN_UPDATE_README=1 writes them, otherwise they are compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "exporter/signatures/check.h"
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {
namespace {

constexpr const char* kBegin = "<!-- rules:begin -->\n";
constexpr const char* kEnd = "<!-- rules:end -->\n";

std::string ReadReadme() {
  std::ifstream in("README.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Levels(std::uint8_t severities) {
  std::string out;
  for (const Level level : {Level::kInfo, Level::kWarning, Level::kCritical}) {
    if ((severities & LevelBit(level)) == 0) continue;
    if (!out.empty()) out += ", ";
    out += LevelName(level);
  }
  return out;
}

template <class Rule>
void AddRules(std::span<const Rule> rules, std::string* out) {
  for (const Rule& rule : rules) {
    *out += "| `" + std::string(rule.name) + "` | " + Levels(rule.severities) +
            " | " + std::string(rule.means) + " |\n";
  }
}

std::string KeyOf(const Check& check) {
  if (check.role == Role::kCount) return "main validation scores";
  if (check.role == Role::kTaskReward) return "task reward";
  const std::string_view key = RoleTable()[RoleIndex(check.role)].keys[0];
  if (!key.empty()) return "`" + std::string(key) + "`";
  return "its share of `trajectory_filter/reason/*`";
}

std::string Tables() {
  std::string out = "| signature | levels | what it means |\n|---|---|---|\n";
  AddRules(EventRules(), &out);
  AddRules(TimeRules(), &out);
  AddRules(RecordRules(), &out);
  AddRules(FailureRules(), &out);
  AddRules(QualityRules(), &out);
  out += "\n| check | of | failed after | what it means |\n|---|---|---|---|\n";
  const CheckOptions options;
  for (const Check& check : Checks()) {
    const std::size_t n = (options.*check.bound).alert_after;
    const bool validates = check.trigger == RuleTrigger::kValidation;
    out += "| `" + std::string(check.name) + "` | " + KeyOf(check) + " | " +
           std::to_string(n) + (validates ? " validation" : " step") +
           (n == 1 ? "" : "s") + " | " + std::string(check.means) + " |\n";
  }
  return out;
}

TEST(ReadmeTest, TablesOfChecksAndSignaturesAreTheRules) {
  std::string readme = ReadReadme();
  const std::size_t begin = readme.find(kBegin);
  const std::size_t end = readme.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + std::string(kBegin).size();
  if (std::getenv("RLRUN_UPDATE_README") != nullptr) {
    readme.replace(from, end - from, Tables());
    std::ofstream("README.md", std::ios::binary) << readme;
    return;
  }
  EXPECT_EQ(readme.substr(from, end - from), Tables());
}

}  // namespace
}  // namespace rlrun
