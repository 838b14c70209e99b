// Rows of the table "Training-quality signals": numbers, losses, rewards,
// validations.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr char kScore[] = "critic/score/mean";
constexpr char kCore[] = "val-core/lab/repair/reward/mean@1";

void LoseGradient(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/grad_norm", kNan);
}

void LoseWeights(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"actor/pg_loss", "actor/loss", "actor/grad_norm",
                          "actor/entropy", "actor/kl_loss"}) {
    v->Set(key, kNan);
  }
}

void LoseSomeGradients(const Moment& m, StepValues* v) {
  if (m.sick() && m.since() % 3 == 1) v->Set("actor/grad_norm", kNan);
}

void Spike(const Moment& m, StepValues* v) {
  if (m.step == m.steps - 1) v->Scale("train/loss", 1.9);
}

void SpikeOften(const Moment& m, StepValues* v) {
  if (m.sick() && m.since() % 4 == 1) v->Scale("train/loss", 1.9);
}

// The loss creeps up, too slowly for a spike.
void Diverge(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("train/loss", v->Get("train/loss") + 0.006 * m.since());
}

double Flat(double value, double noise, const Moment& m) {
  return value + m.random->Uniform(-noise, noise);
}

void StayFlat(const Moment& m, StepValues* v) {
  const double way = std::exp(-m.step / 15.0);
  const double rise = 0.02 * m.step / 300.0;
  v->Set("train/loss", Flat(0.35 + 0.9 * way + rise, 0.004, m));
}

void StagnateReward(const Moment& m, StepValues* v) {
  SetReward(v, Flat(0.5 - 0.3 * std::exp(-m.step / 15.0) - 0.00012 * m.step,
                    0.007, m));
}

void DropReward(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  const double way = std::min(1.0, m.since() / 12.0);
  SetReward(v, v->Get(kScore) - 0.32 * way);
}

// Validations rise evenly and fall to a lower level in the sick steps.
void FallBack(const Moment& m, StepValues* v, double level) {
  if (!v->Has(kCore)) return;
  const double even = 0.3 + 0.004 * m.step;
  v->Set(kCore, Flat(m.sick() ? level : even, 0.002, m));
}
void RegressSome(const Moment& m, StepValues* v) { FallBack(m, v, 0.36); }
void RegressAll(const Moment& m, StepValues* v) { FallBack(m, v, 0.08); }

// What is optimised rises, the task is solved less.
void HackReward(const Moment& m, StepValues* v) {
  const double rewards = 0.3 + 0.5 * (1 - std::exp(-m.step / 40.0));
  v->Set("critic/rewards/mean", Flat(rewards, 0.015, m));
  v->Set("critic/rewards/max", 1.5);
  if (m.sick()) v->Set(kScore, m.random->Uniform(0.1, 0.12));
}

void AddNumbers(std::vector<Scenario>* out) {
  out->push_back({.name = "nan_inf",
                  .summary = "one gradient norm is not finite",
                  .recipe = {.steps = 40, .tail = 1, .change = LoseGradient},
                  .wanted = {{.signature = "nan_inf",
                              .since = 0,
                              .by = 0,
                              .evidence = {"actor/grad_norm"}}}});
  out->push_back(
      {.name = "nan_inf-critical",
       .summary = "losses, entropy and gradients are not finite",
       .recipe = {.steps = 40, .tail = 4, .change = LoseWeights},
       .wanted = {{.signature = "nan_inf",
                   .level = "critical",
                   .since = 0,
                   .by = 0,
                   .evidence = {"actor/pg_loss", "actor/loss", "actor/entropy",
                                "actor/grad_norm", "actor/kl_loss"}}}});
}

void AddMoreNumbers(std::vector<Scenario>* out) {
  out->push_back(
      {.name = "nan_inf-gradients",
       .summary = "every third gradient norm is not finite",
       .recipe = {.steps = 40, .tail = 8, .change = LoseSomeGradients},
       .wanted = {{.signature = "nan_inf",
                   .level = "critical",
                   .since = 6,
                   .by = 6,
                   .evidence = {"actor/grad_norm"}}},
       .companions = {{"nan_inf", "warning", "its lower level comes first"}}});
}

void AddLosses(std::vector<Scenario>* out) {
  out->push_back({.name = "loss_spike",
                  .summary = "one loss jumps",
                  .recipe = {.family = Family::kSft,
                             .steps = 90,
                             .least = 60,
                             .tail = 2,
                             .change = Spike},
                  .wanted = {{.signature = "loss_spike",
                              .since = 0,
                              .by = 0,
                              .evidence = {"train/loss"}}}});
  out->push_back({.name = "loss_spike-critical",
                  .summary = "every fourth loss jumps",
                  .recipe = {.family = Family::kSft,
                             .steps = 100,
                             .least = 70,
                             .tail = 11,
                             .change = SpikeOften},
                  .wanted = {{.signature = "loss_spike",
                              .level = "critical",
                              .since = 8,
                              .by = 8,
                              .evidence = {"train/loss"}}},
                  .companions = {{"loss_spike", "warning",
                                  "its lower level comes first"}}});
  out->push_back({.name = "loss_divergence",
                  .summary = "the loss creeps up for eighty steps",
                  .recipe = {.family = Family::kSft,
                             .steps = 180,
                             .least = 150,
                             .tail = 80,
                             .change = Diverge},
                  .wanted = {{.signature = "loss_divergence",
                              .level = "critical",
                              .since = 20,
                              .by = 70,
                              .evidence = {"train/loss"}}}});
  out->push_back({.name = "plateau",
                  .summary = "the loss has not moved for two hundred steps",
                  .recipe = {.family = Family::kSft,
                             .steps = 300,
                             .onset = 100,
                             .test_freq = 50,
                             .change = StayFlat},
                  .wanted = {{.signature = "plateau",
                              .level = "info",
                              .since = 50,
                              .by = 180,
                              .evidence = {"train/loss"}}}});
}

void AddRewards(std::vector<Scenario>* out) {
  out->push_back({.name = "reward_stagnation",
                  .summary = "the reward has not moved for 150 steps",
                  .recipe = {.family = Family::kMath,
                             .steps = 240,
                             .onset = 60,
                             .change = StagnateReward},
                  .wanted = {{.signature = "reward_stagnation",
                              .level = "info",
                              .since = 90,
                              .by = 175,
                              .evidence = {kScore}}}});
  out->push_back({.name = "reward_drop",
                  .summary = "the reward falls below where it began",
                  .recipe = {.steps = 80,
                             .least = 60,
                             .tail = 22,
                             .test_freq = 50,
                             .change = DropReward},
                  .wanted = {{.signature = "reward_drop",
                              .level = "critical",
                              .since = 7,
                              .by = 20,
                              .evidence = {kScore}}}});
  for (const bool all : {false, true}) {
    out->push_back(
        {.name = all ? "eval_regression-critical" : "eval_regression",
         .summary = all ? "validations fall below the first one"
                        : "validations fall below the best ones",
         .recipe = {.steps = 65,
                    .least = 65,
                    .tail = 11,
                    .test_freq = 5,
                    .change = all ? RegressAll : RegressSome},
         .wanted = {{.signature = "eval_regression",
                     .level = all ? "critical" : "warning",
                     .since = 0,
                     .by = 10,
                     .evidence = {kCore}}},
         .companions = {
             {"eval_regression", "warning", "its lower level comes first"}}});
  }
  out->push_back(
      {.name = "reward_hacking_suspect",
       .summary = "rewards rise, the score of the task falls",
       .recipe = {.steps = 60, .least = 50, .tail = 6, .change = HackReward},
       .wanted = {{.signature = "reward_hacking_suspect",
                   .since = 2,
                   .by = 4,
                   .evidence = {"critic/rewards/mean", kScore}}}});
}

}  // namespace

void AddQualityScenarios(std::vector<Scenario>* out) {
  AddNumbers(out);
  AddMoreNumbers(out);
  AddLosses(out);
  AddRewards(out);
}

}  // namespace rlrun::scenarios
