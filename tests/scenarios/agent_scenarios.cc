// Rows of the table "Failure signatures": what agents and critics do, and how
// runs end.
#include <algorithm>
#include <cmath>

#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr char kSetup[] = "trajectory_filter/reason/env_setup_failed";

// Sandboxes fail to start, more from step to step.
void Avalanche(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  const double failed = 4 + 9.0 * m.since();
  const double timeout = v->Get("trajectory_filter/reason/timeout");
  v->Int(kSetup, failed);
  v->Set("trajectory_filter/reason/agent_completed", 247 - timeout - failed);
  v->Set("trajectory_filter/invalid_count", timeout + failed);
  v->Set("trajectory_filter/invalid_ratio", (timeout + failed) / 256);
  SetReward(v, v->Get("critic/score/mean") - 0.03 * m.since());
}

// The model ends its episodes without using tools.
void DropTools(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  const double turns = m.since() == 1 ? 11 : m.random->Uniform(2.2, 2.6);
  v->Spread("num_turns", turns, 9, 2);
  v->Set("timing_s/agent_loop/tool_calls/mean", 0.3);
}

void DropToolsAndReward(const Moment& m, StepValues* v) {
  DropTools(m, v);
  if (m.sick()) SetReward(v, m.random->Uniform(0.09, 0.12));
}

// A critic that its gradient clip keeps where it began.
void StarveCritic(const Moment& m, StepValues* v) {
  const double sway = m.step % 2 == 0 ? 0.012 : -0.012;
  SetReward(v, 0.3 + sway + m.random->Uniform(-0.004, 0.004));
  v->Set("critic/vf_explained_var", m.random->Uniform(0.05, 0.07));
  v->Set("critic/vf_loss", m.random->Uniform(0.17, 0.18));
  v->Set("critic/grad_norm", m.random->Uniform(36, 44));
}

// `think` is reinforced: more turns, less reward, no positive batch.
void Think(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("critic/advantages/mean", m.random->Uniform(-0.06, -0.05));
  v->Set("critic/advantages/max", -0.01);
  const double turns = 24 * std::pow(1.07, m.since());
  v->Spread("num_turns", turns, std::max(70.0, turns * 2), 6);
  SetReward(v, v->Get("critic/score/mean") - 0.028 * m.since());
}

void PrintClipFraction(const Moment& m, StepValues* v) {
  v->Add("actor/pg_clipfrac", m.random->Uniform(0.001, 0.004));
}

// One trajectory of the batch is cut down, as a whole.
void CutByTrajectory(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("actor/rollout_corr/rollout_is_ratio_fraction_low",
           static_cast<double>(m.random->Integer(1, 3)) / 256);
  }
}

void AddAgents(std::vector<Scenario>* out) {
  out->push_back(
      {.name = "env_avalanche",
       .summary = "more sandboxes fail from step to step, rewards sink",
       .recipe = {.steps = 45, .tail = 5, .change = Avalanche},
       .wanted = {{.signature = "env_avalanche",
                   .since = 1,
                   .by = 2,
                   .evidence = {kSetup, "critic/score/mean"}}},
       .checks = {"env_setup_failed", "invalid_ratio"}});
  out->push_back({.name = "no_tool_call_collapse",
                  .summary = "the model gives up its tools, the reward holds",
                  .recipe = {.steps = 40, .tail = 8, .change = DropTools},
                  .wanted = {{.signature = "no_tool_call_collapse",
                              .since = 2,
                              .by = 3,
                              .evidence = {"num_turns/mean"}}},
                  .checks = {"num_turns"}});
  out->push_back(
      {.name = "no_tool_call_collapse-critical",
       .summary = "the model gives up its tools and solves nothing",
       .recipe = {.steps = 40, .tail = 8, .change = DropToolsAndReward},
       .wanted = {{.signature = "no_tool_call_collapse",
                   .level = "critical",
                   .since = 2,
                   .by = 3,
                   .evidence = {"num_turns/mean", "critic/score/mean"}}},
       .checks = {"num_turns"}});
  out->push_back({.name = "critic_starvation",
                  .summary = "sixty steps, and the critic is where it began",
                  .recipe = {.family = Family::kCritic,
                             .steps = 60,
                             .onset = 1,
                             .change = StarveCritic},
                  .wanted = {{.signature = "critic_starvation",
                              .since = 49,
                              .by = 54,
                              .evidence = {"critic/vf_explained_var",
                                           "critic/grad_norm"}}}});
  out->push_back(
      {.name = "all_negative_batch_collapse",
       .summary = "SAO without whitening: thinking is reinforced",
       .recipe =
           {.family = Family::kSao, .steps = 45, .tail = 7, .change = Think},
       .wanted = {{.signature = "all_negative_batch_collapse",
                   .level = "critical",
                   .since = 2,
                   .by = 6,
                   .evidence = {"critic/advantages/mean", "num_turns/mean",
                                "critic/score/mean"}}},
       .checks = {"critic_advantages_mean"}});
  out->push_back(
      {.name = "dis_not_reaching_actor",
       .summary = "keys tell SAO, and the actor still clips; no config block",
       .recipe = {.family = Family::kSao,
                  .steps = 30,
                  .onset = 2,
                  .has_config = false,
                  .change = PrintClipFraction},
       .wanted = {{.signature = "dis_not_reaching_actor",
                   .since = 0,
                   .by = 0,
                   .evidence = {"actor/pg_clipfrac"}}},
       .checks = {"pg_clipfrac_absent"}});
  out->push_back(
      {.name = "dis_not_reaching_actor-critical",
       .summary = "the config says bypass mode, and the actor still clips",
       .recipe = {.family = Family::kSao,
                  .steps = 30,
                  .onset = 2,
                  .change = PrintClipFraction},
       .wanted = {{.signature = "dis_not_reaching_actor",
                   .level = "critical",
                   .since = 0,
                   .by = 0,
                   .evidence = {"actor/pg_clipfrac"}}},
       .checks = {"pg_clipfrac_absent"}});
  out->push_back(
      {.name = "dis_not_reaching_actor-by_trajectory",
       .summary = "the share of low ratios is a whole number of trajectories",
       .recipe = {.family = Family::kSao,
                  .steps = 30,
                  .tail = 8,
                  .change = CutByTrajectory},
       .wanted = {{.signature = "dis_not_reaching_actor",
                   .level = "critical",
                   .since = 2,
                   .by = 2,
                   .evidence = {
                       "actor/rollout_corr/rollout_is_ratio_fraction_low"}}}});
}

void AddEnd(std::string name, std::string summary, Ending ending,
            std::vector<Scenario>* out) {
  out->push_back({.name = std::move(name),
                  .summary = std::move(summary),
                  .recipe = {.steps = 34, .ending = ending},
                  .wanted = {{.signature = "trainer_crash",
                              .level = "critical",
                              .age_seconds = 300}},
                  .state = "failed",
                  .look_after = 600});
}

}  // namespace

void AddAgentScenarios(std::vector<Scenario>* out) {
  AddAgents(out);
  AddEnd("trainer_crash", "the disk is full when a checkpoint is written",
         Ending::kDiskFull, out);
  AddEnd("trainer_crash-actor_died", "a worker dies, collectives time out",
         Ending::kActorDied, out);
  AddEnd("trainer_crash-cuda_oom", "the optimizer step runs out of memory",
         Ending::kCudaOom, out);
  AddEnd("trainer_crash-traceback", "a traceback, then silence",
         Ending::kTraceback, out);
  AddEnd("trainer_crash-wrapper_says_done",
         "killed for its memory, and a script says finished", Ending::kHostOom,
         out);
  for (const bool wrapper : {false, true}) {
    out->push_back({.name = wrapper ? "ended_early-wrapper" : "ended_early",
                    .summary = wrapper
                                   ? "a script says finished, steps are missing"
                                   : "the trainer ends at step 34 of 94",
                    .recipe = {.steps = 34,
                               .ending = wrapper ? Ending::kWrapperEnd
                                                 : Ending::kEndedEarly},
                    .wanted = {{.signature = "ended_early", .age_seconds = 1}},
                    .state = "failed"});
  }
  out->push_back({.name = "died_silently",
                  .summary = "the process is gone, the log just ends",
                  .recipe = {.steps = 34},
                  .wanted = {{.signature = "died_silently", .age_seconds = 1}},
                  .state = "failed",
                  .look_after = 120,
                  .needs_process = true});
}

}  // namespace rlrun::scenarios
