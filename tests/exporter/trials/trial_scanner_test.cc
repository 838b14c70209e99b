#include "exporter/trials/trial_scanner.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

constexpr double kWall = 1'760'000'000;

std::string Result(const std::string& task, const std::string& reward,
                   const std::string& exception = "") {
  std::string text = "{\"task_id\": {\"path\": \"" + task + "\"}";
  if (!reward.empty()) {
    text +=
        ", \"verifier_result\": {\"rewards\": {\"reward\": " + reward + "}}";
  }
  if (!exception.empty()) {
    text += ", \"exception_info\": {\"exception_type\": \"" + exception +
            "\", \"exception_message\": \"m\"}";
  }
  return text + "}";
}

class TrialScannerTest : public ::testing::Test {
 protected:
  TrialScannerTest() {
    files_.SetClock(static_cast<std::int64_t>(kWall - 30) * 1'000'000'000);
    files_.Mkdir("/t/p/e");
  }

  // A scan to the end at `age` seconds behind the start.
  double Scan(TrialScanner* scanner, double age = 0) {
    double wait = 0;
    int rounds = 0;
    while ((wait = scanner->Pass(1 + age, kWall + age, [] { return true; })) ==
           0) {
      if (++rounds > 100000) ADD_FAILURE() << "no end";
    }
    return wait;
  }
  void Start(const std::string& trial, const std::string& task) {
    files_.Write("/t/p/e/" + trial + "/config.json",
                 "{\"task\": {\"path\": \"" + task + "\"}}");
  }
  void Finish(const std::string& trial, const std::string& text) {
    files_.Write("/t/p/e/" + trial + "/result.json", text);
  }

  InMemoryFileSource files_;
  TrialOptions options_;
  TrialScanner scanner_{"/t/p/e", options_, &files_};
};

TEST_F(TrialScannerTest, FinishedTrialsCountBySplitAndReason) {
  Finish("step_0001/a-11111111", Result("/d/train/1", "1"));
  Finish("step_0001/b-11111111", Result("/d/x_val_y/1", "0"));
  Finish("step_0001/c-11111111", Result("/d/1", "0.5", "AgentTimeoutError"));
  Finish("step_0001/d-11111111", Result("/d/train/2", ""));
  Scan(&scanner_);
  const TrialTotals t = scanner_.totals();
  EXPECT_TRUE(t.complete);
  const auto& train = t.of(TrialSplit::kTrain);
  EXPECT_EQ(train.finished_all(), 2u);
  EXPECT_EQ(train.scored, 1u);
  EXPECT_EQ(train.solved, 1u);
  EXPECT_EQ(train.finished[static_cast<std::size_t>(TrialReason::kUnscored)],
            1u);
  EXPECT_EQ(t.of(TrialSplit::kVal).scored, 1u);
  EXPECT_EQ(t.of(TrialSplit::kVal).solved, 0u);
  const auto& unknown = t.of(TrialSplit::kUnknown);
  EXPECT_EQ(unknown.finished[static_cast<std::size_t>(TrialReason::kTimeout)],
            1u);
  EXPECT_EQ(unknown.scored, 1u);
  EXPECT_EQ(unknown.rewards.sum.value(), 0.5);
  EXPECT_EQ(unknown.exceptions.at("AgentTimeoutError"), 1u);
}

TEST_F(TrialScannerTest, FinishedTrialIsNeverReadAgain) {
  Finish("step_0001/a-1", Result("/d", "1"));
  Scan(&scanner_);
  files_.ResetCounts();
  for (int i = 1; i < 50; ++i) Scan(&scanner_, i * 10);
  EXPECT_EQ(files_.counts().open, 0u);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 1u);
}

TEST_F(TrialScannerTest, LaterScansListOnlyWhatChanged) {
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < 20; ++i) {
      Finish("step_" + std::to_string(step) + "/t-" + std::to_string(i),
             Result("/d", "1"));
    }
  }
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 2000u);
  files_.ResetCounts();
  Scan(&scanner_, 10);
  // One listing of the experiment, a stat per step.
  EXPECT_EQ(files_.counts().list, 1u);
  EXPECT_EQ(files_.counts().stat, 100u);
  EXPECT_EQ(files_.counts().open, 0u);
  files_.ResetCounts();
  files_.SetClock(static_cast<std::int64_t>(kWall + 12) * 1'000'000'000);
  Finish("step_99/late-1", Result("/d", "1"));
  Scan(&scanner_, 20);
  EXPECT_EQ(files_.counts().list, 2u);
  EXPECT_EQ(files_.counts().open, 1u);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 2001u);
}

TEST_F(TrialScannerTest, OldStepsAreAskedEverMoreRarely) {
  for (int step = 0; step < 50; ++step) {
    Finish("step_" + std::to_string(step) + "/t-1", Result("/d", "1"));
  }
  Scan(&scanner_);
  double at = 0;
  for (; at < 2 * options_.settle_after; at += 10) Scan(&scanner_, at);
  files_.ResetCounts();
  for (double end = at + 3600; at < end; at += 10) Scan(&scanner_, at);
  // 360 scans of an hour; at most three of them ask an old directory.
  EXPECT_LE(files_.counts().stat, 150u);
  // And one that comes late is found all the same.
  Finish("step_3/late-1", Result("/d", "1"));
  for (double end = at + 90000; at < end; at += 600) Scan(&scanner_, at);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 51u);
}

TEST_F(TrialScannerTest, HalfWrittenResultIsReadWhenItIsWhole) {
  const std::string text = Result("/d/train/1", "1");
  Finish("step_0001/a-1", text.substr(0, text.size() - 3));
  Finish("step_0001/b-1", "");
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kTrain).finished_all(), 0u);
  Finish("step_0001/a-1", text);
  Finish("step_0001/b-1", text);
  Scan(&scanner_, 10);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kTrain).finished_all(), 2u);
  EXPECT_EQ(scanner_.totals().unreadable_results, 0u);
}

TEST_F(TrialScannerTest, ResultThatStaysBrokenIsUnknownAfterAWhile) {
  Finish("step_0001/a-1", "{\"x\": ");
  Finish("step_0001/b-1", "");
  Finish("step_0001/c-1", "no json");
  Scan(&scanner_);
  Scan(&scanner_, options_.give_up_after - 40);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 0u);
  Scan(&scanner_, options_.give_up_after + 1);
  const auto unknown = scanner_.totals().of(TrialSplit::kUnknown);
  EXPECT_EQ(unknown.finished[static_cast<std::size_t>(TrialReason::kUnknown)],
            3u);
  EXPECT_EQ(scanner_.totals().unreadable_results, 3u);
}

TEST_F(TrialScannerTest, JsonThatIsNoObjectIsUnknown) {
  const char* const texts[] = {"[]",
                               "[{}]",
                               "[[]]",
                               "null",
                               "\"x\"",
                               "1",
                               "[{\"verifier_result\": {}}]"};
  int n = 0;
  for (const char* text : texts) {
    Finish("step_0001/a-" + std::to_string(++n), text);
  }
  Scan(&scanner_);
  Scan(&scanner_, options_.give_up_after + 1);
  const auto unknown = scanner_.totals().of(TrialSplit::kUnknown);
  EXPECT_EQ(unknown.finished[static_cast<std::size_t>(TrialReason::kUnknown)],
            std::size(texts));
  EXPECT_EQ(unknown.finished_all(), std::size(texts));
}

TEST_F(TrialScannerTest, HugeResultIsNotRead) {
  options_.max_result_bytes = 1000;
  TrialScanner scanner("/t/p/e", options_, &files_);
  Finish("step_0001/a-1", Result(std::string(2000, 'x'), "1"));
  files_.SetMtime("/t/p/e/step_0001/a-1/result.json", 1'000'000'000);
  files_.ResetCounts();
  Scan(&scanner);
  EXPECT_EQ(files_.counts().bytes_read, 0u);
  EXPECT_EQ(scanner.totals().unreadable_results, 1u);
}

TEST_F(TrialScannerTest, FiftyMegabytesAreRead) {
  std::string text = Result("/d", "1");
  text.insert(
      1, "\"exception_traceback\": \"" + std::string(50u << 20, 'x') + "\", ");
  Finish("step_0001/a-1", text);
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).solved, 1u);
}

TEST_F(TrialScannerTest, RunningTrialGetsStuckAndMayStillFinish) {
  Start("step_0002/a-1", "/d/train/1");
  Start("step_0002/b-1", "/d/_val_/1");
  files_.Mkdir("/t/p/e/step_0002/c-1");  // only its directory
  Scan(&scanner_);
  TrialTotals t = scanner_.totals();
  EXPECT_EQ(t.of(TrialSplit::kTrain).running, 1u);
  EXPECT_EQ(t.of(TrialSplit::kVal).running, 1u);
  EXPECT_EQ(t.of(TrialSplit::kUnknown).running, 1u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).stuck, 0u);
  Scan(&scanner_, options_.stuck_after);
  t = scanner_.totals();
  EXPECT_EQ(t.of(TrialSplit::kTrain).running, 0u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).stuck, 1u);
  EXPECT_EQ(t.of(TrialSplit::kUnknown).stuck, 1u);
  Finish("step_0002/a-1", Result("/d/train/1", "1"));
  Scan(&scanner_, options_.stuck_after + 10);
  t = scanner_.totals();
  EXPECT_EQ(t.of(TrialSplit::kTrain).stuck, 0u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).solved, 1u);
}

TEST_F(TrialScannerTest, RunsOwnLimitDecidesWhatIsStuck) {
  Start("step_0002/a-1", "/d/train/1");
  Scan(&scanner_);
  scanner_.SetStuckAfter({10000, 10000});
  Scan(&scanner_, 5000);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kTrain).running, 1u);
  scanner_.SetStuckAfter({4000, 4000});
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kTrain).stuck, 1u);
}

TEST_F(TrialScannerTest, EachTryOfATaskIsATrial) {
  Finish("step_0001/task-11111111", Result("/d", ""));
  Finish("step_0001/task-22222222", Result("/d", "1"));
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 2u);
}

TEST_F(TrialScannerTest, OtherDirectoriesAreLeftAlone) {
  Finish("logs/a-1", Result("/d", "1"));
  Finish("step_x/a-1", Result("/d", "1"));
  Finish("step_/a-1", Result("/d", "1"));
  files_.Write("/t/p/e/step_0001/notes.txt", "x");
  files_.Write("/t/p/e/step_0003", "a file");
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 0u);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).running, 0u);
  EXPECT_EQ(scanner_.step_directories(), 1u);
}

TEST_F(TrialScannerTest, StepNumbersBeyondFourDigits) {
  Finish("step_12345/a-1", Result("/d", "1"));
  Finish("step_0009/a-1", Result("/d", "1"));
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 2u);
  EXPECT_EQ(StepNumber("step_12345"), 12345u);
  EXPECT_FALSE(StepNumber("step_99999999999999999999999"));
  EXPECT_FALSE(StepNumber("step_-1"));
}

TEST_F(TrialScannerTest, DirectoryThatVanishesInTheMiddle) {
  for (int i = 0; i < 10; ++i) Start("step_0001/t-" + std::to_string(i), "/d");
  Finish("step_0002/a-1", Result("/d", "1"));
  files_.Before(InMemoryFileSource::Call::kOpen,
                "/t/p/e/step_0001/t-3/result.json",
                [this] { files_.Remove("/t/p/e/step_0001"); });
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 1u);
  Scan(&scanner_, 10);
  // The three that were asked before it vanished are gone as well.
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).running, 0u);
}

TEST_F(TrialScannerTest, LoopsOfLinksAndNamesOfAnyByte) {
  files_.Mkdir("/t/p/e/step_0001");
  files_.Symlink("/t/p/e/step_0001", "/t/p/e/step_0001/loop-1");
  files_.Symlink("/t/p/e/step_0001/self", "/t/p/e/step_0001/self");
  Finish("step_0001/\xff\xfe\n\t-1", Result("/d", "1"));
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 1u);
}

TEST_F(TrialScannerTest, UnreadableResultIsCountedOnceAndTriedAgain) {
  Finish("step_0001/a-1", Result("/d", "1"));
  files_.Fail(InMemoryFileSource::Call::kOpen,
              "/t/p/e/step_0001/a-1/result.json", EACCES);
  for (int i = 0; i < 200; ++i) Scan(&scanner_, i * 10);
  EXPECT_EQ(scanner_.totals().unreadable_results, 1u);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).running, 0u);
  files_.ClearFaults("/t/p/e/step_0001/a-1/result.json");
  Scan(&scanner_, 3000);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).solved, 1u);
}

TEST_F(TrialScannerTest, ExperimentThatIsNotThereIsDownAndKeepsItsCounts) {
  Finish("step_0001/a-1", Result("/d", "1"));
  Scan(&scanner_);
  EXPECT_TRUE(scanner_.totals().up);
  files_.Rename("/t/p/e", "/t/p/f");
  Scan(&scanner_, 10);
  EXPECT_FALSE(scanner_.totals().up);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 1u);
  files_.Rename("/t/p/f", "/t/p/e");
  Scan(&scanner_, 30);
  EXPECT_TRUE(scanner_.totals().up);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).finished_all(), 1u);
}

TEST_F(TrialScannerTest, SlicesOfOneWorkItemAddUpToTheSame) {
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 7; ++i) {
      const std::string trial =
          "step_" + std::to_string(step) + "/t-" + std::to_string(i);
      if (i == 6) {
        Start(trial, "/d/train");
      } else {
        Finish(trial, Result("/d/train", "1"));
      }
    }
  }
  files_.Write("/t/p/e/_dropped/dropped.1.jsonl", "{\"reason\": \"empty\"}\n");
  int slices = 0;
  for (;;) {
    int left = 1;
    ++slices;
    if (scanner_.Pass(1, kWall, [&left] { return left-- > 0; }) != 0) break;
    EXPECT_EQ(scanner_.totals().complete, false);
    ASSERT_LT(slices, 1000);
  }
  EXPECT_GT(slices, 35);
  const TrialTotals t = scanner_.totals();
  EXPECT_TRUE(t.complete);
  EXPECT_EQ(t.of(TrialSplit::kTrain).finished_all(), 30u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).running, 5u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).dropped.at("empty"), 1u);
}

TEST_F(TrialScannerTest, DroppedLinesAreCountedOnceEach) {
  const std::string path = "/t/p/e/_dropped/dropped.7.jsonl";
  files_.Write(path,
               "{\"reason\": \"empty\"}\n{\"reason\": \"empty\", \"validate\": "
               "true}\nnonsense\n{\"reason\": \"no_ta");
  Scan(&scanner_);
  TrialTotals t = scanner_.totals();
  EXPECT_EQ(t.of(TrialSplit::kTrain).dropped.at("empty"), 1u);
  EXPECT_EQ(t.of(TrialSplit::kVal).dropped.at("empty"), 1u);
  EXPECT_EQ(t.malformed_lines, 1u);
  files_.Append(path, "sk_path\"}\n" + std::string(100000, 'x') +
                          "\n{\"reason\": \"empty\"}\n");
  Scan(&scanner_, 10);
  t = scanner_.totals();
  EXPECT_EQ(t.of(TrialSplit::kTrain).dropped.at("no_task_path"), 1u);
  EXPECT_EQ(t.of(TrialSplit::kTrain).dropped.at("empty"), 2u);
  EXPECT_EQ(t.malformed_lines, 2u);
  Scan(&scanner_, 20);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kTrain).dropped.at("empty"), 2u);
}

TEST_F(TrialScannerTest, MoreExceptionsThanThereAreNamesAreOthers) {
  for (int i = 0; i < 60; ++i) {
    Finish("step_0001/t-" + std::to_string(i),
           Result("/d", "1", "E" + std::to_string(i)));
  }
  Scan(&scanner_);
  const auto exceptions = scanner_.totals().of(TrialSplit::kUnknown).exceptions;
  EXPECT_EQ(exceptions.size(), kMaxTrialExceptions + 1);
  EXPECT_EQ(exceptions.at("other"), 10u);
}

TEST_F(TrialScannerTest, TenThousandEntriesInOneStep) {
  for (int i = 0; i < 10000; ++i) {
    Finish("step_0001/t-" + std::to_string(i), Result("/d", "1"));
  }
  Scan(&scanner_);
  EXPECT_EQ(scanner_.totals().of(TrialSplit::kUnknown).solved, 10000u);
}

TEST_F(TrialScannerTest, NetworkFileSystemIsAskedMoreRarely) {
  files_.SetNetwork("/t");
  Finish("step_0001/a-1", Result("/d", "1"));
  EXPECT_GT(Scan(&scanner_), 39);
  InMemoryFileSource local;
  local.Mkdir("/t/p/e");
  TrialScanner scanner("/t/p/e", options_, &local);
  EXPECT_LE(Scan(&scanner), 10);
}

class TrialCacheTest : public TrialScannerTest {
 protected:
  TrialCacheTest() {
    char name[] = "/tmp/rlrun-trial-cache-XXXXXX";
    folder_ = mkdtemp(name);
    options_.cache_dir = folder_ + "/deep/er";
  }
  ~TrialCacheTest() override { std::filesystem::remove_all(folder_); }
  std::string CacheFile() {
    for (const auto& entry :
         std::filesystem::directory_iterator(options_.cache_dir)) {
      return entry.path();
    }
    return "";
  }
  std::string folder_;
};

TEST_F(TrialCacheTest, RestartReadsNoFinishedTrialAgain) {
  Finish("step_0001/a\t%\n-1", Result("/d/train/\\t1", "0.1"));
  Finish("step_0001/b-1", Result("/d/_val_/1", "", "AgentTimeoutError"));
  TrialTotals before;
  {
    TrialScanner first("/t/p/e", options_, &files_);
    Scan(&first);
    before = first.totals();
  }
  Finish("step_0001/c-1", Result("/d/train/1", "1"));
  files_.ResetCounts();
  TrialScanner second("/t/p/e", options_, &files_);
  Scan(&second);
  EXPECT_EQ(files_.counts().open, 1u);
  const TrialTotals after = second.totals();
  EXPECT_EQ(after.of(TrialSplit::kTrain).scored, 2u);
  EXPECT_EQ(after.of(TrialSplit::kTrain).rewards.sum.value(), 1.1);
  EXPECT_EQ(after.of(TrialSplit::kVal).finished,
            before.of(TrialSplit::kVal).finished);
  EXPECT_EQ(after.of(TrialSplit::kVal).exceptions.at("AgentTimeoutError"), 1u);
}

TEST_F(TrialCacheTest, TornAndForeignLinesAreSkipped) {
  Finish("step_0001/a-1", Result("/d", "1"));
  Finish("step_0001/b-1", Result("/d", "1"));
  {
    TrialScanner first("/t/p/e", options_, &files_);
    Scan(&first);
  }
  const std::string path = CacheFile();
  std::string text;
  {
    std::ifstream in(path);
    std::getline(in, text, '\0');
  }
  std::ofstream(path) << "v0\tx\n" << text.substr(0, text.size() - 4);
  for (int i = 0; i < 2; ++i) {  // the line behind the torn one is whole
    TrialScanner next("/t/p/e", options_, &files_);
    files_.ResetCounts();
    Scan(&next);
    EXPECT_EQ(next.totals().of(TrialSplit::kUnknown).solved, 2u);
    EXPECT_EQ(files_.counts().open, i == 0 ? 1u : 0u);
  }
}

TEST_F(TrialCacheTest, TrialsThatAreGoneCountForNothing) {
  Finish("step_0001/a-1", Result("/d", "1"));
  {
    TrialScanner first("/t/p/e", options_, &files_);
    Scan(&first);
  }
  files_.Remove("/t/p/e/step_0001");
  TrialScanner second("/t/p/e", options_, &files_);
  Scan(&second);
  EXPECT_EQ(second.totals().of(TrialSplit::kUnknown).finished_all(), 0u);
}

TEST_F(TrialCacheTest, FolderThatCannotBeMadeIsSaidAndCostsNothing) {
  std::ofstream(folder_ + "/file") << "x";
  options_.cache_dir = folder_ + "/file";
  Finish("step_0001/a-1", Result("/d", "1"));
  TrialScanner scanner("/t/p/e", options_, &files_);
  EXPECT_NE(scanner.cache_error(), "");
  Scan(&scanner);
  EXPECT_EQ(scanner.totals().of(TrialSplit::kUnknown).solved, 1u);
}

}  // namespace
}  // namespace rlrun
