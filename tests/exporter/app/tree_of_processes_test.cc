// The same six runs as real files, three of them with a real process on this
// host that ends when its run does. Of those without one nobody can know: they
// are never called dead.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "exporter/process/process_scanner.h"
#include "exporter/tail/real_file_source.h"
#include "tests/exporter/app/tree_drive.h"
#include "tests/exporter/process/child.h"
#include "tests/scenarios/files.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using scenarios::RunTruth;
using scenarios::TreeEvent;

constexpr double kLook = 10;    // seconds between two looks at processes
constexpr double kMinute = 60;  // within which a death is said

class TreeOfProcesses : public testing::Test {
 protected:
  TreeOfProcesses() {
    scenarios::TreeOptions options;
    options.root = folder_.path();
    tree_.emplace(options);
    now_ = *tree_->NextAt();
    processes_.nvml_library.clear();
    scanner_.emplace(processes_);
    // Folders of trials are changed at this machine's time, which is long
    // behind that of the tree: no run would ever stall.
    app_ = TreeApp(folder_.path(), &files_, /*reads_trials=*/false);
  }

  static bool RunsHere(const RunTruth& truth) {
    return truth.run == "grpo-killed" || truth.run == "nightly" ||
           truth.run.starts_with("harbor-oc-sync");
  }
  Now Clocks() const { return {now_ - scenarios::kScenarioStart + 1000, now_}; }

  // What has happened by now_; ends and begins the processes that it tells of.
  bool Happen() {
    bool any = false;
    while (tree_->NextAt() && *tree_->NextAt() <= now_) {
      sink_.SetTime(*tree_->NextAt());
      any = tree_->Next(&sink_, &event_);
      for (const RunTruth& truth : event_.runs) Live(truth);
    }
    if (any) {
      EXPECT_TRUE(sink_.StampAll()) << sink_.failed();
    }
    return any;
  }
  void Live(const RunTruth& truth) {
    if (!RunsHere(truth)) return;
    std::unique_ptr<Child>& child = children_[truth.run];
    if (!truth.process_up) {
      if (child != nullptr) died_at_[truth.run] = now_;
      child.reset();
    } else if (child == nullptr) {
      child = std::make_unique<Child>(Child::Options{
          .arguments = {"python3", "-m", "verl.trainer.main_ppo", "x=1"},
          .open = truth.log});
    }
  }
  void Look() {
    for (const auto& reader : app_->readers()) {
      reader->Wake(nullptr);
      reader->WakeListing();
    }
    app_->ReadInline(Clocks());
    app_->TakeProcesses(scanner_->Scan(app_->RunKeys(), now_));
    app_->Tick(Clocks());
  }
  // Empty: not said.
  std::string StateOf(const RunTruth& truth) const {
    if (!RunsHere(truth)) return truth.state;
    const auto died = died_at_.find(truth.run);
    const bool is_fresh_death =
        died != died_at_.end() && now_ - died->second < kMinute;
    return is_fresh_death && truth.state_seen != truth.state ? ""
                                                             : truth.state_seen;
  }
  void Expect() {
    SCOPED_TRACE(event_.what);
    ExpectRuns(
        app_.get(), Clocks(), event_.runs,
        [this](const RunTruth& truth) { return StateOf(truth); },
        /*is_fresh=*/false);
    const ExposedSeries series(*app_);
    for (const RunTruth& truth : event_.runs) {
      SCOPED_TRACE(truth.run);
      const std::string up = series.Value("rlrun_process_up" + LabelsOf(truth) +
                                          ",role=\"trainer\"}");
      EXPECT_EQ(up, !RunsHere(truth) ? "" : truth.process_up ? "1" : "0");
      const std::string dead =
          series.Value("rlrun_signature_active" + LabelsOf(truth) +
                       ",signature=\"died_silently\",severity=\"warning\"}");
      const std::string state = StateOf(truth);
      if (!state.empty()) {
        EXPECT_EQ(dead, !RunsHere(truth) ? ""
                        : state == "failed" && truth.run == "grpo-killed"
                            ? "1"
                            : "0");
      }
    }
  }

  const TempFolder folder_;
  RealFileSource files_;
  scenarios::FileSink sink_;
  std::optional<scenarios::RunTree> tree_;
  ProcessOptions processes_;
  std::optional<ProcessScanner> scanner_;
  std::unique_ptr<App> app_;
  TreeEvent event_;
  std::map<std::string, std::unique_ptr<Child>> children_;
  std::map<std::string, double> died_at_;
  double now_ = 0;
};

TEST_F(TreeOfProcesses, OnlyWhoWasSeenHereIsSaidToHaveDied) {
  while (tree_->NextAt() && !HasFailure()) {
    now_ = std::min(now_ + kLook, std::max(now_, *tree_->NextAt()));
    const bool any = Happen();
    Look();
    if (!any && died_at_.empty()) continue;
    if (any) {
      now_ += 0.5;
      Look();
    }
    Expect();
  }
  EXPECT_EQ(died_at_.size(), 2u);
  // Silent for hours: who lives here has stalled, of the others nothing is
  // known.
  now_ += 7 * 3600;
  Look();
  std::map<std::string, std::string> states;
  for (const RunReport& report : app_->Reports(Clocks())) {
    states[report.run.substr(0, report.run.find("-2026"))] =
        kRunStateNames[static_cast<std::size_t>(report.state)];
  }
  using testing::Pair;
  EXPECT_THAT(states, testing::ElementsAre(Pair("grpo-killed", "failed"),
                                           Pair("harbor-oc-async-3n", "lost"),
                                           Pair("harbor-oc-sync", "failed"),
                                           Pair("nightly", "stalled"),
                                           Pair("ppo-by-hand", "finished"),
                                           Pair("val-deadlock", "lost")));
}

}  // namespace
}  // namespace rlrun
