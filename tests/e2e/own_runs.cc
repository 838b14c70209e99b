#include "tests/e2e/own_runs.h"

namespace rlrun::e2e {
namespace {

using scenarios::Ending;
using scenarios::Family;
using scenarios::Moment;
using scenarios::Scenario;
using scenarios::SetReward;
using scenarios::StepValues;

constexpr char kInfo[] = "info";
constexpr char kWarning[] = "warning";
constexpr char kCritical[] = "critical";

// It learns to the end; single gradients and steps stand out, validations take
// ten steps, the one before training scores nothing.
void AddNoise(const Moment& m, StepValues* v) {
  SetReward(v, 0.2 + 0.002 * m.step + m.random->Uniform(-0.015, 0.015));
  if (m.step % 37 == 5) v->Scale("actor/grad_norm", 7);
  double extra = m.step % 41 == 11 ? 90 : 0;
  if (v->Has("timing_s/testing")) {
    extra += 900 - v->Get("timing_s/testing");
    v->Set("timing_s/testing", 900);
  }
  v->Set("timing_s/step", v->Get("timing_s/step") + extra);
  v->Set("perf/time_per_step", v->Get("timing_s/step"));
}

// Three steps at 0.
void FreezeShortly(const Moment& m, StepValues* v) {
  if (m.sick() && m.since() <= 3) v->Set("actor/lr", 0);
}

void SlowDownShortly(const Moment& m, StepValues* v) {
  if (!m.sick() || m.since() > 5) return;
  v->Set("timing_s/step", v->Get("timing_s/step") + 95);
  v->Set("perf/time_per_step", v->Get("timing_s/step"));
}

void Randomize(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"actor/entropy", "train/entropy_loss"}) {
    v->Set(key, 2 + m.random->Uniform(-0.1, 0.1));
  }
}

void MisalignAndRandomize(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("training/rollout_actor_probs_pearson_corr",
         m.random->Uniform(0.91, 0.935));
  v->Set("rollout_corr/kl", m.random->Uniform(0.018, 0.022));
  Randomize(m, v);
}

Scenario Make(const char* name, int steps, int tail, scenarios::Change change,
              Ending ending = Ending::kRunning) {
  Scenario scenario;
  scenario.name = name;
  scenario.recipe.steps = steps;
  scenario.recipe.tail = tail;
  scenario.recipe.change = change;
  scenario.recipe.ending = ending;
  return scenario;
}

Scenario MakeRecorded(const char* name, int tail, scenarios::Change change) {
  Scenario scenario = Make(name, 40, tail, change);
  scenario.recipe.family = Family::kSlime;
  scenario.recipe.record.emplace();
  return scenario;
}

}  // namespace

std::vector<OwnRun> OwnRuns() {
  constexpr double kNotSilent = 0;
  const AlertId random{"RLRunEntropyExplosion", kWarning};
  const AlertId pearson{"RLRunCheckRoutingReplayPearson", kInfo};
  const AlertId kl{"RLRunCheckRolloutKl", kInfo};
  std::vector<OwnRun> runs;
  OwnRun noise{Make("noise", 300, 0, AddNoise), 276};
  noise.scenario.recipe.solves_at_first = false;
  runs.push_back(noise);
  runs.push_back({Make("recovers", 50, 20, FreezeShortly),
                  28,
                  33,
                  {{"RLRunFrozenModel", kCritical}},
                  {},
                  {{"RLRunCheckActorLr", kInfo}},
                  {},
                  kNotSilent,
                  false,
                  true});
  runs.push_back({Make("recovers-warning", 60, 30, SlowDownShortly),
                  28,
                  35,
                  {{"RLRunStepSlowdown", kWarning}},
                  {},
                  {},
                  {},
                  kNotSilent,
                  false,
                  true});
  runs.push_back({Make("ends_sick", 50, 14, Randomize, Ending::kFinished),
                  34,
                  50,
                  {random},
                  {{"RLRunFinished", kInfo}},
                  {},
                  {},
                  kNotSilent,
                  false,
                  true});
  runs.push_back({Make("crashes_sick", 50, 14, Randomize, Ending::kDiskFull),
                  34,
                  50,
                  {random},
                  {{"RLRunTrainerCrash", kCritical}}});
  runs.push_back({Make("misaligned", 50, 16, MisalignAndRandomize),
                  32,
                  0,
                  {{"RLRunR3Misalignment", kCritical}},
                  {},
                  // Another group of rules: they may come first.
                  {pearson, kl},
                  {random, pearson, kl}});
  OwnRun stall{Make("stall-process_alive", 30, 0, nullptr)};
  stall.fires = {{"RLRunStallProcessAlive", kCritical}};
  // Its process is looked for less often than its log is read.
  stall.may_fire = stall.inhibited = {{"RLRunStall", kWarning}};
  stall.silent_before = 45 * 60;
  stall.has_process = true;
  runs.push_back(stall);
  OwnRun lost{Make("is_lost", 34, 0, nullptr), 30};
  lost.fires_late = {{"RLRunLost", kWarning}};
  runs.push_back(lost);
  const AlertId stuck{"RLRunPossiblyStuck", kWarning};
  OwnRun gets_stuck{MakeRecorded("gets_stuck", 0, nullptr), 36};
  gets_stuck.fires_late = {stuck};
  gets_stuck.may_fire = {stuck};  // it waits for the others between its parts
  runs.push_back(gets_stuck);
  OwnRun app{MakeRecorded("app_dies_sick", 14, Randomize), 26, 38, {random}};
  app.scenario.recipe.extra = {"torch.OutOfMemoryError: CUDA out of memory.",
                               1};
  app.fires_late = {{"RLRunAppDied", kCritical}};
  app.may_fire = {stuck, {"RLRunCudaOom", kWarning}};
  runs.push_back(app);
  return runs;
}

std::string RulesOfOwnRuns() {
  return "runs:\n"
         "  - match: lab/died_silently\n"
         "    rules: {died_silently: {grace: 1}}\n"
         "  - match: lab/is_lost\n"
         "    rules: {lost: {silence: 10}}\n"
         "  - match: lab/gets_stuck\n"
         "    rules: {records: {silence: 15}}\n"
         "  - match: lab/app_dies_sick\n"
         "    rules: {records: {silence: 15}}\n";
}

}  // namespace rlrun::e2e
