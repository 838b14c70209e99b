// The whole exporter core over one root and a clock that the test moves, on a
// file system of the test's choice: in memory, on disk, on a tmpfs. Paths are
// relative to the root. Not thread-safe.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/exposition/exposition.h"
#include "tests/exporter/app/world.h"

namespace rlrun {

class Torture : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    SetupLog("error", "logfmt");
    std::string why_not;
    world_ = MakeWorld(GetParam(), &why_not);
    if (world_ == nullptr) GTEST_SKIP() << why_not;
  }

  // Everything that is due `t` seconds after the start is read.
  void ReadAt(double t) {
    if (app_ == nullptr) Start();
    world_->SetTime(t);
    const WithoutRootRights guard;
    app_->ReadInline({1000 + t, world_->start() + t});
  }
  void ReadThrough(double begin, double end, double every = 10) {
    for (double t = begin; t <= end; t += every) ReadAt(t);
  }
  // Another process begins to read; nothing is left of the one before.
  void Start() {
    Config config;
    RootOptions root;
    root.path = world_->root();
    config.roots.push_back(root);
    config.tail.max_open_files = max_open_files_;
    AppOptions options;
    options.self = {"test", "test", /*deterministic=*/true};
    app_ = std::make_unique<App>(config, options, world_->source());
  }

  std::string Text() const {
    std::string text;
    AppendBlocks(&text, app_->snapshot()->blocks, TextFormat::kText004);
    app_->AppendSelf(&text, TextFormat::kText004);
    return text;
  }
  // Value of `family` for the run, of the line that also holds `part`; absent:
  // there is none.
  std::optional<std::string> Value(std::string_view family,
                                   std::string_view run = "exp",
                                   std::string_view part = "") const {
    const std::string text = Text();
    const std::string begin =
        std::string(family) + "{run=\"" + std::string(run) + "\"";
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      const std::string_view line(text.data() + at, end - at);
      if (line.starts_with(begin) && line.find(part) != line.npos) {
        return std::string(line.substr(line.rfind(' ') + 1));
      }
    }
    return std::nullopt;
  }
  std::optional<std::string> Lines(std::string_view outcome,
                                   std::string_view run = "exp") const {
    return Value("rlrun_exporter_lines_total", run,
                 "outcome=\"" + std::string(outcome) + "\"");
  }
  std::vector<std::string> Runs() const {
    std::vector<std::string> names;
    for (const RunSummary& run : app_->snapshot()->runs) {
      names.push_back(run.run);
    }
    return names;
  }
  std::string Self(const std::string& series) const {
    const std::string text = "\n" + Text();
    const std::size_t at = text.find("\n" + series + " ");
    if (at == std::string::npos) return "absent";
    const std::size_t begin = at + series.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  // `count` step lines; `a` is the number of the step.
  static std::string Steps(int first, int count = 1) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
      const std::string n = std::to_string(i);
      text += "(TaskRunner pid=7) step:" + n + " - a:" + n + "\n";
    }
    return text;
  }
  // What a launcher prints before the first step, the same at each launch.
  static std::string Banner(std::size_t at_least = 2048) {
    std::string text;
    for (int i = 0; text.size() < at_least; ++i) {
      text += "config.key_" + std::to_string(i) + ": the same in each run\n";
    }
    return text;
  }
  // The run has read `lines` step lines, each once, and shows the newest.
  void ExpectSteps(int newest, int lines, std::string_view run = "exp") const {
    EXPECT_EQ(Value("rlrun_step_a", run), std::to_string(newest));
    EXPECT_EQ(Value("rlrun_last_step", run), std::to_string(newest));
    EXPECT_EQ(Lines("step", run), std::to_string(lines));
    EXPECT_EQ(Lines("malformed", run), "0");
  }

  std::unique_ptr<World> world_;
  std::unique_ptr<App> app_;
  std::size_t max_open_files_ = 256;
};

inline std::string PlaceName(const ::testing::TestParamInfo<Place>& place) {
  switch (place.param) {
    case Place::kMemory:
      return "Memory";
    case Place::kDisk:
      return "Disk";
    default:
      return "Tmpfs";
  }
}

inline auto EveryPlace() {
  return ::testing::Values(Place::kMemory, Place::kDisk, Place::kTmpfs);
}

}  // namespace rlrun
