// Trial directories of published runs, through a whole App.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "exporter/app/cache_dir.h"
#include "exporter/app/trial_threads.h"
#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/run_files.h"
#include "tests/exporter/app/tree_drive.h"
#include "tests/exporter/app/trial_ledger.h"
#include "tests/scenarios/memory_sink.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr const char* kResult =
    "{\"task_id\": {\"path\": \"/d/train/1\"}, \"verifier_result\": "
    "{\"rewards\": {\"reward\": 1}}}";

class TrialsTest : public AppFixture {
 protected:
  void WriteLog(const std::string& exp, const std::string& text = "") {
    files_.Write("/r/p/" + exp + "/logs/" + exp + ".log",
                 text + Step(1, "a:1"));
  }
  void Finish(const std::string& trial) {
    files_.Write("/r/p/" + trial + "/result.json", kResult);
  }
  static std::string Series(const std::string& series,
                            const std::string& run = "exp") {
    const std::size_t brace = series.find('{');
    const std::string labels = "{run=\"" + run + "\",project=\"p\"";
    if (brace == std::string::npos) return series + labels + "}";
    return series.substr(0, brace) + labels + "," + series.substr(brace + 1);
  }
  std::optional<std::string> Finished(const std::string& run = "exp") {
    return Value(
        Series("rlrun_trials_finished_total{split=\"train\",reason="
               "\"agent_completed\"}",
               run));
  }
  // All series of trials that are not 0, as a ledger has them.
  std::map<std::string, std::uint64_t> Shown(const std::string& run) const {
    static const std::string kLeftOut[] = {"_bucket", "_sum", "_complete",
                                           "duration_seconds"};
    const std::string labels = "{run=\"" + run + "\",project=\"p\",";
    std::map<std::string, std::uint64_t> shown;
    const std::string text = Text();
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      const std::size_t at = line.find(labels);
      if (!line.starts_with("rlrun_trial") || at == std::string::npos) continue;
      const std::string name = line.substr(0, at);
      if (std::any_of(std::begin(kLeftOut), std::end(kLeftOut),
                      [&](const std::string& part) {
                        return name.find(part) != std::string::npos;
                      })) {
        continue;
      }
      const std::uint64_t value = std::stoull(line.substr(line.rfind(' ')));
      line.replace(at, labels.size(), "{");
      if (value != 0) shown[line.substr(0, line.rfind(' '))] = value;
    }
    return shown;
  }
};

TEST_F(TrialsTest, RunWithoutTrialDirectoriesHasNoSuchFamily) {
  WriteLog("exp");
  ReadAt(0);
  EXPECT_EQ(Text().find("rlrun_trial"), std::string::npos);
  EXPECT_EQ(
      Value("rlrun_source_up{run=\"exp\",project=\"p\",source=\"trials\"}"),
      std::nullopt);
}

TEST_F(TrialsTest, DirectoryAboveLogsIsTheRuns) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  ReadAt(0);
  EXPECT_EQ(Finished(), "1");
  EXPECT_EQ(Value(Series("rlrun_trials_scan_complete")), "1");
  EXPECT_EQ(Value(Series("rlrun_source_up{source=\"trials\"}")), "1");
  EXPECT_NE(Text().find("sources=\"log,trials\""), std::string::npos);
  // One that comes later is found at the next look.
  Finish("exp/step_0002/a-2");
  ReadAt(20);
  EXPECT_EQ(Finished(), "2");
}

TEST_F(TrialsTest, TrialsThatComeWithinTheFirstHourAreFoundInAMinute) {
  WriteLog("exp");
  ReadThrough(0, 900);
  Clock(905);
  Finish("exp/step_0001/a-1");
  ReadThrough(910, 970);
  EXPECT_EQ(Finished(), "1");
}

TEST_F(TrialsTest, StatedDirectoryLiesElsewhere) {
  files_.Write("/r/logs/exp.log", Step(1, "a:1"));
  files_.Write("/r/logs/launch_20260101-101112.log",
               LaunchBannerText("p", "exp", "/r/logs/exp.log") +
                   "=== Final Environment ===\nHARBOR_TRIALS_DIR=/t/p/exp\n" +
                   "=== Launch Command ===\n");
  files_.Write("/t/p/exp/step_0001/a-1/result.json", kResult);
  ReadAt(0);
  EXPECT_EQ(Finished(), "1");
}

TEST_F(TrialsTest, FlatFolderOfTwoRunsBelongsToNeither) {
  files_.Write("/r/one.log", Step(1, "a:1"));
  files_.Write("/r/two.log", Step(1, "a:2"));
  files_.Write("/r/step_0001/a-1/result.json", kResult);
  ReadAt(0);
  EXPECT_EQ(Runs().size(), 2u);
  EXPECT_EQ(Text().find("rlrun_trial"), std::string::npos);
}

TEST_F(TrialsTest, LimitsOfTheRunDecideWhatIsStuck) {
  WriteLog("exp");
  files_.Write("/r/p/exp/logs/launch_20260101-101112.log",
               LaunchBannerText("p", "exp", "/r/p/exp/logs/exp.log") +
                   "=== Final Environment ===\n"
                   "HARBOR_AGENT_MAX_TIMEOUT_SEC=100\n"
                   "HARBOR_VAL_AGENT_MAX_TIMEOUT_SEC=200\n"
                   "=== Launch Command ===\n");
  for (const char* split : {"train", "val"}) {
    files_.Write("/r/p/exp/step_0001/" + std::string(split) + "-1/config.json",
                 "{\"task\": {\"path\": \"/d/" + std::string(split) + "/1\"}}");
  }
  const auto stuck = [&](const std::string& split) {
    return Value(
        Series("rlrun_trials{split=\"" + split + "\",state=\"stuck\"}"));
  };
  ReadAt(1290);
  EXPECT_EQ(stuck("train"), "0");
  ReadAt(1310);
  EXPECT_EQ(stuck("train"), "1");
  EXPECT_EQ(stuck("val"), "0");
  ReadAt(2590);
  EXPECT_EQ(stuck("val"), "0");
  ReadAt(2610);
  EXPECT_EQ(stuck("val"), "1");
}

// Three nodes: the head, one that only its launcher tells of, one that nothing
// tells of; and a run of the same name a minute later, with its own.
TEST_F(TrialsTest, FourThousandTrialsOfThreeNodesAreCountedLiveAndAnew) {
  const std::string head = "exp-20260526-232411";
  const std::string other = "exp-20260526-232511";
  WriteLog(head);
  WriteLog(other);
  const std::string nodes[] = {"/r/p/" + head, "/r/p/exp-20260526-232413",
                               "/r/p/exp-20260526-232415"};
  files_.Write(nodes[1] + "/logs/launch_20260526-232413.log",
               LaunchBannerText("p", "exp-20260526-232413",
                                nodes[1] + "/logs/exp-20260526-232413.log", 3));
  TrialLedger ledger(&files_), others(&files_);
  int number = 0;
  for (int round = 0; round < 8; ++round) {
    Clock(round * 60);
    for (int i = 0; i < 500; ++i, ++number) {
      ledger.Start(nodes[number % 3], round * 4 + i / 125, number, number);
      if (i % 100 == 0) others.Start("/r/p/" + other, 1, number, number);
    }
    ledger.Drop(nodes[round % 3], round % 2 == 0 ? "empty" : "no_task_path",
                round % 4 == 0);
    Clock(round * 60 + 20);
    ledger.FinishAll(/*left=*/9);  // some finish in a later round
    ReadAt(round * 60 + 30);
    if (round == 0) continue;  // a node may join a moment later
    EXPECT_EQ(Shown(head), ledger.Wanted()) << round;
  }
  others.FinishAll();
  ledger.FinishAll();
  ReadThrough(500, 560);
  EXPECT_EQ(Shown(head), ledger.Wanted());
  EXPECT_EQ(Shown(other), others.Wanted());
  EXPECT_THAT(Runs(), ElementsAre("p/" + head, "p/" + other));
  app_.reset();
  ReadAt(560);
  EXPECT_EQ(Shown(head), ledger.Wanted());
  EXPECT_EQ(Shown(other), others.Wanted());
}

TEST_F(TrialsTest, LoopOfLinksEndsAndAddsNothing) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  files_.Symlink("/r/p/exp/step_0001", "/r/p/exp/step_0001/loop");
  files_.Symlink("/r/p/exp/step_0003", "/r/p/exp/step_0002");
  files_.Symlink("/r/p/exp/step_0002", "/r/p/exp/step_0003");
  files_.Symlink("/r/p/exp", "/r/p/exp/step_0004");
  ReadThrough(0, 60);
  EXPECT_EQ(Finished(), "1");
}

TEST_F(TrialsTest, VanishedDirectoryKeepsItsCountsAndIsDown) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  ReadAt(0);
  files_.Rename("/r/p/exp/step_0001", "/away");
  ReadThrough(20, 40);
  EXPECT_EQ(Finished(), "1");
  files_.Fail(InMemoryFileSource::Call::kList, "/r/p/exp", EIO);
  ReadThrough(50, 70);
  EXPECT_EQ(Finished(), "1");
  EXPECT_EQ(Value(Series("rlrun_source_up{source=\"trials\"}")), "0");
  files_.ClearFaults("/r/p/exp");
  ReadThrough(80, 100);
  EXPECT_EQ(Value(Series("rlrun_source_up{source=\"trials\"}")), "1");
}

TEST_F(TrialsTest, VanishedRootTakesItsTrialsWithIt) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  ReadAt(0);
  files_.Rename("/r", "/gone");
  ReadThrough(20, 2000);
  EXPECT_TRUE(Runs().empty());
  EXPECT_EQ(Text().find("rlrun_trial"), std::string::npos);
}

TEST_F(TrialsTest, NewTrialDirectoryIsNoStall) {
  WriteLog("exp");
  Clock(3000);
  Finish("exp/step_0001/a-1");
  const std::string stall = Series(
      "rlrun_signature_active{signature=\"stall\",severity=\"warning\"}");
  // An exporter that starts now must not call it a stall for a moment either.
  ReadAt(3010);
  EXPECT_EQ(Value(stall), "0");
  EXPECT_EQ(Value(Series("rlrun_signature_activations_total{signature="
                         "\"stall\"}")),
            "0");
  ReadAt(3000 + 1810);
  EXPECT_EQ(Value(stall), "1");
}

TEST_F(TrialsTest, ExceptionsAreCappedWithAllSeriesAndCounted) {
  WriteLog("exp");
  for (int i = 0; i < 60; ++i) {
    files_.Write("/r/p/exp/step_0001/t-" + std::to_string(i) + "/result.json",
                 "{\"exception_info\": {\"exception_type\": \"E" +
                     std::to_string(i) + "\"}}");
  }
  config_.store.max_series = 11;
  ReadAt(0);
  std::size_t shown = 0;
  const std::string text = Text();
  for (std::size_t at = 0; (at = text.find("\nrlrun_trial_exceptions_total{",
                                           at)) != std::string::npos;
       ++at) {
    ++shown;
  }
  EXPECT_EQ(shown, 10u);  // one step series is there
  EXPECT_EQ(Value("rlrun_exporter_series_dropped_total{reason=\"max_series\"}"),
            "41");  // 50 names and `other` are 51
}

TEST_F(TrialsTest, ReloadTurnsThemOffAndOn) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  ReadAt(0);
  Config off = config_;
  off.trials.enabled = false;
  app_->Reload(off);
  ReadAt(10);
  EXPECT_EQ(Finished(), std::nullopt);
  app_->Reload(config_);
  ReadAt(20);
  EXPECT_EQ(Finished(), "1");
}

TEST_F(TrialsTest, ReportShowsCoverage) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  files_.Write("/r/p/exp/step_0001/b-1/result.json", "{}");
  ReadAt(0);
  const std::vector<RunReport> reports = app_->Reports(NowAt(0));
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_TRUE(reports[0].trials.has_value());
  EXPECT_EQ(reports[0].trials->finished, 2u);
  EXPECT_EQ(reports[0].trials->scored, 1u);
  EXPECT_EQ(reports[0].trials->reward_mean, 1);
  EXPECT_EQ(reports[0].trials->reasons.at("unscored"), 1u);
  const auto& lines = reports[0].lines;
  const auto traj = std::find_if(lines.begin(), lines.end(), [](const auto& l) {
    return l.name == "traj";
  });
  ASSERT_NE(traj, lines.end());
  EXPECT_EQ(traj->note, "(trials: 1/2 scored)");
}

// The sandboxes of a step fail long before its line tells so.
TEST(TrialScenario, EnvAvalancheShowsBeforeItsStepLine) {
  const scenarios::Scenario* scenario =
      scenarios::FindScenario("env_avalanche");
  ASSERT_NE(scenario, nullptr);
  InMemoryFileSource files;
  scenarios::MemorySink sink(&files);
  const scenarios::Expectation wanted = ScenarioLedger(*scenario).front();
  const std::string folder = "/r/" + wanted.project + "/" + wanted.run;
  const std::string log = folder + "/logs/" + wanted.run + ".log";
  files.Mkdir("/r");
  const std::unique_ptr<App> app = TreeApp("/r", &files);
  const std::string key = "trajectory_filter/reason/env_setup_failed:";
  const std::string series_name =
      "rlrun_trials_finished_total{run=\"" + wanted.run + "\",project=\"" +
      wanted.project + "\",split=\"train\",reason=\"env_setup_failed\"}";
  int failed = 0, looks = 0, step = 0;
  double clock = 0;
  for (const scenarios::Piece& piece : ScenarioPieces(*scenario)) {
    const std::size_t at = piece.bytes.find(key);
    const int count =
        at == std::string::npos
            ? 0
            : static_cast<int>(std::stod(piece.bytes.substr(at + key.size())));
    // A run's line comes at the end of its step.
    const double early = piece.at - 30;
    ++step;
    sink.SetTime(early);
    sink.Append(
        folder + "/step_" + std::to_string(step) + "/good-1/result.json",
        kResult);
    for (int i = 0; i < count; ++i, ++failed) {
      sink.Append(folder + "/step_" + std::to_string(step) + "/t-" +
                      std::to_string(failed) + "/result.json",
                  "{\"task_id\": {\"path\": \"/d/train/1\"}, "
                  "\"exception_info\": {\"exception_type\": "
                  "\"EnvironmentStartTimeoutError\"}}");
    }
    const auto look = [&](double t) {
      clock = std::max(clock + 11, t);  // the next scan
      app->ReadInline({clock - scenarios::kScenarioStart + 1000, clock});
    };
    if (failed != 0) {
      look(early + 20);
      const ExposedSeries series(*app);
      ASSERT_EQ(series.Value(series_name), std::to_string(failed));
      ++looks;
    }
    sink.SetTime(piece.at);
    sink.Append(log, piece.bytes);
    look(piece.at);
  }
  EXPECT_GT(looks, 3);
  EXPECT_GT(failed, 5);
}

// Each call takes 75 ms of a clock that is the test's own.
class SlowSource : public FileSource {
 public:
  explicit SlowSource(FileSource* source) : source_(source) {}
  IoStatus Stat(const std::string& p, FileStat* stat) override {
    return Tick(), source_->Stat(p, stat);
  }
  IoStatus List(const std::string& p, std::vector<DirEntry>* e) override {
    return Tick(), source_->List(p, e);
  }
  IoStatus Open(const std::string& p, std::unique_ptr<OpenFile>* f) override {
    // Its stat, read and read at the end as well.
    Tick(), Tick(), Tick(), Tick();
    return source_->Open(p, f);
  }
  std::string Canonical(const std::string& p) override {
    return source_->Canonical(p);
  }
  bool IsNetwork(const std::string&) override { return true; }
  double clock() const { return clock_; }

 private:
  void Tick() { clock_ += 0.075; }
  FileSource* source_;
  double clock_ = 0;
};

TEST(TrialReaderTest, SlowFileSystemIsWalkedInSlices) {
  InMemoryFileSource files;
  for (int i = 0; i < 300; ++i) {
    files.Write("/t/exp/step_" + std::to_string(i / 10) + "/t-" +
                    std::to_string(i) + "/result.json",
                kResult);
  }
  SlowSource slow(&files);
  TrialReader reader({}, &slow);
  TrialPlan plan;
  plan.runs.push_back({1, {{{"/t/exp", false}}}, false, {}});
  reader.SetPlan(std::move(plan));
  int slices = 0;
  double wait = 0;
  std::shared_ptr<const TrialTotals> newest;
  while (wait == 0) {
    ASSERT_LT(++slices, 10000);
    const double begin = slow.clock();
    wait = reader.Pass({100 + begin, 1.8e9 + begin},
                       [&] { return slow.clock() - begin < 0.2; });
    // A slice ends with the piece of work that it is in.
    ASSERT_LE(slow.clock() - begin, 0.2 + 5 * 0.075);
    TrialNews news = reader.Take();
    if (news.totals.empty()) continue;
    ASSERT_FALSE(newest != nullptr && newest->complete);
    newest = news.totals.at(1);
    if (!newest->complete) {
      EXPECT_EQ(newest->of(TrialSplit::kTrain).finished_all(), 0u);
    }
  }
  EXPECT_GT(slices, 300);
  ASSERT_NE(newest, nullptr);
  EXPECT_TRUE(newest->complete);
  EXPECT_EQ(newest->of(TrialSplit::kTrain).finished_all(), 300u);
  EXPECT_GT(wait, 0);
}

// A mount that does not answer costs the trials, and nobody who scrapes.
TEST_F(TrialsTest, BlockedWalkBlocksNothingElse) {
  WriteLog("exp");
  Finish("exp/step_0001/a-1");
  Start();
  // As serve does it: readers of logs here, trials on a thread.
  while (app_->readers()[0]->Pass(NowAt(0)) == 0) {
  }
  app_->Tick(NowAt(0));
  files_.Block("/r/p/exp/step_0001");
  const auto signal = std::make_shared<TickSignal>();
  TrialThreads threads(signal);
  threads.Match(app_->trial_readers());
  files_.WaitUntilBlocked("/r/p/exp/step_0001");
  files_.Append("/r/p/exp/logs/exp.log", Step(2, "a:2"));
  while (app_->readers()[0]->Pass(NowAt(20)) == 0) {
  }
  app_->Tick(NowAt(20));
  EXPECT_EQ(Value(Series("rlrun_step_a")), "2");
  EXPECT_GT(app_->trial_readers()[0]->WaitingSince(), 0);
  EXPECT_EQ(Finished(), std::nullopt);
  files_.Release("/r/p/exp/step_0001");
  {
    std::unique_lock lock(signal->mutex);
    signal->wake.wait(lock, [&] { return signal->news; });
  }
  threads.RequestStop();
  EXPECT_TRUE(threads.Join());
  app_->Tick(NowAt(30));
  EXPECT_EQ(Finished(), "1");
}

TEST(TrialThreadsTest, AtMostSixteenForAllRoots) {
  InMemoryFileSource files;
  std::vector<std::shared_ptr<TrialReader>> readers;
  for (int i = 0; i < 40; ++i) {
    readers.push_back(std::make_shared<TrialReader>(TrialOptions(), &files));
  }
  TrialThreads threads(std::make_shared<TickSignal>());
  threads.Match(readers);
  EXPECT_EQ(threads.size(), 16u);
  readers.resize(1);
  threads.Match(readers);
  EXPECT_EQ(threads.size(), 1u);
  threads.RequestStop();
  EXPECT_TRUE(threads.Join());
}

TEST(TrialTree, CountsOfTheTreeAreThoseOfItsLedger) {
  InMemoryFileSource files;
  files.Mkdir("/trials");
  scenarios::MemorySink sink(&files);
  scenarios::RunTree tree;
  scenarios::TreeEvent event;
  double at = 0;
  const std::unique_ptr<App> live = TreeApp("/trials", &files);
  while (tree.NextAt()) {
    at = *tree.NextAt();
    sink.SetTime(at);
    ASSERT_TRUE(tree.Next(&sink, &event));
    live->ReadInline({at - scenarios::kScenarioStart + 1000, at});
  }
  at += 70;
  live->ReadInline({at - scenarios::kScenarioStart + 1000, at});
  const std::unique_ptr<App> anew = TreeApp("/trials", &files);
  anew->ReadInline({1000, at});
  int with_trials = 0;
  for (App* app : {live.get(), anew.get()}) {
    const std::vector<RunReport> reports = app->Reports({1000, at});
    for (const auto& truth : event.runs) {
      SCOPED_TRACE(truth.run);
      const RunReport* report = ReportOf(reports, truth);
      ASSERT_NE(report, nullptr);
      EXPECT_EQ(report->trials.has_value(),
                truth.trials_finished != 0 || truth.trials_running != 0);
      if (!report->trials) continue;
      ++with_trials;
      EXPECT_TRUE(report->trials->complete);
      EXPECT_EQ(report->trials->finished,
                static_cast<std::uint64_t>(truth.trials_finished));
      EXPECT_EQ(report->trials->scored,
                static_cast<std::uint64_t>(truth.trials_scored));
      EXPECT_EQ(report->trials->running + report->trials->stuck,
                static_cast<std::uint64_t>(truth.trials_running));
    }
  }
  EXPECT_EQ(with_trials, 8);
}

TEST(CacheDirTest, InsideOfARootIsRefused) {
  Config config;
  config.roots.emplace_back().path = "/no/such/root/";
  config.roots.emplace_back().path = "/no/other/*/logs";
  for (const char* inside : {"/no/such/root", "/no/such/root/cache",
                             "/no/such/x/../root/cache", "/no/other/a/cache"}) {
    config.trials.cache_dir = inside;
    EXPECT_NE(CheckCacheDir(config), "") << inside;
  }
  for (const char* outside : {"", "/no/such/root2", "/no/such", "/var/x"}) {
    config.trials.cache_dir = outside;
    EXPECT_EQ(CheckCacheDir(config), "") << outside;
  }
}

}  // namespace
}  // namespace rlrun
