// What W&B and TensorBoard keep of a run, as sources of it: from the file to
// the exposition and the report.
#include <gmock/gmock.h>

#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/metric_sources.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kWandb[] = "/r/wandb/run-20260102_030405-abc/run-abc.wandb";
constexpr char kCopy[] = "/r/wandb/run-20260102_030405-abc/files/output.log";
constexpr char kEvents[] =
    "/r/tensorboard_log/p/exp/events.out.tfevents.1767323045.host.7.0";

class MetricFilesTest : public AppFixture {
 protected:
  static constexpr double kBegin = static_cast<double>(kStart);

  std::string Sources() const {
    const std::string text = Text();
    const std::size_t at = text.find("sources=\"") + 9;
    return text.substr(at, text.find('"', at) - at);
  }
  std::optional<std::string> Of(const std::string& family,
                                const std::string& labels = "") const {
    return Value(family + "{run=\"exp\",project=\"p\"" + labels + "}");
  }
  std::string State() const {
    for (const char* state : {"starting", "running", "stalled", "finished",
                              "failed", "interrupted", "lost"}) {
      if (Of("rlrun_state", std::string(",state=\"") + state + "\"") == "1") {
        return state;
      }
    }
    return "none";
  }
  RunReport Report(double t) { return app_->Reports(NowAt(t)).at(0); }
  // Three steps, and how W&B says that their process ended.
  void WriteExited(int code) {
    WandbFileWriter file = WandbOf("p", "exp", 3, kBegin);
    file.Add(WandbExit(code));
    files_.Write(kWandb, file.text());
  }
};

TEST_F(MetricFilesTest, LogWandbAndTensorboardAreOneRun) {
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(3));
  files_.Write(kWandb, WandbOf("p", "exp", 3, kBegin).text());
  files_.Write(kEvents, EventsOf(3, kBegin));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Sources(), "log,wandb,tensorboard");
  EXPECT_EQ(Of("rlrun_source_up", ",source=\"tensorboard\""), "1");
  EXPECT_EQ(Of("rlrun_data_source", ",state=\"wandb_ok\""), "1");
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "3");
  EXPECT_EQ(Of("rlrun_start_timestamp_seconds"), "1767323045");
  EXPECT_EQ(Report(0).data_source, "wandb_ok");
}

TEST_F(MetricFilesTest, WandbAloneIsARunOfItsOwnNames) {
  files_.Write(kWandb, WandbOf("p", "exp", 12, kBegin).text());
  ReadAt(20);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Sources(), "wandb");
  EXPECT_EQ(Of("rlrun_step_critic_score_mean"), "0.6875");
  EXPECT_EQ(Of("rlrun_last_step_timestamp_seconds"), "1767323057");
  EXPECT_EQ(Of("rlrun_decision", ",decision=\"continue\""), "1");
  EXPECT_EQ(Report(20).data_source, "wandb_ok");
}

TEST_F(MetricFilesTest, WandbWithoutNamesIsCalledLikeItsDirectory) {
  files_.Write("/r/wandb/offline-run-20260102_030405-xyz/run-xyz.wandb",
               WandbOf("", "", 2, kBegin).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("offline-run-20260102_030405-xyz"));
}

TEST_F(MetricFilesTest, HiddenWandbDirectoryIsEntered) {
  files_.Write("/r/.wandb/run-20260102_030405-abc/run-abc.wandb",
               WandbOf("p", "exp", 2, kBegin).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
}

TEST_F(MetricFilesTest, TensorboardAloneIsCalledLikeItsDirectories) {
  files_.Write(kEvents, EventsOf(2, kBegin));
  files_.Write(
      "/r/runs/Nov29_host/events.out.tfevents.1767323046.host.8.0",
      EventRecord(Event(kBegin, 1, {SimpleValue("train/loss", 2.5f)})));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("Nov29_host", "p/exp"));
  EXPECT_EQ(Of("rlrun_data_source", ",state=\"wandb_ok\""), std::nullopt);
}

TEST_F(MetricFilesTest, FilesOfOtherProgramsAreNoRuns) {
  WandbRun run;
  run.project = "p";
  run.config = {{"lr", "1"}};
  WandbFileWriter file;
  file.Add(WandbRunRecord(run));
  files_.Write(kWandb, file.text());
  files_.Write("/r/x/events.out.tfevents.1767323046.host.8.0",
               EventRecord(FileVersionEvent(kBegin)));
  files_.Write("/r/y/run-y.wandb", "text\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(0));
  EXPECT_EQ(Files("not_a_log"), "3");
}

TEST_F(MetricFilesTest, WandbCopyOfTheConsoleIsOfTheSameRun) {
  files_.Write(kCopy, LogSteps(2));
  files_.Write(kWandb, WandbOf("p", "exp", 2, kBegin).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Sources(), "wandb");
}

// Its first step was lost; its config names another run than W&B does.
TEST_F(MetricFilesTest, ConsoleThatTellsItsRunOfWandb) {
  const std::string told =
      "(TaskRunner pid=7) \x1B[34m\x1B[1mwandb\x1B[0m: View run at "
      "https://w.example/e/p/runs/abc\n";
  files_.Write("/r/other.log", told + LogStep(5) + LogStep(6));
  files_.Write(kWandb, WandbOf("p", "exp", 3, kBegin).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Sources(), "log,wandb");
}

// A console of three decimals without a config: nothing but the times tells.
TEST_F(MetricFilesTest, FirstStepOfARoundingConsoleIsRecognised) {
  files_.Write("/r/exp.log",
               "(TaskRunner pid=7) step:1 - actor/lr:0.000 - "
               "timing_s/step:72.446 - timing_s/gen:41.004\n");
  WandbFileWriter file;
  file.Add(WandbHistory(1, {{"actor/lr", "1e-06"},
                            {"timing_s/step", "72.4457"},
                            {"timing_s/gen", "41.0042"}}));
  files_.Write(kWandb, file.text());
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Sources(), "log,wandb");
}

TEST_F(MetricFilesTest, AnotherTimeOfTheFirstStepIsAnotherRun) {
  files_.Write("/r/exp.log",
               "(TaskRunner pid=7) step:1 - actor/lr:0.000 - "
               "timing_s/step:72.446 - timing_s/gen:41.004\n");
  WandbFileWriter file;
  file.Add(WandbHistory(1, {{"actor/lr", "1e-06"},
                            {"timing_s/step", "72.4457"},
                            {"timing_s/gen", "41.0942"}}));
  files_.Write(kWandb, file.text());
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

TEST_F(MetricFilesTest, AnotherExecutionOfThatNameAtTheSameTimeIsAnotherRun) {
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + StampLine(kStart - 50) +
                                 TimedStep(1, "33.125") + StampLine(kStart));
  files_.Write(kWandb, WandbOf("p", "exp", 2, kBegin - 40).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

TEST_F(MetricFilesTest, GrowthInBlocksIsFollowed) {
  const WandbFileWriter three = WandbOf("p", "exp", 3, kBegin);
  WandbFileWriter all = WandbOf("p", "exp", 9, kBegin);
  files_.Write(kWandb, three.text());
  ReadAt(0);
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "3");
  std::string rest = all.text().substr(three.text().size());
  for (double t = 10; !rest.empty(); t += 10) {
    files_.Append(kWandb, rest.substr(0, 100));
    rest.erase(0, 100);
    ReadAt(t);
  }
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "9");
  EXPECT_EQ(Of("rlrun_exporter_lines_total", ",outcome=\"step\""), "9");
  EXPECT_EQ(Of("rlrun_exporter_lines_total", ",outcome=\"malformed\""), "0");
}

TEST_F(MetricFilesTest, RewrittenFileStartsAnew) {
  files_.Write(kWandb, WandbOf("p", "exp", 9, kBegin).text());
  ReadAt(0);
  files_.Write(kWandb, WandbOf("p", "exp", 2, kBegin + 5).text());
  ReadThrough(10, 30);
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "2");
  EXPECT_EQ(Of("rlrun_exporter_log_truncations_total"), "1");
  EXPECT_EQ(Of("rlrun_exporter_lines_total", ",outcome=\"malformed\""), "0");
}

TEST_F(MetricFilesTest, ExitInPeaceBehindTheLastStepIsTheEnd) {
  WriteExited(0);
  ReadAt(0);
  EXPECT_EQ(State(), "finished");
}

TEST_F(MetricFilesTest, ExitWithAnErrorIsAFailureOfALogThatSaysNothing) {
  WriteExited(1);
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(3));
  ReadAt(0);
  EXPECT_EQ(State(), "failed");
  EXPECT_EQ(Of("rlrun_signature_active",
               ",signature=\"trainer_crash\",severity=\"critical\""),
            "1");
}

TEST_F(MetricFilesTest, InterruptedPythonIsNoFailure) {
  WriteExited(255);
  ReadAt(0);
  EXPECT_EQ(State(), "interrupted");
}

TEST_F(MetricFilesTest, TrainingBehindTheExitOfWandbGoesOn) {
  WriteExited(1);
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(4));
  ReadAt(0);
  EXPECT_EQ(State(), "running");
}

TEST_F(MetricFilesTest, WandbThatIsNotWrittenAnyMoreIsNotReliedOn) {
  files_.Write(kWandb, WandbOf("p", "exp", 12, kBegin).text());
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(12));
  ReadAt(0);
  for (int i = 1; i <= 5; ++i) {
    Clock(i * 100);
    files_.Append("/r/exp.log", LogStep(12 + i));
    ReadAt(i * 100);
    EXPECT_EQ(Report(i * 100).data_source, "wandb_ok") << i;
  }
  Clock(700);
  files_.Append("/r/exp.log", LogStep(18));
  ReadAt(700);
  EXPECT_EQ(Report(700).data_source, "log_fallback");
  EXPECT_EQ(Of("rlrun_data_source", ",state=\"log_fallback\""), "1");
  EXPECT_EQ(Of("rlrun_data_source", ",state=\"wandb_ok\""), "0");
}

// W&B writes what the machine does every 15 s, whatever the trainer does.
TEST_F(MetricFilesTest, GrowthOfWandbDoesNotHideASilentLog) {
  WandbFileWriter file = WandbOf("p", "exp", 12, kBegin);
  files_.Write(kWandb, file.text());
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(12));
  ReadAt(0);
  for (double t = 60; t <= 7200; t += 60) {
    const std::size_t before = file.text().size();
    file.Add(ProtoMessage().Bytes(7, "stats").text());
    Clock(t);
    files_.Append(kWandb, file.text().substr(before));
    ReadAt(t);
  }
  EXPECT_EQ(State(), "stalled");
}

// A copy of the log that nobody brings up to date any more.
TEST_F(MetricFilesTest, LogThatIsLeftBehindGivesWayToWandb) {
  files_.Write("/r/exp.log", ConfigBlock("p", "exp") + LogSteps(12));
  const WandbFileWriter before = WandbOf("p", "exp", 12, kBegin);
  const WandbFileWriter after = WandbOf("p", "exp", 20, kBegin);
  files_.Write(kWandb, before.text());
  ReadAt(0);
  EXPECT_EQ(Report(0).path, "/r/exp.log");
  Clock(10);
  files_.Append(kWandb, after.text().substr(before.text().size()));
  ReadThrough(10, 60);
  EXPECT_EQ(Report(60).path, kWandb);
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "20");
  Clock(70);
  files_.Append("/r/exp.log", LogSteps(20).substr(LogSteps(12).size()));
  ReadThrough(70, 80);
  EXPECT_EQ(Report(80).path, "/r/exp.log");
}

TEST_F(MetricFilesTest, OlderRunDirectoryOfWandbTellsNothingCurrent) {
  files_.Write("/r/wandb/run-20260101_010101-abc/run-abc.wandb",
               WandbOf("p", "exp", 9, kBegin - 9000).text());
  files_.SetMtime("/r/wandb/run-20260101_010101-abc/run-abc.wandb",
                  (kStart - 8000) * 1000000000);
  files_.Write(kWandb, WandbOf("p", "exp", 2, kBegin).text());
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "2");
}

TEST_F(MetricFilesTest, SubdirectoriesOfAWriterAreOfItsRun) {
  files_.Write(kEvents, EventsOf(2, kBegin));
  files_.Write(
      "/r/tensorboard_log/p/exp/loss_train/"
      "events.out.tfevents.1767323045.host.7.1",
      EventRecord(Event(kBegin, 1, {SimpleValue("loss", 2)})));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "2");
}

TEST_F(MetricFilesTest, DamagedBlockIsCounted) {
  std::string text = WandbOf("p", "exp", 400, kBegin).text();
  text[40000] = static_cast<char>(text[40000] ^ 1);
  files_.Write(kWandb, text);
  ReadAt(0);
  ReadAt(40);
  EXPECT_EQ(Of("rlrun_last_step", ",line=\"train\""), "400");
  EXPECT_EQ(Of("rlrun_exporter_lines_total", ",outcome=\"malformed\""), "1");
}

}  // namespace
}  // namespace rlrun
