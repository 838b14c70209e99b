// Drives an App through the events of a RunTree and compares what it says of
// every run with what must be true. Time is the test's own: Step() is one tick.
// Not thread-safe.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/exposition/exposition.h"
#include "tests/scenarios/run_tree.h"

namespace rlrun {

// All series of an exposition by their name and labels.
class ExposedSeries {
 public:
  explicit ExposedSeries(const App& app) {
    std::string text;
    AppendBlocks(&text, app.snapshot()->blocks, TextFormat::kText004);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (line.starts_with('#')) continue;
      const std::size_t space = line.rfind(' ');
      values_[line.substr(0, space)] = line.substr(space + 1);
    }
  }
  // Empty: there is no such series.
  std::string Value(const std::string& series) const {
    const auto it = values_.find(series);
    return it == values_.end() ? "" : it->second;
  }
  // Values of the label that ends the series beginning so whose value is 1.
  std::vector<std::string> On(const std::string& front) const {
    std::vector<std::string> on;
    for (auto it = values_.lower_bound(front);
         it != values_.end() && it->first.starts_with(front); ++it) {
      if (it->second != "1") continue;
      const std::string rest = it->first.substr(front.size());
      const std::size_t quote = rest.find('"') + 1;
      on.push_back(rest.substr(quote, rest.find('"', quote) - quote));
    }
    return on;
  }

 private:
  std::map<std::string, std::string> values_;
};

// Its log was truncated and says nothing yet: whoever has read what was there
// before still tells of that, and nobody else of anything.
inline bool IsEmptied(const scenarios::RunTruth& truth) {
  return truth.state.empty() && !truth.step;
}

inline std::string LabelsOf(const scenarios::RunTruth& truth) {
  return "{run=\"" + truth.run + "\",project=\"" + truth.project + "\"";
}

inline const RunReport* ReportOf(const std::vector<RunReport>& reports,
                                 const scenarios::RunTruth& truth) {
  for (const RunReport& report : reports) {
    if (report.project == truth.project && report.run == truth.run) {
      return &report;
    }
  }
  return nullptr;
}

// `state`: as it must be said; empty: not said. `is_fresh`: the reader has not
// seen what was there before.
inline void ExpectTruth(const scenarios::RunTruth& truth,
                        const std::string& state, const ExposedSeries& series,
                        const std::vector<RunReport>& reports, bool is_fresh) {
  using testing::ElementsAre;
  SCOPED_TRACE(truth.run);
  const std::string labels = LabelsOf(truth);
  const RunReport* report = ReportOf(reports, truth);
  ASSERT_NE(report, nullptr);
  const std::vector<std::string> states =
      series.On("rlrun_state" + labels + ",state=");
  if (!state.empty()) {
    EXPECT_THAT(states, ElementsAre(state));
  }
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(kRunStateNames[static_cast<std::size_t>(report->state)], states[0]);
  const std::string step =
      truth.step ? std::to_string(*truth.step) : std::string();
  EXPECT_EQ(series.Value("rlrun_last_step" + labels + ",line=\"train\"}"),
            step);
  EXPECT_EQ(report->step ? std::to_string(*report->step) : "", step);
  if (truth.step) {
    EXPECT_EQ(series.Value("rlrun_total_steps" + labels + "}"),
              std::to_string(truth.total_steps));
    EXPECT_EQ(report->total_steps, truth.total_steps);
  }
  const auto phases = series.On("rlrun_phase" + labels + ",phase=");
  if (truth.phase.empty()) {
    EXPECT_THAT(phases, ElementsAre());
  } else {
    EXPECT_THAT(phases, ElementsAre(truth.phase));
  }
  EXPECT_EQ(report->phase, IsEnded(report->state) ? "" : truth.phase);
  if (truth.rewinds && !is_fresh) {
    EXPECT_EQ(series.Value("rlrun_rewinds_total" + labels + "}"),
              std::to_string(*truth.rewinds));
  }
}

// Exactly these runs, and each as it must be.
inline void ExpectRuns(
    App* app, Now now, const std::vector<scenarios::RunTruth>& truths,
    const std::function<std::string(const scenarios::RunTruth&)>& state,
    bool is_fresh) {
  std::set<std::string> wanted, named;
  for (const RunSummary& run : app->snapshot()->runs) {
    named.insert(run.project + "/" + run.run);
  }
  EXPECT_EQ(named.size(), app->snapshot()->runs.size());
  for (const auto& truth : truths) {
    const std::string name = truth.project + "/" + truth.run;
    if (is_fresh && IsEmptied(truth)) {
      named.erase(name);
    } else {
      wanted.insert(name);
    }
  }
  EXPECT_EQ(named, wanted);
  if (testing::Test::HasFailure()) return;
  const ExposedSeries series(*app);
  const std::vector<RunReport> reports = app->Reports(now);
  for (const auto& truth : truths) {
    if (IsEmptied(truth)) continue;
    ExpectTruth(truth, state(truth), series, reports, is_fresh);
  }
}

inline std::unique_ptr<App> TreeApp(const std::string& root, FileSource* source,
                                    bool reads_trials = true) {
  SetupLog("error", "logfmt");
  Config config;
  RootOptions options;
  options.path = root;
  config.roots.push_back(options);
  config.trials.enabled = reads_trials;
  AppOptions app_options;
  app_options.self = {"test", "test", /*deterministic=*/true};
  return std::make_unique<App>(config, app_options, source);
}

// Tells the readers what inotify would tell them of a local file system.
inline void Hint(App* app, const std::set<std::string>& paths,
                 bool entries_came) {
  std::set<std::string> directories;
  for (const std::string& path : paths) {
    directories.insert(path.substr(0, path.rfind('/')));
  }
  const std::vector<std::string> sorted(directories.begin(), directories.end());
  for (const auto& reader : app->readers()) {
    reader->Wake(&sorted);
    if (entries_came) reader->WakeListing();
  }
}

}  // namespace rlrun
