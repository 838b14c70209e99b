// Rows of the table "Failure signatures": numerics, validation, time, ends.
#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

using As = StepValues::As;
constexpr char kPearson[] = "training/rollout_actor_probs_pearson_corr";

void Misalign(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set(kPearson, m.random->Uniform(0.91, 0.935));
  v->Set("rollout_corr/kl", m.random->Uniform(0.018, 0.022));
  v->Set("training/rollout_probs_diff_mean", 0.041);
}

void Freeze(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/lr", 0);
}

// Answers grow, the gradient of a token thins out.
void Starve(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  const double way = m.since() > 20 ? 1 : m.since() / 20.0;
  v->Scale("response_length/mean", 1 + 0.75 * way);
  v->Scale("response_length_non_aborted/mean", 1 + 0.75 * way);
  v->Scale("actor/grad_norm", 1 - 0.88 * way);
}

void Tie(const Moment& m, StepValues* v) {
  if (m.sick()) SetTied(v, 1);
}

// Every answer is cut off, from the first step on.
void Clip(const Moment&, StepValues* v) {
  SetTied(v, 0);
  for (const char* end : {"mean", "max", "min"}) {
    v->Set(std::string("critic/score/") + end, -1);
    v->Set(std::string("critic/rewards/") + end, -1);
    v->Set(std::string("response_length/") + end, 16384);
    v->Set(std::string("response_length_non_aborted/") + end, 16384);
  }
  v->Set("actor/grad_norm", 0);
  v->Set("response_length/clip_ratio", 1);
  v->Set("response_length_non_aborted/clip_ratio", 1);
}

void LoseImages(const Moment& m, StepValues* v) {
  if (!v->Has("val-core/lab/repair/reward/mean@1")) return;
  if (!m.sick()) return;
  v->Add("val-core/lab/repair/reward/mean@1", 0, As::kFloat64);
  v->Add("val-aux/num_turns/min", 0, As::kFloat64);
  v->Add("val-aux/num_turns/max", 0, As::kFloat64);
  v->Add("val-aux/num_turns/mean", 0, As::kFloat64);
}

void SlowDown(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("timing_s/gen", v->Get("timing_s/gen") + 95);
  v->Set("timing_s/step", v->Get("timing_s/step") + 95);
  v->Set("perf/time_per_step", v->Get("timing_s/step"));
}

void AddNumerics(std::vector<Scenario>* out) {
  out->push_back(
      {.name = "r3_misalignment",
       .summary = "routing replay goes wrong: log-probs of another path",
       .recipe = {.steps = 40, .tail = 8, .change = Misalign},
       .wanted = {{.signature = "r3_misalignment",
                   .level = "critical",
                   .since = 1,
                   .by = 1,
                   .evidence = {kPearson, "rollout_corr/kl"}}},
       .checks = {"routing_replay_pearson", "rollout_kl"}});
  out->push_back(
      {.name = "frozen_model",
       .summary = "fully async, cosine over -1 steps: lr 0 from the start",
       .recipe = {.family = Family::kAsync,
                  .steps = 24,
                  .onset = 2,
                  .scheduler = "cosine",
                  .change = Freeze},
       .wanted = {{.signature = "frozen_model",
                   .level = "critical",
                   .since = 1,
                   .by = 1,
                   .evidence = {"actor/lr"}}},
       .checks = {"actor_lr"}});
  out->push_back(
      {.name = "frozen_model-late",
       .summary = "the learning rate falls to 0 in the middle of the run",
       .recipe = {.steps = 40, .tail = 8, .change = Freeze},
       .wanted = {{.signature = "frozen_model",
                   .level = "critical",
                   .since = 1,
                   .by = 1,
                   .evidence = {"actor/lr"}}},
       .companions = {{"lr_anomaly", "warning",
                       "0 on five steps after being above 0 is its own rule"}},
       .checks = {"actor_lr"}});
  out->push_back(
      {.name = "grad_starvation",
       .summary = "answers grow, the gradient thins out",
       .recipe = {.steps = 70, .tail = 30, .change = Starve},
       .wanted = {{.signature = "grad_starvation",
                   .since = 14,
                   .by = 22,
                   .evidence = {"actor/grad_norm", "response_length/mean"}}}});
  out->push_back(
      {.name = "no_signal",
       .summary = "the data has become too easy: all answers get the same",
       .recipe = {.steps = 50, .tail = 12, .change = Tie},
       .wanted = {{.signature = "no_signal",
                   .since = 8,
                   .by = 8,
                   .evidence = {"critic/score/max", "critic/score/min"}}}});
  out->push_back(
      {.name = "no_signal-critical",
       .summary = "the same for thirty steps",
       .recipe = {.steps = 70, .tail = 32, .change = Tie},
       .wanted = {{.signature = "no_signal",
                   .level = "critical",
                   .since = 25,
                   .by = 25,
                   .evidence = {"critic/score/max", "critic/score/min"}}},
       .companions = {
           {"no_signal", "warning", "its lower level comes first"}}});
  out->push_back(
      {.name = "no_signal-clipped",
       .summary = "every answer is cut off from step 1 on, reward -1",
       .recipe = {.family = Family::kMath,
                  .steps = 40,
                  .onset = 1,
                  .test_freq = 0,
                  .change = Clip},
       .wanted = {{.signature = "no_signal",
                   .level = "critical",
                   .since = 25,
                   .by = 29,
                   .evidence = {"critic/score/max", "critic/score/min"}}},
       .companions = {{"no_signal", "warning", "its lower level comes first"},
                      {"length_explosion", "critical",
                       "cut answers are its evidence and the cause"}},
       .checks = {"response_clip_ratio"}});
}

void AddValidations(std::vector<Scenario>* out) {
  out->push_back({.name = "val_fake_zero",
                  .summary = "images of the validation split cannot be pulled",
                  .recipe = {.steps = 34,
                             .onset = 10,
                             .first_validation = false,
                             .change = LoseImages},
                  .wanted = {{.signature = "val_fake_zero",
                              .since = 0,
                              .by = 0,
                              .evidence = {"val-core/lab/repair/reward/mean@1",
                                           "critic/score/mean"}}},
                  .checks = {"val_nonzero"}});
  out->push_back(
      {.name = "validation_missing",
       .summary = "test_freq is 10, and after step 20 none comes any more",
       .recipe = {.steps = 44, .onset = 30, .last_validation = 20},
       .wanted = {{.signature = "validation_missing", .since = 10, .by = 12}}});
}

void AddTimes(std::vector<Scenario>* out) {
  out->push_back({.name = "stall",
                  .summary = "the log stops inside a step",
                  .recipe = {.family = Family::kAsync, .steps = 30},
                  .wanted = {{.signature = "stall", .age_seconds = 1800}},
                  .state = "stalled",
                  .look_after = 45 * 60});
  out->push_back({.name = "stall-in_validation",
                  .summary = "deadlocked at the first validation",
                  .recipe = {.family = Family::kAsync,
                             .steps = 9,
                             .first_validation = false,
                             .ending = Ending::kInValidation},
                  .wanted = {{.signature = "stall", .age_seconds = 1800}},
                  .state = "stalled",
                  .look_after = 45 * 60});
  out->push_back(
      {.name = "no_progress",
       .summary = "engine and health lines, no steps any more",
       .recipe = {.steps = 30, .ending = Ending::kChatter},
       .wanted = {{.signature = "no_progress", .age_seconds = 3600}}});
  out->push_back(
      {.name = "no_progress-retries",
       .summary = "a judge model is asked again for ever",
       .recipe = {.family = Family::kMath,
                  .steps = 30,
                  .ending = Ending::kRetries},
       .wanted = {{.signature = "no_progress", .age_seconds = 3600}}});
  out->push_back({.name = "step_slowdown",
                  .summary = "steps take more than twice as long",
                  .recipe = {.steps = 40, .tail = 5, .change = SlowDown},
                  .wanted = {{.signature = "step_slowdown",
                              .since = 1,
                              .by = 2,
                              .evidence = {"timing_s/step"}}}});
}

}  // namespace

void AddFailureScenarios(std::vector<Scenario>* out) {
  AddNumerics(out);
  AddValidations(out);
  AddTimes(out);
}

}  // namespace rlrun::scenarios
