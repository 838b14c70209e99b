// An App over a file system in memory, with a clock that the test moves: every
// time is seconds since the start of the test. Reads inline, in one thread.
// Not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/config/config.h"
#include "exporter/exposition/exposition.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {

class AppFixture : public ::testing::Test {
 protected:
  static constexpr std::int64_t kStart = 1767323045;  // Unix seconds

  AppFixture() {
    SetupLog("error", "logfmt");
    files_.Mkdir("/r");
    Clock(0);
  }

  // Changes of files from now on happen at `t`.
  void Clock(double t) {
    time_ = t;
    files_.SetClock((kStart + static_cast<std::int64_t>(t)) * 1000000000);
  }
  Now NowAt(double t) const {
    return {1000 + t, static_cast<double>(kStart) + t};
  }

  void AddRoot(const std::string& path) {
    RootOptions root;
    root.path = path;
    config_.roots.push_back(root);
  }
  void Start() {
    if (config_.roots.empty()) AddRoot("/r");
    options_.self = {"test", "test", /*deterministic=*/true};
    app_ = std::make_unique<App>(config_, options_, &files_);
  }
  // Reads everything that is due at `t`; starts the app where none runs.
  void ReadAt(double t) {
    if (app_ == nullptr) Start();
    Clock(t);
    app_->ReadInline(NowAt(t));
  }
  // The same at every tenth second of [begin, end].
  void ReadThrough(double begin, double end) {
    for (double t = begin; t <= end; t += 10) ReadAt(t);
  }

  std::string Text() const {
    std::string text;
    AppendBlocks(&text, app_->snapshot()->blocks, TextFormat::kText004);
    app_->AppendSelf(&text, TextFormat::kText004);
    return text;
  }
  // The value behind `series` as the exposition writes it; absent: no such
  // series.
  std::optional<std::string> Value(const std::string& series) const {
    const std::string text = "\n" + Text();
    const std::size_t at = text.find("\n" + series + " ");
    if (at == std::string::npos) return std::nullopt;
    const std::size_t begin = at + series.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  std::optional<std::string> Files(const std::string& outcome) const {
    return Value("rlrun_exporter_files{outcome=\"" + outcome + "\"}");
  }
  // `run`, or `project/run`, in order.
  std::vector<std::string> Runs() const {
    std::vector<std::string> names;
    for (const RunSummary& run : app_->snapshot()->runs) {
      names.push_back(run.project.empty() ? run.run
                                          : run.project + "/" + run.run);
    }
    return names;
  }

  static std::string Step(int step, std::string_view pairs) {
    return "(TaskRunner pid=7) step:" + std::to_string(step) + " - " +
           std::string(pairs) + "\n";
  }

  InMemoryFileSource files_;
  Config config_;
  AppOptions options_;
  std::unique_ptr<App> app_;
  double time_ = 0;
};

}  // namespace rlrun
