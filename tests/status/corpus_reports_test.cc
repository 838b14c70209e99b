// Public logs, where they are at hand ($RLRUN_CORPUS, else ../shared/corpus):
// what must be said of them, and what must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/report/report_json.h"
#include "exporter/report/report_text.h"
#include "exporter/tail/real_file_source.h"
#include "tests/exporter/report/status_schema.h"

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Corpus() {
  const char* folder = std::getenv("RLRUN_CORPUS");
  return folder != nullptr ? folder : "../shared/corpus";
}

class CorpusReports : public ::testing::Test {
 protected:
  void SetUp() override {
    SetupLog("error", "logfmt");
    if (!std::filesystem::is_directory(Corpus())) {
      GTEST_SKIP() << "no corpus in " << Corpus();
    }
  }
  // As `status --at` reports it ten minutes behind its last write.
  static std::vector<RunReport> Reports(const std::string& path) {
    RealFileSource files;
    Config config;
    config.roots.emplace_back().path = path;
    AppOptions options;
    options.age_limits = false;
    App app(config, options, &files);
    FileStat stat;
    EXPECT_TRUE(files.Stat(path, &stat).ok()) << path;
    const Now now{1, static_cast<double>(stat.mtime_ns) / 1e9 + 600};
    app.ReadInline(now);
    return app.Reports(now);
  }
  static RunReport Report(const std::string& name) {
    const std::vector<RunReport> reports = Reports(Corpus() + "/" + name);
    EXPECT_EQ(reports.size(), 1u) << name;
    return reports.empty() ? RunReport() : reports.front();
  }
  static std::vector<std::string> Matched(const RunReport& report) {
    std::vector<std::string> out;
    for (const Finding& f : report.findings) {
      if (f.level == Level::kNone) continue;
      out.push_back(std::string(f.name) + " " +
                    std::string(LevelName(f.level)));
    }
    return out;
  }
  static std::vector<std::string> Applying(const RunReport& report) {
    std::vector<std::string> out;
    for (const Finding& f : report.findings) out.emplace_back(f.name);
    for (const CheckResult& c : report.checks) out.emplace_back(c.name);
    return out;
  }
  static std::string Text(const RunReport& report) {
    std::string text;
    AppendReport(report, ReportStyle::kText, &text);
    return text;
  }
};

TEST_F(CorpusReports, PpoWithACriticMatchesNothingAndIsNoSao) {
  const RunReport report = Report("verl/sync-ppo-critic.log");
  EXPECT_THAT(Matched(report), IsEmpty());
  EXPECT_EQ(report.state, RunState::kFinished);
  EXPECT_THAT(Text(report),
              AllOf(Not(HasSubstr("\n  critic ")), Not(HasSubstr("bypass"))));
  for (const char* sao :
       {"critic_grad_norm", "critic_advantages_mean", "eff_sample_size",
        "pg_clipfrac_absent", "all_negative_batch_collapse",
        "dis_not_reaching_actor"}) {
    EXPECT_THAT(Applying(report), Not(Contains(sao)));
  }
}

TEST_F(CorpusReports, SupervisedRunMatchesNothing) {
  const RunReport report = Report("verl/sft-keys-with-parentheses.log");
  EXPECT_THAT(Matched(report), IsEmpty());
  EXPECT_THAT(Text(report), AllOf(HasSubstr("train/lr(1e-3)="),
                                  Not(HasSubstr("\n  reward "))));
}

TEST_F(CorpusReports, FullDiskIsNamed) {
  const RunReport report = Report("verl/crash-disk-full.log");
  EXPECT_EQ(report.state, RunState::kFailed);
  EXPECT_EQ(ReportExitCode(report), 2);
  EXPECT_EQ(report.decision, std::nullopt);
  EXPECT_THAT(Matched(report), Contains("trainer_crash critical"));
  EXPECT_THAT(Text(report), AllOf(HasSubstr("disk_full="),
                                  HasSubstr("\n  log      RuntimeError: ")));
}

TEST_F(CorpusReports, RoundedRateAndKlAreNoEvidence) {
  for (const char* name :
       {"verl/crash-disk-full.log", "verl/resume-from-100.log"}) {
    const RunReport report = Report(name);
    for (const std::string& matched : Matched(report)) {
      EXPECT_THAT(matched, AllOf(Not(HasSubstr("frozen_model")),
                                 Not(HasSubstr("lr_anomaly")),
                                 Not(HasSubstr("kl_blowup"))))
          << name;
    }
    for (const CheckResult& check : report.checks) {
      if (check.name == "actor_lr" || check.name == "rollout_kl") {
        EXPECT_FALSE(check.failed()) << name << " " << check.name;
      }
    }
  }
}

TEST_F(CorpusReports, CollapseIsCriticalThoughItsRewardRises) {
  const RunReport report = Report("failures/01-collapse-to-one-token.txt");
  EXPECT_EQ(report.health, Health::kCritical);
  EXPECT_EQ(report.decision, Decision::kStop);
  EXPECT_THAT(Matched(report), Contains("length_collapse critical"));
  EXPECT_THAT(Text(report), HasSubstr("recommend stopping"));
}

TEST_F(CorpusReports, RewardOnItsFloorNamesTheClipRatio) {
  const RunReport report =
      Report("failures/03-clip-ratio-one-reward-floor.txt");
  EXPECT_THAT(Matched(report), Contains(HasSubstr("no_signal ")));
  EXPECT_THAT(Text(report), HasSubstr("response_length/clip_ratio=1 at step"));
}

// Whatever stands in a file: a report that holds its form.
TEST_F(CorpusReports, EveryFileGivesAWellFormedReportOrNone) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(Corpus())) {
    if (!entry.is_regular_file()) continue;
    for (const RunReport& report : Reports(entry.path().string())) {
      const std::vector<RunReport> one = {report};
      EXPECT_EQ(SchemaError(StatusJson(one, ChooseRuns(one, "", {}), {}, 1)),
                "")
          << entry.path();
      const std::string text = Text(report);
      EXPECT_THAT(text,
                  AllOf(HasSubstr("\n  stage    "), HasSubstr("\n  quality  "),
                        HasSubstr("\n**Diagnosis**\n")));
      for (const char c : text) {
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
      }
    }
  }
}

}  // namespace
}  // namespace rlrun
