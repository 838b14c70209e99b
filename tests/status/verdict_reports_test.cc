// `continue`, `wait`, `stop` and their reasons as reports give them, on the
// same kinds of series of each trainer: healthy, long, young, out of range,
// sick, silent, unreadable, ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/report/report_text.h"
#include "tests/scenarios/memory_sink.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/scenario_files.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun::scenarios {
namespace {

using ::testing::HasSubstr;

// Scenarios of one trainer; empty: it has none.
struct Trainer {
  const char* framework;
  const char* healthy;
  const char* out_of_range;  // a check alone
  const char* warned;        // a training signal at its lower level
  const char* warns;         // which
  const char* critical;
  const char* stops;  // which
  const char* finished;
};

constexpr Trainer kTrainers[] = {
    {"verl", "healthy", "check-response_clip_ratio", "entropy_collapse",
     "entropy_collapse", "reward_drop", "reward_drop", "finished"},
    {"slime", "slime", "slime-check-response_clip_ratio",
     "slime-entropy_collapse", "entropy_collapse", "slime-reward_drop",
     "reward_drop", "slime-finished"},
    {"miles", "miles", "miles-check-response_clip_ratio", "", "",
     "miles-reward_drop", "reward_drop", ""},
    {"trl", "trl", "trl-check-response_clip_ratio", "trl-entropy_collapse",
     "entropy_collapse", "trl-reward_drop", "reward_drop", "trl-finished"},
    {"trl", "trl-sft", "", "", "", "trl-sft-loss_spike", "loss_spike", ""},
};

void PrintTo(const Trainer& trainer, std::ostream* out) {
  *out << trainer.healthy;
}

struct Look {
  int steps = 0;      // printed; 0: as many as the scenario has
  int until = 0;      // only the first so many are there yet; 0: all
  double after = 60;  // seconds behind the last byte
  bool readable = true;
};

class VerdictReports : public testing::TestWithParam<Trainer> {
 protected:
  VerdictReports() { SetupLog("error", "logfmt"); }

  RunReport ReportOf(const std::string& name, const Look& look) const {
    const Scenario& scenario = *FindScenario(name);
    ScenarioOptions options;
    options.steps = look.steps;
    InMemoryFileSource files;
    MemorySink sink(&files);
    ScenarioFiles writer(scenario, options, "/runs");
    double now = 0;
    for (const Piece& piece : ScenarioPieces(scenario, options)) {
      if (look.until > 0 && piece.step > look.until) break;
      writer.Write(piece, &sink);
      now = piece.at;
    }
    now += look.after;
    Config config;
    config.roots.emplace_back().path = "/runs";
    AppOptions app_options;
    app_options.age_limits = false;
    App app(config, app_options, &files);
    app.ReadInline({1000, now});
    if (!look.readable) {
      sink.SetTime(now);
      sink.Append(writer.log(), "one line more\n");
      files.Fail(InMemoryFileSource::Call::kRead, writer.log(), EIO);
      app.ReadInline({1020, now + 20});
    }
    const std::vector<RunReport> reports = app.Reports({2000, now + 10});
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? RunReport() : reports[0];
  }

  // The report's line about quality begins with the verdict and `reason`.
  void Expect(const std::string& name, const Look& look,
              const std::string& verdict, const std::string& reason) const {
    if (name.empty()) return;
    SCOPED_TRACE(name);
    const RunReport report = ReportOf(name, look);
    EXPECT_EQ(report.framework, GetParam().framework);
    std::string text;
    AppendReport(report, ReportStyle::kText, &text);
    EXPECT_THAT(
        text, HasSubstr("\n  quality  Decision: " + verdict + " — " + reason));
  }
};

INSTANTIATE_TEST_SUITE_P(, VerdictReports, testing::ValuesIn(kTrainers),
                         [](const auto& instance) {
                           std::string name = instance.param.healthy;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(VerdictReports, AHealthyRunGoesOn) {
  Expect(GetParam().healthy, {}, "CONTINUE", "no warning is active.");
}

// What is worth knowing is no warning.
TEST_P(VerdictReports, ALongRunThatHasLearnedItsFillGoesOn) {
  Expect(GetParam().healthy, {.steps = 210}, "CONTINUE",
         "no warning is active.");
}

TEST_P(VerdictReports, AYoungRunWaits) {
  Expect(GetParam().healthy, {.until = 9}, "WAIT",
         "only 9 of 10 training steps that a judgement needs.");
  Expect(GetParam().healthy, {.until = 10}, "CONTINUE",
         "no warning is active.");
}

TEST_P(VerdictReports, ACheckAloneChangesNothing) {
  Expect(GetParam().out_of_range, {}, "CONTINUE",
         "no signature matched; checks alone (");
}

TEST_P(VerdictReports, AWarningWaits) {
  Expect(GetParam().warned, {}, "WAIT",
         std::string("to be looked at: ") + GetParam().warns + ".");
}

TEST_P(VerdictReports, ACriticalTrainingSignalStops) {
  Expect(GetParam().critical, {}, "STOP",
         std::string("critical for the training: ") + GetParam().stops);
}

// A silence says nothing about training: it takes nothing back either.
TEST_P(VerdictReports, SilenceWaitsAndHidesNoStop) {
  Expect(GetParam().healthy, {.after = 3 * 3600}, "WAIT",
         "to be looked at: stall.");
  Expect(GetParam().critical, {.after = 3 * 3600}, "STOP",
         std::string("critical for the training: ") + GetParam().stops);
}

TEST_P(VerdictReports, WhatCannotBeReadWaits) {
  Expect(GetParam().healthy, {.readable = false}, "WAIT",
         "the source cannot be read: that says nothing about training.");
}

TEST_P(VerdictReports, ARunThatHasEndedNeedsNone) {
  const std::string name = GetParam().finished;
  if (name.empty()) return;
  const RunReport report = ReportOf(name, {});
  EXPECT_FALSE(report.decision);
  std::string text;
  AppendReport(report, ReportStyle::kText, &text);
  EXPECT_EQ(text.find("Decision:"), std::string::npos) << text;
}

}  // namespace
}  // namespace rlrun::scenarios
