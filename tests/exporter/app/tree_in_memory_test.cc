// Six runs of two projects, written event by event into a file system in
// memory, while an App looks on at a tick each half second of the test's time:
// two ticks behind each event it says exactly what is true then, and so does a
// second App that was only just started.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/exporter/app/tree_drive.h"
#include "tests/scenarios/memory_sink.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using scenarios::RunTruth;
using scenarios::TreeEvent;

constexpr double kTick = 0.5;  // seconds

// Remembers which files were changed.
class NotedSink : public scenarios::Sink {
 public:
  explicit NotedSink(InMemoryFileSource* files)
      : files_(files), memory_(files) {}
  void SetTime(double at) { memory_.SetTime(at); }
  void Append(const std::string& path, std::string_view bytes) override {
    entries_came = entries_came || !files_->Exists(path);
    changed.insert(path);
    memory_.Append(path, bytes);
  }
  void Truncate(const std::string& path) override {
    changed.insert(path);
    memory_.Truncate(path);
  }
  std::set<std::string> changed;
  bool entries_came = false;

 private:
  InMemoryFileSource* files_;
  scenarios::MemorySink memory_;
};

class TreeInMemory : public testing::Test {
 protected:
  TreeInMemory() {
    files_.Mkdir("/trials");
    now_ = *tree_.NextAt() - 5;
  }

  // Writes everything that has happened by now_. True: something has.
  bool WriteEvents() {
    bool any = false;
    while (tree_.NextAt() && *tree_.NextAt() <= now_) {
      sink_.SetTime(*tree_.NextAt());
      any = tree_.Next(&sink_, &event_);
      ++events_;
    }
    return any;
  }
  Now Clocks() const { return {now_ - scenarios::kScenarioStart + 1000, now_}; }
  void Step(App* app) {
    WriteEvents();
    if (!sink_.changed.empty()) {
      Hint(app, sink_.changed, sink_.entries_came);
    }
    sink_.changed.clear();
    sink_.entries_came = false;
    app->ReadInline(Clocks());
    now_ += kTick;
  }
  void Expect(App* app, bool is_fresh) {
    SCOPED_TRACE(event_.what + (is_fresh ? " (started anew)" : ""));
    ExpectRuns(
        app, Clocks(), event_.runs,
        [](const RunTruth& truth) { return truth.state; }, is_fresh);
  }

  InMemoryFileSource files_;
  NotedSink sink_{&files_};
  scenarios::RunTree tree_;
  TreeEvent event_;
  double now_ = 0;
  int events_ = 0;
};

TEST_F(TreeInMemory, EveryTransitionShowsWithinTwoTicks) {
  const std::unique_ptr<App> app = TreeApp("/trials", &files_);
  int checked = 0;
  while (tree_.NextAt() && !HasFailure()) {
    const int before = events_;
    Step(app.get());
    if (events_ == before) continue;
    Step(app.get());
    // What happened between the two ticks has its own two.
    if (tree_.NextAt() && *tree_.NextAt() <= now_) continue;
    Expect(app.get(), /*is_fresh=*/false);
    ++checked;
  }
  EXPECT_GT(checked, 300);
  EXPECT_EQ(event_.runs.size(), 6u);
}

TEST_F(TreeInMemory, RestartSaysTheSame) {
  int checked = 0;
  while (tree_.NextAt() && !HasFailure()) {
    now_ = *tree_.NextAt();
    WriteEvents();
    if (events_ % 11 != 0 && tree_.NextAt()) continue;
    now_ += kTick;
    const std::unique_ptr<App> app = TreeApp("/trials", &files_);
    app->ReadInline(Clocks());
    Expect(app.get(), /*is_fresh=*/true);
    ++checked;
  }
  EXPECT_GT(checked, 30);
}

}  // namespace
}  // namespace rlrun
