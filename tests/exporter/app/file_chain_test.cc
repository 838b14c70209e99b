// Files of W&B and TensorBoard that continue each other, from the files to the
// exposition.
#include <gmock/gmock.h>

#include <random>

#include "exporter/report/report_text.h"
#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/metric_sources.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr char kOld[] =
    "/r/tensorboard_log/p/exp/events.out.tfevents.1767320000.host.7.0";
constexpr char kNew[] =
    "/r/tensorboard_log/p/exp/events.out.tfevents.1767323045.host.9.0";
constexpr char kOldWandb[] = "/r/wandb/run-20260102_020405-abc/run-abc.wandb";
constexpr char kNewWandb[] =
    "/r/wandb/offline-run-20260102_030405-abc/run-abc.wandb";

std::string EventsFromTo(int first, int last, double start) {
  std::string out = EventRecord(FileVersionEvent(start));
  for (int step = first; step <= last; ++step) {
    out += TensorboardStep(step, start + step);
  }
  return out;
}

std::string WandbFromTo(int first, int last, double start, int exit = -1) {
  WandbFileWriter file = WandbOf("p", "exp", 0, start);
  for (int step = first; step <= last; ++step) {
    file.Add(WandbStep(step, start + step));
  }
  if (exit >= 0) file.Add(WandbExit(exit));
  return file.text();
}

class FileChainTest : public AppFixture {
 protected:
  static constexpr double kBegin = static_cast<double>(kStart);

  std::optional<std::string> Of(const std::string& family,
                                const std::string& labels = "") const {
    return Value(family + "{run=\"exp\",project=\"p\"" + labels + "}");
  }
  std::optional<std::string> LastStep() const {
    return Of("rlrun_last_step", ",line=\"train\"");
  }
  std::optional<std::string> Steps() const {
    return Of("rlrun_exporter_lines_total", ",outcome=\"step\"");
  }
  RunReport Report(double t) { return app_->Reports(NowAt(t)).at(0); }
};

TEST_F(FileChainTest, LaterEventFileGoesOn) {
  files_.Write(kOld, EventsFromTo(1, 6, kBegin - 3000));
  files_.Write(kNew, EventsFromTo(7, 12, kBegin));
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(LastStep(), "12");
  EXPECT_EQ(Steps(), "48") << "four events of each step";
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
  EXPECT_EQ(Of("rlrun_step_critic_score_mean"), "0.6875");
  // Ten steps are needed for it, and no file has as many.
  EXPECT_EQ(Of("rlrun_decision", ",decision=\"continue\""), "1");
  const RunReport report = Report(20);
  ASSERT_THAT(report.sources, SizeIs(1));
  EXPECT_EQ(report.sources[0].path, kOld);
  EXPECT_EQ(report.sources[0].files, 2u);
  EXPECT_EQ(report.sources[0].newest_path, kNew);
  std::string text;
  AppendReport(report, ReportStyle::kText, &text);
  EXPECT_NE(text.find("files    tensorboard: 2, the first " +
                      std::string(kOld) + ", the newest " + kNew),
            text.npos)
      << text;
}

TEST_F(FileChainTest, EarlierStepInTheLaterFileIsARewind) {
  files_.Write(kOld, EventsFromTo(1, 9, kBegin - 3000));
  files_.Write(kNew, EventsFromTo(6, 8, kBegin));
  ReadAt(20);
  EXPECT_EQ(LastStep(), "8");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "1");
  EXPECT_EQ(Of("rlrun_step_response_length_mean"), "308");
  EXPECT_EQ(Of("rlrun_decision", ",decision=\"wait\""), "1") << "8 steps";
  files_.Append(
      kNew, TensorboardStep(9, kBegin + 9) + TensorboardStep(10, kBegin + 10));
  ReadAt(40);
  EXPECT_EQ(Of("rlrun_decision", ",decision=\"continue\""), "1");
}

TEST_F(FileChainTest, LaterFileThatAppearsIsGoneOverToWithItsFirstStep) {
  files_.Write(kOld, EventsFromTo(1, 6, kBegin - 3000));
  ReadAt(0);
  Clock(10);
  files_.Write(kNew, EventRecord(FileVersionEvent(kBegin + 10)));
  ReadThrough(10, 40);
  EXPECT_EQ(LastStep(), "6");
  files_.Append(kOld, TensorboardStep(7, kBegin + 5));
  files_.Append(kNew, TensorboardStep(8, kBegin + 45));
  ReadThrough(50, 90);
  EXPECT_EQ(LastStep(), "8");
  EXPECT_EQ(Steps(), "32") << "what came last in the old one, too";
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
}

// Every worker opens a file; only one of them writes values.
TEST_F(FileChainTest, FilesWithoutStepsDisplaceNothing) {
  const std::string empty = EventRecord(FileVersionEvent(kBegin));
  files_.Write(std::string(kNew) + ".a", empty);
  files_.Write(std::string(kNew) + ".b", EventsFromTo(1, 5, kBegin));
  files_.Write(std::string(kNew) + ".c", empty);
  files_.Write(std::string(kNew) + ".d", "");
  ReadAt(0);
  EXPECT_EQ(LastStep(), "5");
  Clock(20);
  files_.Append(std::string(kNew) + ".b", TensorboardStep(6, kBegin + 20));
  ReadThrough(20, 40);
  EXPECT_EQ(LastStep(), "6");
  EXPECT_EQ(Files("run"), "4");
}

// Two processes of one run write into one directory.
TEST_F(FileChainTest, FilesWrittenAtTheSameTimeAreReadSideBySide) {
  const auto rollout = [](int step) {
    return EventRecord(
        Event(kBegin + step, step,
              {SimpleValue("rollouts/mean", static_cast<float>(step))}));
  };
  std::string old = EventRecord(FileVersionEvent(kBegin));
  std::string other = EventRecord(FileVersionEvent(kBegin));
  for (int step = 1; step <= 5; ++step) {
    old += TensorboardStep(step, kBegin + step);
    other += rollout(step);
  }
  files_.Write(kOld, old);
  files_.Write(kNew, other);
  ReadAt(10);
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(LastStep(), "5");
  EXPECT_EQ(Of("rlrun_step_rollouts_mean"), "5");
  EXPECT_EQ(Of("rlrun_step_actor_grad_norm"), "0.3125");
  files_.Append(kNew, rollout(6));
  files_.Append(kOld, TensorboardStep(6, kBegin + 6));
  ReadThrough(30, 50);
  EXPECT_EQ(Of("rlrun_step_rollouts_mean"), "6");
  EXPECT_EQ(Of("rlrun_step_actor_grad_norm"), "0.375");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
}

// It was taken for an older one until it went on.
TEST_F(FileChainTest, LeftFileWithNewStepsIsReadOnASource) {
  files_.Write(kOld, EventsFromTo(1, 5, kBegin));
  ReadAt(10);
  files_.Write(
      kNew, EventRecord(FileVersionEvent(kBegin + 10)) +
                EventRecord(Event(kBegin + 11, 5, {SimpleValue("eval/x", 1)})));
  ReadThrough(20, 40);
  EXPECT_EQ(Of("rlrun_step_eval_x"), "1");
  files_.Append(kOld, TensorboardStep(6, kBegin + 50));
  ReadThrough(50, 90);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(LastStep(), "6");
  EXPECT_EQ(Of("rlrun_step_actor_grad_norm"), "0.375");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
  EXPECT_EQ(Files("run"), "2");
}

TEST_F(FileChainTest, DeletedOldFileIsNotMissed) {
  files_.Write(kOld, EventsFromTo(1, 6, kBegin - 3000));
  files_.Write(kNew, EventsFromTo(7, 8, kBegin));
  ReadAt(20);
  files_.Remove(kOld);
  files_.Append(kNew, TensorboardStep(9, kBegin + 30));
  ReadThrough(30, 200);
  EXPECT_EQ(LastStep(), "9");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
  EXPECT_EQ(Of("rlrun_source_up", ",source=\"tensorboard\""), "1");
}

TEST_F(FileChainTest, OldFileOfAYoungRunIsReadWhateverItsAge) {
  files_.Write(kOld, EventsFromTo(1, 6, kBegin - 9e5));
  files_.SetMtime(kOld, (kStart - 800000) * 1000000000);
  files_.Write(kNew, EventsFromTo(7, 8, kBegin));
  files_.Write("/r/tensorboard_log/p/gone/events.out.tfevents.1766000000.h",
               EventsFromTo(1, 6, kBegin - 9e5));
  files_.SetMtime("/r/tensorboard_log/p/gone/events.out.tfevents.1766000000.h",
                  (kStart - 800000) * 1000000000);
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Steps(), "32");
  EXPECT_EQ(Files("too_old"), "1");
}

TEST_F(FileChainTest, ResumedRunOfWandbGoesOnInANewDirectory) {
  files_.Write(kOldWandb, WandbFromTo(1, 7, kBegin - 3000, 1));
  files_.Write(kNewWandb, WandbFromTo(6, 12, kBegin));
  files_.Write("/r/wandb/offline-run-20260102_030405-abc/files/output.log",
               "(TaskRunner pid=7) step:6 - actor/lr:0.000\n");
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(LastStep(), "12");
  EXPECT_EQ(Steps(), "15") << "with the one of the copy of the console";
  EXPECT_EQ(Report(20).sources.size(), 2u);
}

TEST_F(FileChainTest, ResumedRunOfWandbAlone) {
  files_.Write(kOldWandb, WandbFromTo(1, 7, kBegin - 3000, 1));
  files_.Write(kNewWandb, WandbFromTo(6, 12, kBegin));
  ReadAt(20);
  EXPECT_EQ(Of("rlrun_state", ",state=\"running\""), "1");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "1");
  EXPECT_EQ(Of("rlrun_decision", ",decision=\"continue\""), "1");
  EXPECT_EQ(Of("rlrun_source_up", ",source=\"wandb\""), "1");
}

TEST_F(FileChainTest, RunsOfWandbWithOtherIdsDoNotContinueEachOther) {
  WandbFileWriter other = WandbOf("p", "other", 3, kBegin);
  files_.Write(kOldWandb, WandbFromTo(1, 7, kBegin - 3000, 0));
  files_.Write("/r/wandb/run-20260102_030405-xyz/run-xyz.wandb", other.text());
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp", "p/other"));
}

// Several processes of slime share one id of W&B.
TEST_F(FileChainTest, DirectoriesOfOneIdWrittenAtTheSameTime) {
  Clock(10);
  files_.Write(kOldWandb, WandbFromTo(1, 7, kBegin));
  WandbFileWriter other = WandbOf("p", "exp", 0, kBegin + 0.5);
  for (int step = 1; step <= 7; ++step) {
    other.Add(WandbHistory(step, {{"perf/free", std::to_string(step)},
                                  {"_timestamp", std::to_string(kBegin)}}));
  }
  files_.Write(kNewWandb, other.text());
  ReadThrough(10, 30);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Of("rlrun_step_perf_free"), "7");
  EXPECT_EQ(Of("rlrun_step_actor_grad_norm"), "0.4375");
  EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
}

// Both kinds of files, as they are in the end and with a page, or an end, that
// has not come yet.
struct LatePage {
  std::string path, whole;
  std::size_t page = 0;  // offset of 4 KiB
  std::string With(char c) const {
    std::string text = whole;
    text.replace(page, 4096, 4096, c);
    return text;
  }
};

class LatePageTest : public FileChainTest {
 protected:
  static std::vector<LatePage> Both(double start) {
    std::vector<LatePage> out = {{kOldWandb, WandbFromTo(1, 400, start), 40000},
                                 {kOld, EventsFromTo(1, 90, start), 8192}};
    for (const LatePage& file : out) {
      EXPECT_GT(file.whole.size(), 3u * 4096) << file.path;
    }
    return out;
  }
  void Anew() {
    app_.reset();
    for (const char* path : {kOld, kOldWandb}) {
      if (files_.Exists(path)) files_.Remove(path);
    }
  }
  std::string Malformed() const {
    return *Of("rlrun_exporter_lines_total", ",outcome=\"malformed\"");
  }
  void ExpectAllOf(const LatePage& file) {
    const bool wandb = file.path == kOldWandb;
    EXPECT_EQ(LastStep(), wandb ? "400" : "90") << file.path;
    EXPECT_EQ(Steps(), wandb ? "400" : "360") << file.path;
    EXPECT_EQ(Malformed(), "0") << file.path;
    EXPECT_EQ(Of("rlrun_rewinds_total"), "0") << file.path;
    EXPECT_EQ(Of("rlrun_exporter_log_truncations_total"), "0") << file.path;
  }
};

TEST_F(LatePageTest, ComesWithinTheWait) {
  for (const LatePage& file : Both(kBegin)) {
    for (const char c : {'\0', '\xAB'}) {
      Anew();
      Clock(0);
      files_.Write(file.path, file.With(c));
      ReadAt(1);
      ASSERT_THAT(Runs(), ElementsAre("p/exp"));
      EXPECT_NE(LastStep(), std::nullopt);
      ReadAt(8);
      EXPECT_EQ(Malformed(), "0");
      Clock(9);
      files_.Overwrite(file.path, file.page,
                       file.whole.substr(file.page, 4096));
      ReadThrough(10, 40);
      ExpectAllOf(file);
    }
  }
}

TEST_F(LatePageTest, NeverComesAndIsPassedOverAfterTheWait) {
  for (const LatePage& file : Both(kBegin)) {
    Anew();
    Clock(0);
    std::string text = file.With('\xAB');
    const std::string last = text.substr(text.size() - 100);
    files_.Write(file.path, text.substr(0, text.size() - 100));
    ReadAt(1);
    const std::string before = *LastStep();
    Clock(20);
    files_.Append(file.path, last);
    ReadAt(29);
    EXPECT_EQ(LastStep(), before);
    EXPECT_EQ(Malformed(), "0");
    ReadAt(40);
    EXPECT_EQ(LastStep(), file.path == kOldWandb ? "400" : "90");
    EXPECT_NE(Malformed(), "0");
    EXPECT_EQ(Of("rlrun_rewinds_total"), "0");
  }
}

TEST_F(LatePageTest, OfAnOldFileIsNotWaitedFor) {
  for (const LatePage& file : Both(kBegin)) {
    for (const bool one_look : {false, true}) {
      Anew();
      Clock(0);
      files_.Write(file.path, file.With('\xAB'));
      options_.age_limits = !one_look;
      ReadAt(one_look ? 1 : 60);
      EXPECT_EQ(LastStep(), file.path == kOldWandb ? "400" : "90");
      EXPECT_NE(Malformed(), "0");
    }
  }
}

TEST_F(LatePageTest, ZerosAtTheEndAreFilledInLater) {
  for (const LatePage& file : Both(kBegin)) {
    for (const std::size_t part : {7000u, 9001u}) {
      Anew();
      Clock(0);
      std::string text = file.whole.substr(0, part);
      text.resize(file.whole.size() + 5000);
      files_.Write(file.path, text);
      ReadThrough(1, 201);
      ASSERT_THAT(Runs(), ElementsAre("p/exp"));
      EXPECT_EQ(Of("rlrun_exporter_log_bytes_behind"), "0");
      EXPECT_EQ(Malformed(), "0");
      Clock(205);
      files_.Overwrite(file.path, part, file.whole.substr(part));
      ReadThrough(211, 221);
      ExpectAllOf(file);
    }
  }
}

// What is shown at the end does not depend on how the files grew.
TEST_F(FileChainTest, AnyGrowthOfThreeFilesGivesTheSame) {
  const std::string paths[] = {kOld, kNew, std::string(kNew) + ".x"};
  const std::string texts[] = {EventsFromTo(1, 20, kBegin),
                               EventsFromTo(15, 40, kBegin + 100),
                               EventsFromTo(38, 50, kBegin + 200)};
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    app_.reset();
    double t = 0;
    for (const std::string& path : paths) {
      if (files_.Exists(path)) files_.Remove(path);
    }
    for (int i = 0; i < 3; ++i) {
      std::string_view rest = texts[i];
      while (!rest.empty()) {
        const std::size_t n =
            std::min<std::size_t>(rest.size(), 1 + random() % 2000);
        Clock(t);
        files_.Append(paths[i], rest.substr(0, n));
        rest.remove_prefix(n);
        if (random() % 3 == 0) ReadAt(t += 10);
      }
    }
    ReadThrough(t + 10, t + 40);
    EXPECT_EQ(LastStep(), "50") << round;
    EXPECT_EQ(Of("rlrun_rewinds_total"), "2") << round;
    EXPECT_EQ(Steps(), std::to_string(4 * (20 + 26 + 13))) << round;
    EXPECT_EQ(Of("rlrun_exporter_log_bytes_behind"), "0") << round;
    EXPECT_EQ(
        Of("rlrun_exporter_log_bytes_read_total"),
        std::to_string(texts[0].size() + texts[1].size() + texts[2].size()))
        << round;
  }
}

}  // namespace
}  // namespace rlrun
