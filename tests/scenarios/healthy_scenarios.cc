// Healthy runs, and healthy ones that look like sick ones.
#include <algorithm>
#include <cmath>

#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

// A critic that needs ninety steps; the reward rises meanwhile.
void Bootstrap(const Moment& m, StepValues* v) {
  v->Set("critic/vf_explained_var",
         m.step < 4
             ? -65.0 * std::exp(-m.step)
             : 0.02 + 0.0026 * std::min(m.step, 92) +
                   0.2 * (1 - std::exp(-std::max(0, m.step - 92) / 9.0)) +
                   m.random->Uniform(-0.01, 0.01));
  v->Set("critic/grad_norm",
         18 * std::exp(-m.step / 120.0) + m.random->Uniform(-1, 1));
}

void WarmUp(const Moment& m, StepValues* v) {
  v->Set("actor/lr", 1e-6 * std::min(1.0, (m.step - 1) / 20.0));
}

void CosineToZero(const Moment& m, StepValues* v) {
  const double way = std::min(1.0, static_cast<double>(m.step) / m.steps);
  v->Set("actor/lr", 5e-7 * (1 + std::cos(3.14159265358979 * way)));
}

// The agent learns to need fewer turns and words.
void LearnBrevity(const Moment& m, StepValues* v) {
  const double way = 1 - std::exp(-m.step / 40.0);
  v->Spread("num_turns", 24 - 10 * way + m.random->Uniform(-0.5, 0.5), 58, 3);
  v->Scale("response_length/mean", 1 - 0.35 * way);
}

// Nearly all is solved; now and then every answer of a batch is right.
void Saturate(const Moment& m, StepValues* v) {
  SetReward(v, 0.97 - 0.1 * std::exp(-m.step / 20.0) +
                   m.random->Uniform(-0.008, 0.008));
  if (m.step % 5 == 2) SetTied(v, 1);
}

void StayOnPolicy(const Moment&, StepValues* v) {
  for (const char* key :
       {"actor/ppo_kl", "actor/pg_clipfrac", "actor/pg_loss"}) {
    v->Set(key, 0);
  }
  v->Set("perf/mfu/actor", 0);
}

// Both sink a little with the entropy, and the KL stays small.
void SinkPearson(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("training/rollout_actor_probs_pearson_corr",
         m.random->Uniform(0.986, 0.989));
}

void SpikeHarmlessly(const Moment& m, StepValues* v) {
  if (m.step % 17 == 9) v->Scale("actor/grad_norm", 5);
  if (m.step % 23 == 4) v->Scale("timing_s/gen", 1.8);
}

void ValidateSlowly(const Moment&, StepValues* v) {
  if (!v->Has("timing_s/testing")) return;
  v->Set("timing_s/step",
         v->Get("timing_s/step") - v->Get("timing_s/testing") + 900);
  v->Set("timing_s/testing", 900);
  v->Set("perf/time_per_step", v->Get("timing_s/step"));
}

void FailSomeTools(const Moment& m, StepValues* v) {
  const double timeout = static_cast<double>(m.random->Integer(20, 40));
  v->Set("trajectory_filter/reason/timeout", timeout);
  v->Set("trajectory_filter/reason/agent_completed", 244 - timeout);
  v->Set("trajectory_filter/invalid_count", 20);
}

// Turns fall because agents run out of time: no collapse, but two checks.
void TimeOutEarly(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Spread("num_turns", m.random->Uniform(7, 8), 20, 2);
  v->Set("trajectory_filter/reason/timeout", 90);
  v->Set("trajectory_filter/reason/agent_completed", 150);
}

void Dip(const Moment& m, StepValues* v) {
  if (m.step >= 36 && m.step <= 39) {
    SetReward(v, v->Get("critic/score/mean") - 0.2);
  }
}

void FailOneValidation(const Moment& m, StepValues* v) {
  if (m.step == 40) v->Set("val-core/lab/repair/reward/mean@1", 0.3);
}

void LowerEntropy(const Moment& m, StepValues* v) {
  v->Set("actor/entropy", 0.05 + 0.4 * std::exp(-m.step / 20.0) +
                              m.random->Uniform(-0.004, 0.004));
}

void ShapeReward(const Moment& m, StepValues* v) {
  v->Set("critic/rewards/mean",
         v->Get("critic/score/mean") + 0.4 * (1 - std::exp(-m.step / 30.0)));
  v->Set("critic/rewards/max", 1.5);
}

// Hardly anything is solved yet, in validations nothing.
void FindItHard(const Moment& m, StepValues* v) {
  SetReward(v, m.random->Uniform(0.015, 0.035));
  for (const char* key :
       {"val-core/lab/sums/acc/mean@8", "val-core/lab/words/acc/mean@8",
        "val-core/lab/sums/acc/best@8/mean"}) {
    v->Set(key, 0);
  }
}

struct Row {
  const char* name;
  const char* summary;
  Recipe recipe;
  std::vector<std::string> checks = {};  // that fail
};

}  // namespace

void AddHealthyScenarios(std::vector<Scenario>* out) {
  const Row rows[] = {
      {"healthy", "synchronous GRPO, an agent with tools", {}},
      {"healthy-three_sources",
       "the same, with W&B's file and TensorBoard's events beside the log",
       {.has_copies = true}},
      {"healthy-math", "one turn, two data sources", {.family = Family::kMath}},
      {"healthy-critic", "PPO with a critic", {.family = Family::kCritic}},
      {"healthy-async", "fully asynchronous", {.family = Family::kAsync}},
      {"healthy-sao",
       "a critic, the actor in bypass mode",
       {.family = Family::kSao}},
      {"healthy-sft", "supervised", {.family = Family::kSft, .steps = 120}},
      {"healthy-three_decimals",
       "an older console that rounds: lr is 0.000",
       {.family = Family::kMath, .fixed = true, .has_config = false}},
      {"healthy-sft_three_decimals",
       "the same of the supervised trainer",
       {.family = Family::kSft, .steps = 120, .fixed = true}},
      {"healthy-critic_bootstrap",
       "a critic that takes ninety steps",
       {.family = Family::kCritic, .steps = 95, .change = Bootstrap}},
      {"healthy-warm_up",
       "the learning rate begins at 0",
       {.warmup = 20, .change = WarmUp}},
      {"healthy-cosine",
       "the learning rate ends at 0 with the last step",
       {.family = Family::kMath,
        .steps = 80,
        .scheduler = "cosine",
        .change = CosineToZero,
        .ending = Ending::kFinished}},
      {"healthy-brevity",
       "turns and lengths fall, within what is normal",
       {.change = LearnBrevity}},
      {"healthy-easy_data",
       "the reward saturates, one batch in five is tied",
       {.family = Family::kMath, .change = Saturate}},
      {"healthy-on_policy",
       "policy loss, KL and clipping are exactly 0",
       {.family = Family::kMath, .change = StayOnPolicy}},
      {"healthy-no_validation_yet",
       "step 12 of a run that tests every 20",
       {.steps = 12, .test_freq = 20, .first_validation = false}},
      {"healthy-young", "six steps: too few to say much", {.steps = 6}},
      {"healthy-spikes",
       "single gradients and steps stand out",
       {.change = SpikeHarmlessly}},
      {"healthy-slow_validation",
       "validations take ten times a step",
       {.change = ValidateSlowly}},
      {"healthy-timeouts",
       "a tenth of the agents run out of time",
       {.change = FailSomeTools}},
      {"healthy-resumed",
       "steps 21 to 30 are printed twice",
       {.steps = 45, .resume_at = 30, .resume_from = 20}},
      {"healthy-dip", "the reward is low for four steps", {.change = Dip}},
      {"healthy-one_bad_validation",
       "one validation stands out",
       {.change = FailOneValidation}},
      {"healthy-low_entropy",
       "entropy falls to a tenth",
       {.family = Family::kMath, .change = LowerEntropy}},
      {"healthy-shaped_reward",
       "rewards rise faster than the score",
       {.family = Family::kMath, .change = ShapeReward}},
      {"healthy-hard_task",
       "next to nothing is solved yet: a check, no more",
       {.family = Family::kMath,
        .first_validation = false,
        .change = FindItHard},
       {"val_nonzero"}},
      {"healthy-turns_fall_with_timeouts",
       "turns fall because time is up: checks, no collapse",
       {.tail = 6, .change = TimeOutEarly},
       {"num_turns", "timeout_share"}},
      {"healthy-low_pearson",
       "pearson sinks at a small KL: a check, no more",
       {.tail = 6, .change = SinkPearson},
       {"routing_replay_pearson"}},
  };
  for (const Row& row : rows) {
    Scenario scenario;
    scenario.name = row.name;
    scenario.summary = row.summary;
    scenario.recipe = row.recipe;
    scenario.checks = row.checks;
    if (row.recipe.ending == Ending::kFinished) scenario.state = "finished";
    out->push_back(scenario);
  }
}

}  // namespace rlrun::scenarios
