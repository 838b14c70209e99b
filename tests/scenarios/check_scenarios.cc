// Rows of the health table: a value leaves its healthy range, and nothing that
// has a name of its own comes of it.
#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr char kReason[] = "trajectory_filter/reason/";

// `count` of 256 trajectories end for that reason.
void Filter(const char* reason, double count, StepValues* v) {
  const std::string key = std::string(kReason) + reason;
  const double before = v->Has(key) ? v->Get(key) : 0;
  const std::string completed = std::string(kReason) + "agent_completed";
  v->Int(key, count);
  v->Set(completed, v->Get(completed) - count + before);
}

void SinkGradient(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/grad_norm", m.random->Uniform(0.018, 0.022));
}
void LowerRate(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/lr", 8e-7);
}
void FailSetups(const Moment& m, StepValues* v) {
  if (m.sick()) Filter("env_setup_failed", 8, v);
}
void TimeOut(const Moment& m, StepValues* v) {
  if (m.sick()) {
    Filter("timeout", static_cast<double>(m.random->Integer(70, 80)), v);
  }
}
void Invalidate(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("trajectory_filter/invalid_count", 41);
  v->Set("trajectory_filter/invalid_ratio", 41.0 / 256);
}
void ClipSome(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("response_length/clip_ratio", m.random->Uniform(0.19, 0.23));
  }
}
void AbortSome(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("response/aborted_ratio", m.random->Uniform(0.07, 0.09));
  }
}
void Disagree(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("rollout_corr/kl", m.random->Uniform(0.013, 0.016));
}
void ExplainNothing(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("critic/vf_explained_var", m.random->Uniform(-0.09, -0.05));
  }
}
void ClipCritic(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("critic/grad_norm", m.random->Uniform(38, 44));
}
void SinkAdvantages(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("critic/advantages/mean", m.random->Uniform(-0.03, -0.02));
  }
}
void ShrinkSample(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("actor/rollout_corr/rollout_is_eff_sample_size",
           m.random->Uniform(0.96, 0.98));
  }
}

struct Row {
  const char* check;
  const char* summary;
  Family family;
  Change change;
};

constexpr Row kRows[] = {
    {"actor_lr", "the learning rate is not the configured one", Family::kMath,
     LowerRate},
    {"actor_grad_norm", "small gradients, answers as long as ever",
     Family::kMath, SinkGradient},
    {"env_setup_failed", "a few sandboxes fail, no more from step to step",
     Family::kAgent, FailSetups},
    {"timeout_share", "three in ten agents run out of time", Family::kAgent,
     TimeOut},
    {"invalid_ratio", "a sixth of the batch is dropped", Family::kAgent,
     Invalidate},
    {"response_clip_ratio", "a fifth of the answers is cut off", Family::kMath,
     ClipSome},
    {"aborted_ratio", "some answers are empty", Family::kMath, AbortSome},
    {"rollout_kl", "rollout and trainer disagree, pearson holds", Family::kMath,
     Disagree},
    {"vf_explained_var", "the critic has lost its way", Family::kCritic,
     ExplainNothing},
    {"critic_grad_norm", "every update of the critic is clipped", Family::kSao,
     ClipCritic},
    {"critic_advantages_mean", "batches are all negative, turns hold",
     Family::kSao, SinkAdvantages},
    {"eff_sample_size", "many tokens are zeroed", Family::kSao, ShrinkSample},
};

void FailAll(const Moment&, StepValues* v) {
  SetTied(v, 0);
  v->Set("actor/grad_norm", 0);
}

}  // namespace

void AddCheckScenarios(std::vector<Scenario>* out) {
  for (const Row& row : kRows) {
    Scenario scenario;
    scenario.name = std::string("check-") + row.check;
    scenario.summary = row.summary;
    scenario.recipe = {
        .family = row.family, .steps = 50, .tail = 7, .change = row.change};
    scenario.checks = {row.check};
    out->push_back(scenario);
  }
  out->push_back(
      {.name = "no_signal-flat_zero",
       .summary = "no answer was ever right",
       .recipe = {.steps = 36, .onset = 1, .test_freq = 0, .change = FailAll},
       .wanted = {{.signature = "no_signal",
                   .level = "critical",
                   .since = 25,
                   .by = 29,
                   .evidence = {"critic/score/max"}}},
       .companions = {{"no_signal", "warning", "its lower level comes first"}},
       .checks = {"reward_nonzero"}});
}

}  // namespace rlrun::scenarios
