#include "tests/e2e/live_runs.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "tests/alerts/alert.h"
#include "tests/scenarios/files.h"

namespace rlrun::e2e {
namespace {

using scenarios::Expectation;
using scenarios::Piece;
using scenarios::Scenario;
using scenarios::ScenarioOptions;

constexpr int kLiveSteps = 24;  // of a scenario, at most
constexpr int kFewSteps = 6;    // of one that does not fall ill

double Now() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The piece behind the line of `step`.
std::size_t Behind(const std::vector<Piece>& pieces, int step) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].ends_step && pieces[i].step == step) return i + 1;
  }
  return pieces.size();
}

AlertId IdOf(const std::string& signature, const std::string& level) {
  return {alerts::AlertName("", signature), level};
}

// Only the age of its log tells what it has.
bool IsOfThePast(const Scenario& scenario) {
  if (scenario.state == "lost") return true;
  return std::any_of(scenario.wanted.begin(), scenario.wanted.end(),
                     [](const auto& w) { return w.age_seconds >= 300; });
}

// The next piece of its files; true: a step ends with it.
bool TakePiece(WatchedRun* run, std::string* log, std::string* record) {
  const Piece& piece = run->pieces[run->next++];
  *log += piece.bytes;
  if (run->record) {
    std::string newer = run->record->Take(piece);
    if (!newer.empty()) *record = std::move(newer);
  }
  return piece.ends_step;
}

bool Silences(const AlertId& id) { return id.second != "info"; }

}  // namespace

LiveRuns::LiveRuns(const std::string& root) : root_(root), now_(Now()) {
  for (const Scenario& scenario : scenarios::Scenarios()) AddScenario(scenario);
  for (const OwnRun& own : OwnRuns()) AddOwn(own);
  for (WatchedRun& run : runs_) WriteFirst(&run);
}

const WatchedRun& LiveRuns::run(const std::string& name) const {
  for (const WatchedRun& run : runs_) {
    if (run.name == name) return run;
  }
  throw std::out_of_range(name);
}

WatchedRun& LiveRuns::Add(const Scenario& scenario, double silent_before) {
  ScenarioOptions options;
  const auto length = [&] {
    return ScenarioPieces(scenario, options).back().at -
           static_cast<double>(options.start);
  };
  options.start = static_cast<std::int64_t>(now_ - silent_before - length());
  WatchedRun run;
  run.name = scenario.name;
  run.ledger = ScenarioLedger(scenario, options);
  if (scenario.recipe.has_log()) {
    run.log = root_ + "/lab/" + run.name + "/logs/" + run.name + ".log";
  }
  if (scenario.recipe.record) {
    run.record.emplace(scenario, options);
    run.record_path = root_ + "/" + run.record->path();
  }
  run.pieces = ScenarioPieces(scenario, options);
  run.live_from = run.late_from = run.pieces.size();
  run.written_at = silent_before > 0 ? run.pieces.back().at : now_;
  return runs_.emplace_back(std::move(run));
}

void LiveRuns::AddScenario(const Scenario& scenario) {
  const bool past = IsOfThePast(scenario);
  WatchedRun& run = Add(scenario, past ? scenario.look_after : 0);
  const int steps = run.ledger.front().steps;
  const int onset = ScenarioOnset(scenario, {});
  // A record alone would be stale as long as it is not written to its end.
  if (!past && steps > kFewSteps && !run.log.empty()) {
    // At least the step before the first sick one is not live.
    const int live = onset > steps
                         ? kFewSteps
                         : std::clamp(steps - onset + 2, kFewSteps, kLiveSteps);
    run.live_from = Behind(run.pieces, std::max(1, steps - live));
  }
  for (const Expectation& row : run.ledger) {
    if (!row.signature.empty()) {
      run.fires.insert(IdOf(row.signature, row.level));
    }
  }
  const bool silenced =
      std::any_of(run.fires.begin(), run.fires.end(), Silences);
  for (const std::string& check : scenario.checks) {
    const AlertId id{alerts::AlertName("Check", check), "info"};
    (silenced ? run.inhibited : run.fires).insert(id);
    run.may_fire.insert(id);  // before the signature is there
  }
  for (const auto& companion : run.ledger.front().companions) {
    run.may_fire.insert(IdOf(companion.signature, companion.level));
  }
  if (scenario.state == "finished" && !past) {
    run.fires.insert({"RLRunFinished", "info"});
  }
  run.has_process = run.process_dies = scenario.needs_process;
}

void LiveRuns::AddOwn(const OwnRun& own) {
  WatchedRun& run = Add(own.scenario, own.silent_before);
  if (own.silent_before == 0) run.live_from = Behind(run.pieces, own.live_from);
  if (own.late_from > 0) run.late_from = Behind(run.pieces, own.late_from);
  run.fires = {own.fires.begin(), own.fires.end()};
  run.fires_late = {own.fires_late.begin(), own.fires_late.end()};
  run.may_fire = {own.may_fire.begin(), own.may_fire.end()};
  run.inhibited = {own.inhibited.begin(), own.inhibited.end()};
  run.has_process = own.has_process;
  run.resolves = own.resolves;
}

void LiveRuns::WriteFirst(WatchedRun* run) {
  std::string text, record;
  while (run->next < run->live_from) TakePiece(run, &text, &record);
  const auto write = [run](const std::string& path, const std::string& bytes) {
    if (path.empty()) return;
    if (!scenarios::WriteFile(path, bytes) ||
        !scenarios::SetModified(path, run->written_at)) {
      throw std::runtime_error(path);
    }
  };
  write(run->log, text);
  write(run->record_path, record);
  if (!run->has_process) return;
  run->process = std::make_unique<Child>(Child::Options{
      .arguments = {"python3", "-m", "verl.trainer.main_ppo", "x=1"},
      .open = run->log});
}

bool LiveRuns::WriteStep(WatchedRun* run, std::size_t end) {
  if (run->next >= end) return false;
  std::string text, record;
  while (run->next < end && !TakePiece(run, &text, &record)) {
  }
  if (!run->log.empty() && !scenarios::AppendFile(run->log, text)) {
    throw std::runtime_error(run->log);
  }
  if (!record.empty() && !scenarios::WriteFile(run->record_path, record)) {
    throw std::runtime_error(run->record_path);
  }
  return true;
}

bool LiveRuns::Advance(bool late) {
  bool any = false;
  for (WatchedRun& run : runs_) {
    any |= WriteStep(&run, late ? run.pieces.size() : run.late_from);
    if (run.process_dies && run.next >= run.late_from) run.process.reset();
  }
  return any;
}

}  // namespace rlrun::e2e
