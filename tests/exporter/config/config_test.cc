#include "exporter/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Errors(const std::string& text) {
  Config config;
  return ParseConfig(text, "c.yaml", &config);
}

Config Parsed(const std::string& text) {
  Config config;
  EXPECT_THAT(ParseConfig(text, "c.yaml", &config), IsEmpty());
  return config;
}

TEST(Config, EmptyFileMeansDefaults) {
  for (const char* text :
       {"", "# nothing\n", "---\n", "~\n", "roots:\nkeys:\nlimits:\n"}) {
    const Config config = Parsed(text);
    EXPECT_THAT(config.roots, IsEmpty());
    EXPECT_EQ(config.store.max_series, StoreOptions().max_series);
    EXPECT_EQ(config.tail.idle_interval, TailOptions().idle_interval);
  }
}

TEST(Config, EveryKey) {
  const Config c = Parsed(R"(
roots:
  - path: /data/*/logs
    format: jsonl
    run_name: (?P<project>[^/]+)/(?P<run>.*)
    labels: {cluster: north, rack: 12}
    max_depth: 2
    max_files: 7
  - path: /other
keys:
  include: ["a*", b]
  exclude: [c]
  templates:
    - {pattern: x/<task>, family: x, labels: {flavour: plain}}
limits: {max_keys_per_run: 1, max_series: 2, max_line_bytes: 3000,
         bytes_per_turn: 5000, max_open_files: 5}
retention: {finished: 1h, max_age: 2d, vanish_grace: 90}
poll: {active: 1s, idle: 20s, directory: 1m, network_factor: 2.5,
       root_timeout: 30s, rotate_wait: 0, inotify: false}
)");
  ASSERT_EQ(c.roots.size(), 2u);
  EXPECT_EQ(c.roots[0].path, "/data/*/logs");
  EXPECT_EQ(c.roots[0].format, "jsonl");
  EXPECT_EQ(c.roots[0].run_name, "(?P<project>[^/]+)/(?P<run>.*)");
  EXPECT_THAT(c.roots[0].labels, ElementsAre(std::pair("cluster", "north"),
                                             std::pair("rack", "12")));
  EXPECT_EQ(c.roots[0].max_depth, 2);
  EXPECT_EQ(c.roots[0].max_files, 7u);
  EXPECT_EQ(c.roots[1].format, "auto");
  EXPECT_THAT(c.metrics.include, ElementsAre("a*", "b"));
  EXPECT_THAT(c.metrics.exclude, ElementsAre("c"));
  ASSERT_EQ(c.metrics.templates.size(), 1u);
  EXPECT_EQ(c.metrics.templates[0].pattern, "x/<task>");
  EXPECT_EQ(c.metrics.templates[0].family, "x");
  EXPECT_EQ(c.metrics.templates[0].fixed_label, "flavour");
  EXPECT_EQ(c.metrics.templates[0].fixed_value, "plain");
  EXPECT_EQ(c.store.max_keys_per_run, 1u);
  EXPECT_EQ(c.store.max_series, 2u);
  EXPECT_EQ(c.tail.max_line_bytes, 3000u);
  EXPECT_EQ(c.tail.bytes_per_turn, 5000u);
  EXPECT_EQ(c.tail.max_open_files, 5u);
  EXPECT_EQ(c.store.retention_finished, 3600);
  EXPECT_EQ(c.store.max_age, 2 * 86400);
  EXPECT_EQ(c.store.vanish_grace, 90);
  EXPECT_EQ(c.tail.active_interval, 1);
  EXPECT_EQ(c.tail.idle_interval, 20);
  EXPECT_EQ(c.tail.directory_interval, 60);
  EXPECT_EQ(c.tail.network_factor, 2.5);
  EXPECT_EQ(c.tail.root_timeout, 30);
  EXPECT_EQ(c.tail.rotate_wait, 0);
  EXPECT_FALSE(c.tail.use_inotify);
}

TEST(Config, WithErrorsNothingIsChanged) {
  Config config;
  config.store.max_series = 77;
  EXPECT_FALSE(
      ParseConfig("limits: {max_series: 5, nope: 1}", "c.yaml", &config)
          .empty());
  EXPECT_EQ(config.store.max_series, 77u);
}

TEST(Config, WithoutErrorsOldValuesAreGone) {
  Config config;
  config.store.max_series = 77;
  config.roots.emplace_back();
  EXPECT_THAT(ParseConfig("poll:", "c.yaml", &config), IsEmpty());
  EXPECT_EQ(config.store.max_series, StoreOptions().max_series);
  EXPECT_THAT(config.roots, IsEmpty());
}

TEST(Config, AllErrorsAtOnceInTheOrderOfLines) {
  EXPECT_THAT(
      Errors("poll:\n  active: fast\nroot: []\nlimits:\n  max_series: 0\n"
             "roots:\n  - format: verl\n"),
      ElementsAre(
          "c.yaml:2: poll.active: must be a duration from 50ms to 1h (such as "
          "90s, 15m, 24h, 7d), is \"fast\"",
          "c.yaml:3: root: unknown key; did you mean roots?",
          "c.yaml:5: limits.max_series: must be a whole number from 1 to "
          "100000000, is \"0\"",
          "c.yaml:7: roots[0]: path is missing"));
}

TEST(Config, MisspelledKeyGetsASuggestion) {
  EXPECT_THAT(Errors("limits:\n\n  max_serise: 5\n"),
              ElementsAre("c.yaml:3: limits.max_serise: unknown key; did you "
                          "mean max_series?"));
  EXPECT_THAT(Errors("roots:\n- path: /a\n  runname: x\n"),
              ElementsAre("c.yaml:3: roots[0].runname: unknown key; did you "
                          "mean run_name?"));
}

TEST(Config, KeyOfAnotherSectionIsSentThere) {
  EXPECT_THAT(Errors("max_series: 5\n"),
              ElementsAre("c.yaml:1: max_series: unknown key here; it belongs "
                          "under limits"));
}

TEST(Config, UnknownKeyWithoutANearNameGetsTheList) {
  EXPECT_THAT(Errors("retention:\n  xyzzyxyzzy: 5\n"),
              ElementsAre("c.yaml:2: retention.xyzzyxyzzy: unknown key; known "
                          "here: finished, max_age, vanish_grace"));
}

TEST(Config, KeyThatStandsTwice) {
  EXPECT_THAT(
      Errors("limits:\n  max_series: 5\n  max_series: 6\npoll:\nlimits:\n"),
      ElementsAre("c.yaml:3: limits.max_series: stands twice, first in line 2",
                  "c.yaml:5: limits: stands twice, first in line 1"));
}

TEST(Config, KeyThatIsNoText) {
  EXPECT_THAT(Errors("limits:\n  ? [a]\n  : 1\n"),
              ElementsAre("c.yaml:2: limits: a key must be a text"));
}

TEST(Config, WrongTypes) {
  const std::string whole =
      "c.yaml:1: limits.max_series: must be a whole number from 1 to "
      "100000000, is ";
  const auto series = [](const std::string& value) {
    return Errors("limits: {max_series: " + value + "}");
  };
  EXPECT_THAT(series("lots"), ElementsAre(whole + "\"lots\""));
  EXPECT_THAT(series("-1"), ElementsAre(whole + "\"-1\""));
  EXPECT_THAT(series("1.5"), ElementsAre(whole + "\"1.5\""));
  EXPECT_THAT(series("1e3"), ElementsAre(whole + "\"1e3\""));
  EXPECT_THAT(series("100000001"), ElementsAre(whole + "\"100000001\""));
  EXPECT_THAT(series("99999999999999999999"),
              ElementsAre(whole + "\"99999999999999999999\""));
  EXPECT_THAT(series("\"5\""), ElementsAre(whole + "\"5\" in quotes"));
  EXPECT_THAT(series("[5]"), ElementsAre(whole + "a list"));
  EXPECT_THAT(series("{a: 5}"), ElementsAre(whole + "a map"));
  EXPECT_THAT(series(""), ElementsAre(whole + "empty"));
}

TEST(Config, WrongSections) {
  EXPECT_THAT(Errors("limits: 5"),
              ElementsAre("c.yaml:1: limits: must be a map of keys and values, "
                          "is \"5\""));
  EXPECT_THAT(Errors("roots: /data"),
              ElementsAre("c.yaml:1: roots: must be a list, is \"/data\""));
  EXPECT_THAT(Errors("roots:\n  - /data\n"),
              ElementsAre("c.yaml:2: roots[0]: must be a map of keys and "
                          "values, is \"/data\""));
  EXPECT_THAT(Errors("- a\n"),
              ElementsAre("c.yaml:1: must be a map of keys and values, is a "
                          "list"));
  EXPECT_THAT(Errors("keys: {include: a}"),
              ElementsAre("c.yaml:1: keys.include: must be a list, is \"a\""));
  EXPECT_THAT(
      Errors("keys:\n  include:\n    - [a]\n    - ''\n"),
      ElementsAre("c.yaml:3: keys.include[0]: must be a text, is a list",
                  "c.yaml:4: keys.include[1]: must not be empty"));
}

TEST(Config, WrongNumbersAndFlags) {
  const std::string factor =
      "c.yaml:1: poll.network_factor: must be a number from 1 to 1000, is ";
  for (const char* value : {"0.5", "nan", "inf", "-4", "x", "1001"}) {
    EXPECT_THAT(Errors(std::string("poll: {network_factor: ") + value + "}"),
                ElementsAre(factor + "\"" + value + "\""));
  }
  EXPECT_THAT(Errors("poll: {inotify: yes}"),
              ElementsAre("c.yaml:1: poll.inotify: must be true or false, is "
                          "\"yes\""));
  EXPECT_THAT(Errors("retention: {finished: -24h}"),
              ElementsAre("c.yaml:1: retention.finished: must be a duration "
                          "from 0s to 3650d (such as 90s, 15m, 24h, 7d), is "
                          "\"-24h\""));
}

TEST(Config, IdleShorterThanActive) {
  EXPECT_THAT(
      Errors("poll:\n  active: 30s\n"),
      ElementsAre("c.yaml:1: poll: idle must not be shorter than active"));
}

TEST(Config, RootPaths) {
  EXPECT_THAT(Errors("roots:\n  - path: ''\n  - path: ~/runs\n  - path:\n"),
              ElementsAre("c.yaml:2: roots[0].path: must not be empty",
                          "c.yaml:3: roots[1].path: ~ is not expanded; write "
                          "the whole path",
                          "c.yaml:4: roots[2].path: must be a text, is empty"));
  EXPECT_THAT(
      Errors("roots:\n  - path: /a/b\n  - path: /a\n  - path: /a/b//\n"),
      ElementsAre("c.yaml:4: roots[2]: the same path as the root in line 2"));
}

TEST(Config, RootFormatAndCaps) {
  EXPECT_THAT(
      Errors("roots:\n  - path: /a\n    format: json\n    max_depth: -1\n"
             "    max_files: 0\n"),
      ElementsAre("c.yaml:3: roots[0].format: must be auto, verl, jsonl, slime "
                  "or trl, is "
                  "\"json\"",
                  "c.yaml:4: roots[0].max_depth: must be a whole number from 0 "
                  "to 64, is \"-1\"",
                  "c.yaml:5: roots[0].max_files: must be a whole number from 1 "
                  "to 10000000, is \"0\""));
}

TEST(Config, RunNamePatterns) {
  const auto with = [](const std::string& pattern) {
    return Errors("roots:\n  - path: /a\n    run_name: '" + pattern + "'\n");
  };
  const std::string at = "c.yaml:3: roots[0].run_name: ";
  EXPECT_THAT(with("(?P<run>.*)-(x|y)"), IsEmpty());
  EXPECT_THAT(with("(.*)"),
              ElementsAre(at + "the pattern has no group (?P<run>...)"));
  EXPECT_THAT(with("(?P<run>a)(?P<user>b)"),
              ElementsAre(at + "unknown group user; only run and project are "
                               "used"));
  EXPECT_THAT(with("(?P<run>a"), ElementsAre(at + "missing ): (?P<run>a"));
  EXPECT_THAT(with("(?<run>a)"),
              ElementsAre(at + "invalid perl operator: (?<; named groups are "
                               "written (?P<run>...)"));
}

TEST(Config, RootLabels) {
  const auto with = [](const std::string& label) {
    return Errors("roots:\n  - path: /a\n    labels:\n      " + label + "\n");
  };
  EXPECT_THAT(with("cluster: a"), IsEmpty());
  EXPECT_THAT(with("a-b: c"),
              ElementsAre("c.yaml:4: roots[0].labels.a-b: no label name; "
                          "letters, digits and _ make one"));
  EXPECT_THAT(with("__a: c"),
              ElementsAre("c.yaml:4: roots[0].labels.__a: label names with __ "
                          "are Prometheus's own"));
  for (const std::string name : {"run", "key", "phase", "le", "instance"}) {
    EXPECT_THAT(with(name + ": c"),
                ElementsAre("c.yaml:4: roots[0].labels." + name +
                            ": the exporter's own series use this label"));
  }
  EXPECT_THAT(with("a: ''"),
              ElementsAre("c.yaml:4: roots[0].labels.a: must not be empty; "
                          "Prometheus takes an empty label for an absent one"));
  EXPECT_THAT(with("a: [b]"),
              ElementsAre("c.yaml:4: roots[0].labels.a: must be a text, is a "
                          "list"));
  EXPECT_THAT(with("a: b\n      a: c"),
              ElementsAre("c.yaml:5: roots[0].labels.a: stands twice, first in "
                          "line 4"));
}

TEST(Config, RootLabelThatATemplateUses) {
  EXPECT_THAT(Errors("roots:\n  - path: /a\n    labels: {task: b}\n"
                     "keys:\n  templates:\n    - {pattern: x/<task>, family: "
                     "x}\n"),
              ElementsAre("c.yaml:3: roots[0].labels.task: a template of keys "
                          "uses this label"));
}

TEST(Config, Templates) {
  const auto with = [](const std::string& text) {
    return Errors("keys:\n  templates:\n    - {" + text + "}\n");
  };
  const std::string at = "c.yaml:3: keys.templates[0]: ";
  EXPECT_THAT(with("family: x"), ElementsAre(at + "pattern is missing"));
  EXPECT_THAT(with("pattern: a/<b>"), ElementsAre(at + "family is missing"));
  EXPECT_THAT(with("pattern: a/<b>, family: rlrun_step_x"),
              ElementsAre(at + "family is written without rlrun_step_"));
  EXPECT_THAT(with("pattern: a/<b>, family: x, labels: {c: d, e: f}"),
              ElementsAre("c.yaml:3: keys.templates[0].labels: one label at "
                          "most is added to a template"));
  EXPECT_THAT(with("pattern: a/<b>, familie: x"),
              ElementsAre("c.yaml:3: keys.templates[0].familie: unknown key; "
                          "did you mean family?",
                          at + "family is missing"));
  // The rest is said by the room that matches the patterns.
  for (const char* pattern :
       {"a/<b", "a/b>", "a/<b>c", "a/<>", "a/<b-c>", "a/<b>/<b>", "a/<run>"}) {
    const KeyTemplate wrong{pattern, "x", "", ""};
    ASSERT_NE(CheckTemplate(wrong), "") << pattern;
    EXPECT_THAT(with(std::string("pattern: '") + pattern + "', family: x"),
                ElementsAre(at + CheckTemplate(wrong)));
  }
  const KeyTemplate bad_family{"a/<b>", "a-b", "", ""};
  EXPECT_THAT(with("pattern: a/<b>, family: a-b"),
              ElementsAre(at + CheckTemplate(bad_family)));
}

TEST(Config, BrokenYaml) {
  EXPECT_THAT(Errors("limits:\n  max_series: [5\n"),
              ElementsAre("c.yaml:3: end of sequence flow not found"));
  EXPECT_THAT(Errors("limits:\n\tmax_series: 5\n"),
              ElementsAre("c.yaml:2: illegal map value"));
  EXPECT_THAT(Errors("limits: *nowhere\n"),
              ElementsAre("c.yaml:1: the referenced anchor is not defined"));
  EXPECT_THAT(Errors(std::string(100000, '[')),
              ElementsAre("c.yaml:1: nested too deeply"));
}

TEST(Config, SecondDocumentIsNotReadSilently) {
  EXPECT_THAT(Errors("poll:\n---\nlimits:\n  max_series: 5\n"),
              ElementsAre("c.yaml:3: a second document; one file holds one"));
}

TEST(Config, LongAndBrokenTextStaysOneShortLine) {
  EXPECT_THAT(Errors("poll: {inotify: \"a\\n" + std::string(99, 'b') + "\"}"),
              ElementsAre("c.yaml:1: poll.inotify: must be true or false, is "
                          "\"a " +
                          std::string(58, 'b') + "...\" in quotes"));
}

TEST(LoadConfig, MissingFileIsNamed) {
  Config config;
  EXPECT_THAT(LoadConfig("/nonexistent/c.yaml", &config),
              ElementsAre("/nonexistent/c.yaml: No such file or directory"));
}

TEST(LoadConfig, DirectoryIsNoFile) {
  Config config;
  EXPECT_THAT(LoadConfig("/", &config), ElementsAre("/: Is a directory"));
}

TEST(LoadConfig, LogInsteadOfConfigurationIsRefused) {
  const std::string path = ::testing::TempDir() + "/huge_config.yaml";
  std::ofstream(path) << std::string((1u << 20) + 1, '#');
  Config config;
  EXPECT_THAT(
      LoadConfig(path, &config),
      ElementsAre(path + ": larger than 1 MiB; this is no configuration"));
  std::remove(path.c_str());
}

TEST(Config, Processes) {
  Config c;
  ASSERT_THAT(ParseConfig("processes: {enabled: false, proc_root: /host/proc, "
                          "nvml_library: \"\", interval: 1m}",
                          "c.yaml", &c),
              IsEmpty());
  EXPECT_FALSE(c.processes.enabled);
  EXPECT_EQ(c.processes.proc_root, "/host/proc");
  EXPECT_EQ(c.processes.nvml_library, "");
  EXPECT_EQ(c.processes.interval, 60);
  EXPECT_THAT(
      Errors("processes: {proc_root: proc, interval: 100ms}"),
      ElementsAre("c.yaml:1: processes.proc_root: must be an absolute path",
                  "c.yaml:1: processes.interval: must be a duration from 1s to "
                  "1h (such as 90s, 15m, 24h, 7d), is \"100ms\""));
}

}  // namespace
}  // namespace rlrun
