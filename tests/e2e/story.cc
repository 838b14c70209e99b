#include "tests/e2e/story.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

namespace rlrun::e2e {
namespace {

using daemon::WaitUntil;

constexpr double kDeadline = 60;  // seconds, for each part
constexpr char kStuckSeries[] =
    "run=\"gets_stuck\",project=\"lab\",signature=\"possibly_stuck\"";

// Looks often, so that nobody waits for it; keys that no rule reads would only
// make scrapes slow.
std::string Config() {
  return "keys: {exclude: ['timing*', 'global_seqlen/*', '*perf/*']}\n"
         "poll: {active: 100ms, idle: 1s, directory: 1s}\n"
         "processes: {interval: 1s}\n" +
         RulesOfOwnRuns();
}

void Say(const char* what) {
  static const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> gone =
      std::chrono::steady_clock::now() - start;
  std::printf("%6.1f s  %s\n", gone.count(), what);
  std::fflush(stdout);
}

}  // namespace

const Story& Story::Get() {
  static const Story story;
  return story;
}

Story::Story() {
  try {
    Happen();
  } catch (const std::exception& error) {
    error_ = error.what();
  }
}

const Told* Story::Find(const std::string& run, const AlertId& id,
                        bool firing_now) const {
  for (auto it = told_.rbegin(); it != told_.rend(); ++it) {
    if (it->run == run && it->id == id && it->alert.firing == firing_now) {
      return &*it;
    }
  }
  return nullptr;
}

void Story::Collect(Told::Part part) {
  const std::vector<notify::Post> posts = stack_->Posts();
  for (std::size_t i = posts_.size(); i < posts.size(); ++i) {
    if (posts[i].path != "/rlrun") continue;
    for (auto& alert : notify::ParseNotification(posts[i].body).alerts) {
      const AlertId id{alert.label("alertname"), alert.label("severity")};
      // On a slow machine Prometheus evaluates before its first scrape.
      if (part != Told::Part::kDown && id.first == "RLRunExporterAbsent") {
        continue;
      }
      const std::string run = alert.label("run");
      told_.push_back({part, std::move(alert), id, run});
    }
  }
  posts_ = posts;
}

bool Story::WaitForAlerts(Told::Part part, bool late) {
  return WaitUntil(
      [&] {
        Collect(part);
        for (const WatchedRun& run : runs_->runs()) {
          for (const AlertId& id : late ? run.fires_late : run.fires) {
            if (Find(run.name, id, true) == nullptr) return false;
          }
        }
        return true;
      },
      kDeadline);
}

void Story::WaitForEnd(const std::string& run, const AlertId& end) {
  WaitUntil(
      [&] {
        Collect(Told::Part::kLate);
        return Find(run, end, true) != nullptr;
      },
      kDeadline);
  active_at_end[run] = stack_->Active();
}

// The next step when the exporter has read the last one.
void Story::Advance(bool late) {
  const WatchedRun& slowest = runs_->run(late ? "recovers-warning" : "noise");
  const auto step = [&] { return slowest.pieces[slowest.next - 1].step; };
  while (runs_->Advance(late)) {
    WaitUntil(
        [&] {
          return daemon::SampleValue(stack_->Metrics(), "rlrun_last_step",
                                     "run=\"" + slowest.name + "\"") >= step();
        },
        kDeadline);
  }
}

void Story::Happen() {
  Say("the first parts of the runs are written");
  runs_ = std::make_unique<LiveRuns>(folder_.File("runs"));
  stack_ = std::make_unique<AlertStack>(folder_.File("runs"), Config());
  exporter_url = stack_->exporter_url();
  Say("all parts are up");
  const auto count = static_cast<double>(runs_->runs().size());
  if (!WaitUntil([&] { return stack_->Query("count(rlrun_info)") == count; },
                 kDeadline)) {
    throw std::runtime_error("runs are missing\n" + stack_->Logs());
  }
  stack_->WaitForEvaluations(3);
  Collect(Told::Part::kBefore);
  Say("Prometheus knows all runs; now they fall ill");
  Advance(false);
  Say("written; waiting for what must be told");
  WaitForAlerts(Told::Part::kSick, false);
  Say("waiting whether more is told");
  stack_->WaitForEvaluations(3);
  firing = stack_->Firing();
  active = stack_->Active();
  failed_rules = stack_->FailedRules();
  Collect(Told::Part::kSick);
  Say("now some get well, and some end");
  Advance(true);
  WaitForEnd("crashes_sick", {"RLRunTrainerCrash", "critical"});
  WaitForEnd("app_dies_sick", {"RLRunAppDied", "critical"});
  WaitForAlerts(Told::Part::kLate, true);
  WaitUntil(
      [&] {
        Collect(Told::Part::kLate);
        for (const WatchedRun& run : runs_->runs()) {
          if (!run.resolves) continue;
          for (const AlertId& id : run.fires) {
            if (Find(run.name, id, false) == nullptr) return false;
          }
        }
        return true;
      },
      kDeadline);
  // On a slow machine it was told before its last step, too.
  WaitUntil(
      [&] {
        metrics = stack_->Metrics();
        return daemon::SampleValue(metrics, "rlrun_signature_active",
                                   kStuckSeries) == 1;
      },
      kDeadline);
  stuck = daemon::RunExporter(
      {"status", "--url=" + exporter_url, "--run=lab/gets_stuck"});
  for (const Told& told : told_) {
    const std::string& url = told.alert.annotation("runbook_url");
    if (!url.empty() && !runbooks.contains(url))
      runbooks[url] = daemon::HttpGet(url);
  }
  Say("the exporter goes");
  stack_->StopExporter();
  WaitUntil(
      [&] {
        Collect(Told::Part::kDown);
        return Find("", {"RLRunExporterDown", "critical"}, true) != nullptr;
      },
      kDeadline);
  down_active = stack_->Active();
  logs = stack_->Logs();
  stopped = stack_->Stop();
  Say("all is stopped");
}

}  // namespace rlrun::e2e
