// The tree says of each event what must be true behind it; here our own
// parsers read along and must agree.
#include "tests/scenarios/run_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"
#include "tests/scenarios/memory_sink.h"

namespace rlrun::scenarios {
namespace {

// Follows one file as it grows.
struct Reader {
  LineSplitter splitter;
  std::unique_ptr<LogFormat> format = MakeLogFormat(FormatKind::kVerlConsole);
  LogFacts facts;
  std::optional<std::int64_t> step;  // newest training line

  void Feed(std::string_view bytes) {
    splitter.Feed(bytes, [this](std::span<const Line> lines) {
      format->ParseLines(lines, &facts);
    });
    for (const StepRecord& record : facts.steps) {
      if (record.line_class == LineClass::kTrain) step = record.step;
    }
    facts.steps.clear();
  }
};

class ReadingSink : public Sink {
 public:
  void Append(const std::string& path, std::string_view bytes) override {
    files_[path] += bytes;
    if (path.ends_with(".log") || path.ends_with(".out")) {
      readers_[path].Feed(bytes);
    }
  }
  void Truncate(const std::string& path) override {
    files_[path].clear();
    readers_.erase(path);
    ++truncations_;
  }

  Reader& reader(const std::string& path) { return readers_[path]; }
  const std::map<std::string, std::string>& files() const { return files_; }
  int truncations() const { return truncations_; }
  std::string Content(std::string_view end) const {
    for (const auto& [path, bytes] : files_) {
      if (path.ends_with(end)) return bytes;
    }
    return "";
  }

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, Reader> readers_;
  int truncations_ = 0;
};

RunTruth TruthOf(const TreeEvent& event, std::string_view front) {
  for (const RunTruth& truth : event.runs) {
    if (truth.run.starts_with(front)) return truth;
  }
  ADD_FAILURE() << "no run " << front;
  return {};
}

class RunTreeTest : public testing::Test {
 protected:
  void WriteAll() {
    while (tree_.Next(&sink_, &event_)) {
    }
  }

  RunTree tree_;
  ReadingSink sink_;
  TreeEvent event_;
};

TEST_F(RunTreeTest, EveryEventHoldsForAReader) {
  double before = 0;
  int events = 0;
  while (tree_.Next(&sink_, &event_)) {
    ++events;
    SCOPED_TRACE(event_.what);
    ASSERT_LE(before, event_.at);
    before = event_.at;
    for (const RunTruth& truth : event_.runs) {
      SCOPED_TRACE(truth.run);
      Reader& reader = sink_.reader(truth.log);
      ASSERT_EQ(truth.step.value_or(-1), reader.step.value_or(-1));
      const auto phase = reader.facts.events.phase;
      ASSERT_EQ(truth.phase,
                phase ? kRunPhaseNames[static_cast<std::size_t>(*phase)] : "");
      if (truth.step) {
        ASSERT_EQ(truth.total_steps, reader.facts.total_steps);
      }
      const auto& lines = reader.facts.lines;
      ASSERT_EQ(lines[static_cast<std::size_t>(LineOutcome::kMalformed)], 0u);
    }
  }
  EXPECT_GT(events, 300);
}

TEST_F(RunTreeTest, SixRunsOfTwoProjectsMeetTheirFates) {
  WriteAll();
  ASSERT_EQ(event_.runs.size(), 6u);
  std::map<std::string, int> projects;
  for (const RunTruth& truth : event_.runs) ++projects[truth.project];
  EXPECT_THAT(projects, testing::ElementsAre(testing::Pair("math-lab", 2),
                                             testing::Pair("swe-lab", 4)));
  const auto state = [this](std::string_view front) {
    const RunTruth truth = TruthOf(event_, front);
    return truth.state + "/" + truth.state_seen;
  };
  EXPECT_EQ(state("harbor-oc-async-3n"), "running/running");
  EXPECT_EQ(state("nightly"), "running/running");
  EXPECT_EQ(state("ppo-by-hand"), "finished/finished");
  EXPECT_EQ(state("harbor-oc-sync"), "failed/failed");
  EXPECT_EQ(state("val-deadlock"), "stalled/stalled");
  EXPECT_EQ(state("grpo-killed"), "stalled/failed");
}

TEST_F(RunTreeTest, StatesComeAboutInOrder) {
  std::map<std::string, std::vector<std::string>> seen;
  while (tree_.Next(&sink_, &event_)) {
    for (const RunTruth& truth : event_.runs) {
      auto& states = seen[truth.run];
      if (states.empty() || states.back() != truth.state) {
        states.push_back(truth.state);
      }
    }
  }
  using testing::ElementsAre;
  EXPECT_THAT(seen["nightly"],
              ElementsAre("starting", "running", "", "running"));
  EXPECT_THAT(seen["ppo-by-hand"],
              ElementsAre("starting", "running", "finished"));
  EXPECT_EQ(seen["val-deadlock"].back(), "stalled");
  EXPECT_EQ(seen["val-deadlock"].front(), "starting");
}

TEST_F(RunTreeTest, RelaunchLeavesOnlyTheSecondLaunch) {
  WriteAll();
  EXPECT_EQ(sink_.truncations(), 2);  // the engines' log as well
  const std::string log = sink_.Content("/nightly.log");
  EXPECT_EQ(log.find("Training from scratch"),
            log.rfind("Training from scratch"));
  EXPECT_EQ(TruthOf(event_, "nightly").rewinds, 1);
}

TEST_F(RunTreeTest, CrashedLogNamesTheDiskAndAnEcho) {
  WriteAll();
  const RunTruth truth = TruthOf(event_, "harbor-oc-sync");
  const LogEvents& events = sink_.reader(truth.log).facts.events;
  ASSERT_TRUE(events.newest_burst.has_value());
  EXPECT_TRUE(events.newest_burst->has(LogErrorKind::kTrainerCrash));
  EXPECT_EQ(events.newest_burst->evidence().kind, LogErrorKind::kDiskFull);
  EXPECT_GT(events.newest_burst->errors, 2u);
}

TEST_F(RunTreeTest, KilledAndDeadlockedLogsSayNothing) {
  WriteAll();
  for (const char* front : {"grpo-killed", "val-deadlock"}) {
    const LogEvents& events =
        sink_.reader(TruthOf(event_, front).log).facts.events;
    EXPECT_FALSE(events.end.has_value());
    EXPECT_FALSE(events.interrupt.has_value());
    EXPECT_FALSE(events.newest_burst && events.newest_burst->severe);
  }
}

TEST_F(RunTreeTest, EngineLogIsAPartAndLaunchLogIsMore) {
  WriteAll();
  const RunTruth truth = TruthOf(event_, "harbor-oc-async-3n");
  const std::string log = sink_.files().at(truth.log);
  const std::string engines =
      sink_.files().at(truth.log.substr(0, truth.log.size() - 4) + "_vllm.log");
  ASSERT_FALSE(engines.empty());
  EXPECT_NE(log.find(engines.substr(0, engines.find('\n'))), std::string::npos);
  std::string launch;
  for (const auto& [path, bytes] : sink_.files()) {
    if (path.find("/launch_") != std::string::npos) launch = bytes;
  }
  EXPECT_NE(launch.find("train log:     " + truth.log), std::string::npos);
  EXPECT_TRUE(std::string_view(launch).ends_with(log));
}

TEST_F(RunTreeTest, TrialsAreCountedOverAllNodes) {
  std::map<std::string, int> results;
  WriteAll();
  for (const auto& [path, bytes] : sink_.files()) {
    if (!path.ends_with("/result.json")) continue;
    const std::size_t project = path.find('/', 1);
    const std::string rest = path.substr(path.find('/', project + 1) + 1);
    ++results[rest.substr(0, rest.find("-2026"))];
  }
  const RunTruth three = TruthOf(event_, "harbor-oc-async-3n");
  EXPECT_EQ(results["harbor-oc-async-3n"], three.trials_finished);
  EXPECT_GT(three.trials_finished, 100);
  EXPECT_LT(three.trials_scored, three.trials_finished);
  EXPECT_EQ(TruthOf(event_, "val-deadlock").trials_running, 2);
}

TEST_F(RunTreeTest, SameOptionsSameBytes) {
  WriteAll();
  RunTree again;
  ReadingSink sink;
  TreeEvent event;
  while (again.Next(&sink, &event)) {
  }
  EXPECT_EQ(sink.files(), sink_.files());
}

TEST_F(RunTreeTest, FileSystemInMemoryTakesIt) {
  InMemoryFileSource source;
  MemorySink memory(&source);
  RunTree again;
  TreeEvent event;
  while (again.NextAt()) {
    memory.SetTime(*again.NextAt());
    ASSERT_TRUE(again.Next(&memory, &event));
  }
  WriteAll();
  for (const auto& [path, bytes] : sink_.files()) {
    ASSERT_EQ(source.Content(path), bytes) << path;
  }
  const RunTruth crashed = TruthOf(event, "harbor-oc-sync");
  EXPECT_LT(static_cast<double>(source.StatOf(crashed.log).mtime_ns) / 1e9,
            event.at - 1800);
}

TEST_F(RunTreeTest, LedgerIsTheLastTruth) {
  WriteAll();
  const auto ledger = TreeLedger({});
  ASSERT_EQ(ledger.size(), event_.runs.size());
  for (const Expectation& e : ledger) {
    const RunTruth truth = TruthOf(event_, e.run);
    EXPECT_EQ(e.state, truth.state);
    EXPECT_EQ("/trials/" + e.log, truth.log);
    EXPECT_EQ(e.steps, truth.step);
    EXPECT_GT(static_cast<double>(e.at), event_.at);
  }
}

}  // namespace
}  // namespace rlrun::scenarios
