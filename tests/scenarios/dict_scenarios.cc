// Runs of slime, miles and Hugging Face trainers, healthy and sick: the rules
// are those of verl's runs, under other keys.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Way(const Moment& m, double from, double to, int steps) {
  const double way = std::min(1.0, static_cast<double>(m.since()) / steps);
  return from + (to - from) * way;
}

void LoseWeights(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"train/loss", "train/pg_loss", "train/entropy_loss",
                          "train/grad_norm", "train/kl_loss"}) {
    v->Set(key, kNan);
  }
}
void SkipOneUpdate(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("train/grad_norm", kNan);
}
void DropReward(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"rollout/raw_reward", "reward"}) {
    v->Set(key, v->Get(key) - Way(m, 0, 0.3, 12));
  }
}
void Lengthen(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key :
       {"gen:rollout/response_len/mean", "rollout/response_lengths",
        "completions/mean_length"}) {
    v->Set(key, 7900);
  }
  for (const char* key : {"gen:rollout/truncated_ratio", "rollout/truncated",
                          "completions/clipped_ratio"}) {
    v->Set(key, m.random->Uniform(0.1, 0.13));
  }
}
void CollapseEntropy(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"train/entropy_loss", "entropy"}) {
    v->Set(key, m.since() < 4 ? Way(m, 0.35, 0.012, 4)
                              : m.random->Uniform(0.004, 0.006));
  }
}
void SpikeValueLoss(const Moment& m, StepValues* v) {
  if (m.step == m.steps - 1) v->Scale("train/critic-value_loss", 3);
}
void ExplodeOften(const Moment& m, StepValues* v) {
  if (!m.sick() || m.since() % 4 != 1) return;
  v->Scale("train/grad_norm", 20);
  v->Scale("grad_norm", 20);
}
void EqualRewards(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("gen:rollout/zero_std/count_0.0", 30);
  v->Set("frac_reward_zero_std", 0.97);
}
// The loss is filtered: it reads 0 while nothing is a number.
void FilterNan(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("loss", 0);
  v->Set("grad_norm", kNan);
}
void SpikeOften(const Moment& m, StepValues* v) {
  if (m.sick() && m.since() % 4 == 1) v->Scale("loss", 1.9);
}

// Rows of the health table.
void ClipSome(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  const double share = m.random->Uniform(0.19, 0.23);
  for (const char* key : {"gen:rollout/truncated_ratio", "rollout/truncated",
                          "completions/clipped_ratio"}) {
    v->Set(key, share);
  }
}
void Disagree(const Moment& m, StepValues* v) {
  v->Add("train/train_rollout_kl",
         m.sick() ? m.random->Uniform(0.013, 0.016) : 3e-4);
}
void SinkGradient(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"train/grad_norm", "grad_norm"}) {
    v->Set(key, m.random->Uniform(0.018, 0.022));
  }
}
void LowerRate(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("train/lr-pg_0", 8e-7);
}
void StopRate(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  for (const char* key : {"train/lr-pg_0", "learning_rate"}) v->Set(key, 0);
}

struct CheckRow {
  const char* name;
  const char* summary;
  Family family;
  const char* check;
  Change change;
};

constexpr CheckRow kCheckRows[] = {
    {"slime-check-response_clip_ratio", "a fifth of the answers is cut off",
     Family::kSlime, "response_clip_ratio", ClipSome},
    {"slime-check-rollout_kl", "rollout and trainer disagree", Family::kSlime,
     "rollout_kl", Disagree},
    {"slime-check-actor_lr", "the learning rate is not the configured one",
     Family::kSlime, "actor_lr", LowerRate},
    {"miles-check-response_clip_ratio", "a fifth of the answers is cut off",
     Family::kMiles, "response_clip_ratio", ClipSome},
    {"trl-check-response_clip_ratio", "a fifth of the answers is cut off",
     Family::kTrl, "response_clip_ratio", ClipSome},
    {"trl-check-actor_grad_norm", "small gradients, answers as long as ever",
     Family::kTrl, "actor_grad_norm", SinkGradient},
};

struct Row {
  const char* name;
  const char* summary;
  Family family;
  const char* signature;
  const char* level;
  int tail, since, by;
  const char* key;
  Change change;
  const char* check = nullptr;
  int steps = 60;
};

constexpr Row kRows[] = {
    {"slime-nan_inf", "an update was skipped", Family::kSlime, "nan_inf",
     "warning", 1, 0, 0, "train/grad_norm", SkipOneUpdate},
    {"slime-nan_inf-critical", "losses, entropy and gradients are not finite",
     Family::kSlime, "nan_inf", "critical", 4, 0, 0, "train/pg_loss",
     LoseWeights},
    {"slime-reward_drop", "the reward falls below where it began",
     Family::kSlime, "reward_drop", "critical", 22, 7, 20, "rollout/raw_reward",
     DropReward, nullptr, 80},
    {"slime-length_explosion", "answers treble", Family::kSlime,
     "length_explosion", "warning", 8, 2, 5, "rollout/response_len/mean",
     Lengthen},
    {"slime-entropy_collapse", "entropy is gone, the reward holds",
     Family::kSlime, "entropy_collapse", "warning", 14, 5, 11,
     "train/entropy_loss", CollapseEntropy},
    {"slime-grad_explosion", "every fourth gradient norm is twenty times",
     Family::kSlime, "grad_explosion", "critical", 11, 8, 8, "train/grad_norm",
     ExplodeOften},
    {"slime-loss_spike", "one loss of the critic jumps", Family::kSlimeTwo,
     "loss_spike", "warning", 2, 0, 0, "train/critic-value_loss",
     SpikeValueLoss},
    {"slime-no_signal", "nearly all groups have equal rewards", Family::kSlime,
     "no_signal", "warning", 12, 8, 9, "rollout/zero_std/count_0.0",
     EqualRewards},
    {"slime-frozen_model", "the learning rate is 0", Family::kSlime,
     "frozen_model", "critical", 4, 1, 1, "train/lr-pg_0", StopRate,
     "actor_lr"},
    {"miles-reward_drop", "the reward falls below where it began",
     Family::kMiles, "reward_drop", "critical", 22, 7, 20, "rollout/raw_reward",
     DropReward, nullptr, 80},
    {"trl-nan_inf", "the loss is 0 beside a gradient norm that is no number",
     Family::kTrl, "nan_inf", "critical", 2, 0, 0, "loss", FilterNan},
    {"trl-reward_drop", "the reward falls below where it began", Family::kTrl,
     "reward_drop", "critical", 24, 7, 22, "reward", DropReward, nullptr, 80},
    {"trl-length_explosion", "answers grow tenfold", Family::kTrl,
     "length_explosion", "warning", 8, 2, 5, "completions/mean_length",
     Lengthen},
    {"trl-entropy_collapse", "entropy is gone, the reward holds", Family::kTrl,
     "entropy_collapse", "warning", 14, 5, 11, "entropy", CollapseEntropy},
    {"trl-no_signal", "nearly all groups have equal rewards", Family::kTrl,
     "no_signal", "warning", 12, 8, 9, "frac_reward_zero_std", EqualRewards},
    {"trl-frozen_model", "the learning rate is 0", Family::kTrl, "frozen_model",
     "critical", 4, 1, 1, "learning_rate", StopRate, "actor_lr"},
    {"trl-sft-nan_inf",
     "the loss is 0 beside a gradient norm that is no number", Family::kTrlSft,
     "nan_inf", "critical", 2, 0, 0, "loss", FilterNan},
    {"trl-sft-loss_spike", "every fourth loss jumps", Family::kTrlSft,
     "loss_spike", "critical", 11, 8, 8, "loss", SpikeOften, nullptr, 100},
};

Scenario Healthy(const char* name, const char* summary, Family family,
                 Ending ending = Ending::kRunning,
                 const char* state = "running") {
  Scenario scenario;
  scenario.name = name;
  scenario.summary = summary;
  scenario.recipe.family = family;
  scenario.recipe.ending = ending;
  scenario.state = state;
  return scenario;
}

}  // namespace

void AddDictScenarios(std::vector<Scenario>* out) {
  out->push_back(Healthy("slime", "a healthy run of slime", Family::kSlime));
  out->push_back(Healthy("slime-two_steps",
                         "slime with a critic, two steps per rollout",
                         Family::kSlimeTwo));
  out->push_back(Healthy("miles", "a healthy run of miles", Family::kMiles));
  out->push_back(Healthy("trl", "a healthy run of TRL's GRPO", Family::kTrl));
  out->push_back(
      Healthy("trl-sft", "a healthy supervised run of TRL", Family::kTrlSft));
  out->push_back(Healthy("slime-finished", "slime, its job succeeded",
                         Family::kSlime, Ending::kFinished, "finished"));
  out->push_back(Healthy("trl-finished", "TRL behind its last step",
                         Family::kTrl, Ending::kFinished, "finished"));
  Scenario oom = Healthy("slime-trainer_crash", "slime is out of GPU memory",
                         Family::kSlime, Ending::kCudaOom, "failed");
  oom.look_after = 600;
  oom.wanted = {
      {.signature = "trainer_crash", .level = "critical", .age_seconds = 300}};
  oom.companions = {{"cuda_oom", "warning", "the line that ended it"}};
  out->push_back(oom);
  for (const CheckRow& row : kCheckRows) {
    Scenario scenario = Healthy(row.name, row.summary, row.family);
    scenario.recipe.steps = 50;
    scenario.recipe.tail = 7;
    scenario.recipe.change = row.change;
    scenario.checks = {row.check};
    out->push_back(scenario);
  }
  for (const Row& row : kRows) {
    Scenario scenario = Healthy(row.name, row.summary, row.family);
    scenario.recipe.steps = row.steps;
    scenario.recipe.tail = row.tail;
    scenario.recipe.change = row.change;
    if (row.check != nullptr) scenario.checks = {row.check};
    Wanted wanted{.signature = row.signature,
                  .level = row.level,
                  .since = row.since,
                  .by = row.by};
    wanted.evidence = {row.key};
    if (wanted.signature == "no_signal") wanted.evidence.clear();
    scenario.wanted.push_back(wanted);
    if (wanted.level == "critical") {
      scenario.companions.push_back(
          {row.signature, "warning", "its lower level comes first"});
    }
    out->push_back(scenario);
  }
}

}  // namespace rlrun::scenarios
