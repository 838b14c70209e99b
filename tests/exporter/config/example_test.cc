// Holds config.example.yaml to what the loader knows. A line of it that begins
// with `#` and exactly one blank is prose; any other line that begins with `#`
// is a setting without a default, which is tested with the `#` removed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <set>
#include <sstream>

#include "exporter/config/config.h"
#include "exporter/config/keys.h"
#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr char kFile[] = "config.example.yaml";

std::string Example() {
  std::ostringstream text;
  text << std::ifstream(kFile).rdbuf();
  EXPECT_NE(text.str(), "");
  return text.str();
}

bool IsProse(const std::string& line) {
  return line.size() < 3 || line[0] != '#' ||
         (line[1] == ' ' && line[2] != ' ');
}

// With every setting without a default in force.
std::string Complete() {
  std::istringstream lines(Example());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += (IsProse(line) ? line : line.substr(1)) + "\n";
  }
  return text;
}

void CollectKeys(const YAML::Node& node, const std::string& prefix,
                 std::set<std::string>* keys) {
  if (node.IsSequence()) {
    for (const YAML::Node& element : node) CollectKeys(element, prefix, keys);
  }
  if (!node.IsMap()) return;
  for (const auto& pair : node) {
    const std::string key = prefix + pair.first.Scalar();
    keys->insert(key);
    // What stands under these is the user's, or explained elsewhere.
    const bool is_open = key.ends_with(".labels") || key == "runs.rules" ||
                         key == "runs.baseline" || key == "runs.target";
    if (!is_open) CollectKeys(pair.second, key + ".", keys);
  }
}

TEST(ConfigExample, EveryValueIsTheDefault) {
  Config c;
  // Values that the file does not restore would stay visible.
  c.store = {1, 2, 3, 4, 5};
  c.tail = {1, 2, 3, 4, 5, 6, 7, 8, 9, false};
  c.roots.emplace_back();
  c.trials = {false, 1, 2, 3, 4, {"a"}, {"b"}, 5, 6, ""};
  c.processes.enabled = false;
  c.processes.interval = 1;
  c.processes.proc_root = c.processes.nvml_library = "x";
  ASSERT_THAT(LoadConfig(kFile, &c), IsEmpty());
  const StoreOptions store;
  const TailOptions tail;
  EXPECT_TRUE(c.roots.empty());
  EXPECT_TRUE(c.metrics.include.empty());
  EXPECT_TRUE(c.metrics.exclude.empty());
  EXPECT_TRUE(c.metrics.templates.empty());
  EXPECT_EQ(c.store.max_keys_per_run, store.max_keys_per_run);
  EXPECT_EQ(c.store.max_series, store.max_series);
  EXPECT_EQ(c.store.retention_finished, store.retention_finished);
  EXPECT_EQ(c.store.max_age, store.max_age);
  EXPECT_EQ(c.store.vanish_grace, store.vanish_grace);
  EXPECT_EQ(c.tail.active_interval, tail.active_interval);
  EXPECT_EQ(c.tail.idle_interval, tail.idle_interval);
  EXPECT_EQ(c.tail.directory_interval, tail.directory_interval);
  EXPECT_EQ(c.tail.network_factor, tail.network_factor);
  EXPECT_EQ(c.tail.root_timeout, tail.root_timeout);
  EXPECT_EQ(c.tail.bytes_per_turn, tail.bytes_per_turn);
  EXPECT_EQ(c.tail.max_line_bytes, tail.max_line_bytes);
  EXPECT_EQ(c.tail.max_open_files, tail.max_open_files);
  EXPECT_EQ(c.tail.rotate_wait, tail.rotate_wait);
  EXPECT_EQ(c.tail.use_inotify, tail.use_inotify);
  const ProcessOptions processes;
  EXPECT_EQ(c.processes.enabled, processes.enabled);
  EXPECT_EQ(c.processes.interval, processes.interval);
  EXPECT_EQ(c.processes.proc_root, processes.proc_root);
  EXPECT_EQ(c.processes.nvml_library, processes.nvml_library);
  const TrialOptions trials;
  EXPECT_EQ(c.trials.enabled, trials.enabled);
  EXPECT_EQ(c.trials.interval, trials.interval);
  EXPECT_EQ(c.trials.stuck_after, trials.stuck_after);
  EXPECT_EQ(c.trials.settle_after, trials.settle_after);
  EXPECT_EQ(c.trials.settled_interval, trials.settled_interval);
  EXPECT_EQ(c.trials.val_patterns, trials.val_patterns);
  EXPECT_EQ(c.trials.train_patterns, trials.train_patterns);
  EXPECT_EQ(c.trials.max_result_bytes, trials.max_result_bytes);
  EXPECT_EQ(c.trials.give_up_after, trials.give_up_after);
}

TEST(ConfigExample, EveryNumberOfTheRulesIsTheDefault) {
  Config c;
  ASSERT_THAT(LoadConfig(kFile, &c), IsEmpty());
  RuleOptions read = c.rules->options;
  RuleOptions defaults;
  for (const auto family :
       {CheckNumbers(), FailureNumbers(), QualityNumbers(), TimeNumbers()}) {
    for (const auto& group : family) {
      for (const auto& spec : group.numbers) {
        const std::string name =
            std::string(group.name) + "." + std::string(spec.name);
        if (spec.number != nullptr) {
          EXPECT_EQ(spec.number(read), spec.number(defaults)) << name;
        } else {
          EXPECT_EQ(spec.count(read), spec.count(defaults)) << name;
        }
      }
    }
  }
}

TEST(ConfigExample, SettingsWithoutDefaultAreValidWhenTurnedOn) {
  Config c;
  ASSERT_THAT(ParseConfig(Complete(), "complete", &c), IsEmpty());
  ASSERT_EQ(c.roots.size(), 1u);
  const RootOptions defaults;
  EXPECT_EQ(c.roots[0].format, defaults.format);
  EXPECT_EQ(c.roots[0].max_depth, defaults.max_depth);
  EXPECT_EQ(c.roots[0].max_files, defaults.max_files);
  EXPECT_NE(c.roots[0].run_name, "");
  EXPECT_EQ(c.roots[0].labels.size(), 1u);
  EXPECT_EQ(c.metrics.templates.size(), 1u);
}

TEST(ConfigExample, EveryKnownKeyOccursAndNoOther) {
  std::set<std::string> keys;
  CollectKeys(YAML::Load(Complete()), "", &keys);
  const std::vector<std::string> known = KnownConfigKeys();
  EXPECT_THAT(keys, ElementsAreArray(std::set(known.begin(), known.end())));
}

TEST(ConfigExample, EverySettingHasAnExplanationInFront) {
  std::istringstream lines(Example());
  std::string before;
  bool in_rules = false;
  for (std::string line; std::getline(lines, line); before = line) {
    // Of the rules only the numbers that need it are explained.
    if (line.ends_with(':') && line[0] != ' ') in_rules = line == "rules:";
    if (in_rules) continue;
    const std::size_t begin = line.find_first_not_of(' ');
    const bool comment = begin != line.npos && line[begin] == '#';
    if (begin == line.npos || (comment && IsProse(line))) continue;
    const std::size_t text = before.find_first_not_of(' ');
    // What stands under labels is an example of the user's own names.
    EXPECT_TRUE(before.ends_with("labels:") || before.ends_with("rules:") ||
                before.ends_with("baseline:") || before.ends_with("target:") ||
                (text != before.npos && before.substr(text, 2) == "# "))
        << line;
  }
}

}  // namespace
}  // namespace rlrun
