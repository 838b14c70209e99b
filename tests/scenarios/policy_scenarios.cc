// Rows of the table "Training-quality signals": gradients, learning rate,
// entropy, KL, lengths.
#include <algorithm>
#include <cmath>

#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr char kGrad[] = "actor/grad_norm";
constexpr char kLength[] = "response_length/mean";
constexpr char kClip[] = "response_length/clip_ratio";

// From `from` to `to` within `steps` sick steps.
double Way(const Moment& m, double from, double to, int steps) {
  const double way = std::min(1.0, static_cast<double>(m.since()) / steps);
  return from + (to - from) * way;
}

void ExplodeOnce(const Moment& m, StepValues* v) {
  if (m.step == m.steps - 1) v->Set(kGrad, m.random->Uniform(5, 6));
}
void ExplodeOften(const Moment& m, StepValues* v) {
  if (m.sick() && m.since() % 4 == 1) v->Set(kGrad, m.random->Uniform(5, 6));
}
void Vanish(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set(kGrad, m.random->Uniform(0.001, 0.0015));
}
void VanishToZero(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set(kGrad, 0);
}

// A cosine that begins again from its top.
void Restart(const Moment& m, StepValues* v) {
  const double way = static_cast<double>(m.step) / (m.steps + 20);
  const double lr = 1e-6 * 0.5 * (1 + std::cos(3.14159265358979 * way));
  v->Set("actor/lr", m.sick() ? 1e-6 : lr);
}
// A schedule that has run past its end.
void GoNegative(const Moment& m, StepValues* v) {
  const double left = static_cast<double>(m.onset - m.step) / m.onset;
  v->Set("actor/lr", 1e-6 * (m.sick() ? left - 0.01 : left));
}

void CollapseEntropy(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  v->Set("actor/entropy", m.since() < 4 ? Way(m, 0.35, 0.012, 4)
                                        : m.random->Uniform(0.005, 0.007));
}
void CollapseEntropyAndReward(const Moment& m, StepValues* v) {
  CollapseEntropy(m, v);
  if (m.sick()) SetReward(v, v->Get("critic/score/mean") - Way(m, 0, 0.32, 12));
}
void ExplodeEntropy(const Moment& m, StepValues* v) {
  if (m.sick()) {
    v->Set("actor/entropy", Way(m, 0.4, 2.6, 5) + m.random->Uniform(0, 0.1));
  }
}

void BlowUp(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/kl_loss", m.random->Uniform(0.3, 0.4));
}
void BlowUpMore(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/kl_loss", m.random->Uniform(2, 2.5));
}
void BlowUpPpo(const Moment& m, StepValues* v) {
  if (m.sick()) v->Set("actor/ppo_kl", m.random->Uniform(0.6, 0.8));
}

void SetLength(const Moment& m, StepValues* v, double mean) {
  mean *= m.random->Uniform(0.97, 1.03);
  v->Set(kLength, mean);
  v->Set("response_length_non_aborted/mean", mean);
  v->Set("response_length/min", std::min(mean * 0.5, 300.0));
}

void Shorten(const Moment& m, StepValues* v) {
  if (m.sick()) SetLength(m, v, Way(m, 4500, 2050, 3));
}
// Down to a few words, while the reward stays where it was.
void ShortenToNothing(const Moment& m, StepValues* v) {
  const double flat = 0.33 - 0.024 * std::min(1.0, m.step / 60.0);
  SetReward(v, flat + m.random->Uniform(-0.015, 0.015));
  if (m.sick()) SetLength(m, v, Way(m, 3000, 170, 3));
}
void Lengthen(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  SetLength(m, v, Way(m, 8000, 13600, 3));
  v->Set(kClip, m.random->Uniform(0.1, 0.13));
}
// Too slowly for its own past to tell, until answers reach their cap.
void Creep(const Moment& m, StepValues* v) {
  const double way = std::min(1.0, m.step / 120.0);
  SetLength(m, v, 2500 + 9500 * way);
  if (m.sick()) v->Set(kClip, m.random->Uniform(0.18, 0.24));
}
void LengthenToCap(const Moment& m, StepValues* v) {
  if (!m.sick()) return;
  SetLength(m, v, 15700);
  v->Set(kClip, m.random->Uniform(0.94, 0.97));
}

struct Row {
  const char* name;
  const char* summary;
  const char* signature;
  const char* level;
  int tail, since, by;
  const char* key;
  Change change;
  Family family = Family::kMath;
  const char* check = nullptr;  // that fails
  int steps = 60;
};

constexpr Row kRows[] = {
    {"grad_explosion", "one gradient norm is fifteen times the usual",
     "grad_explosion", "warning", 2, 0, 0, kGrad, ExplodeOnce},
    {"grad_explosion-critical", "every fourth gradient norm is",
     "grad_explosion", "critical", 11, 8, 8, kGrad, ExplodeOften},
    {"grad_vanishing", "gradients fall below a hundredth of the first ones",
     "grad_vanishing", "warning", 15, 9, 10, kGrad, Vanish, Family::kMath,
     "actor_grad_norm"},
    {"grad_vanishing-critical", "rewards differ, and gradients are exactly 0",
     "grad_vanishing", "critical", 15, 9, 9, kGrad, VanishToZero, Family::kMath,
     "actor_grad_norm"},
    {"lr_anomaly", "a decaying learning rate jumps up", "lr_anomaly", "warning",
     2, 0, 0, "actor/lr", Restart},
    {"lr_anomaly-critical", "the learning rate is negative", "lr_anomaly",
     "critical", 4, 0, 0, "actor/lr", GoNegative, Family::kMath, "actor_lr"},
    {"entropy_collapse", "entropy is gone, the reward holds",
     "entropy_collapse", "warning", 14, 5, 11, "actor/entropy",
     CollapseEntropy},
    {"entropy_explosion", "the policy becomes random", "entropy_explosion",
     "warning", 12, 4, 10, "actor/entropy", ExplodeEntropy},
    {"kl_blowup", "the policy leaves its reference", "kl_blowup", "warning", 6,
     2, 2, "actor/kl_loss", BlowUp},
    {"kl_blowup-critical", "the policy is far from its reference", "kl_blowup",
     "critical", 6, 2, 2, "actor/kl_loss", BlowUpMore},
    {"kl_blowup-ppo_kl", "each update goes far", "kl_blowup", "critical", 5, 1,
     2, "actor/ppo_kl", BlowUpPpo},
    {"length_collapse", "answers shrink to two fifths", "length_collapse",
     "warning", 8, 2, 5, kLength, Shorten},
    {"length_collapse-critical", "answers shrink to a few words",
     "length_collapse", "critical", 8, 2, 6, kLength, ShortenToNothing},
    {"length_explosion", "answers double", "length_explosion", "warning", 8, 2,
     5, kLength, Lengthen},
    {"length_explosion-creep", "answers grow for a hundred steps to their cap",
     "length_explosion", "warning", 14, 4, 11, kLength, Creep, Family::kMath,
     "response_clip_ratio", 130},
    {"length_explosion-critical", "nearly every answer is cut off",
     "length_explosion", "critical", 9, 4, 6, kClip, LengthenToCap,
     Family::kMath, "response_clip_ratio"},
};

}  // namespace

void AddPolicyScenarios(std::vector<Scenario>* out) {
  for (const Row& row : kRows) {
    Scenario scenario;
    scenario.name = row.name;
    scenario.summary = row.summary;
    scenario.recipe.family = row.family;
    scenario.recipe.steps = row.steps;
    scenario.recipe.tail = row.tail;
    scenario.recipe.change = row.change;
    if (std::string_view(row.key) == "actor/lr") {
      scenario.recipe.scheduler = "cosine";
    }
    if (row.check != nullptr) scenario.checks = {row.check};
    Wanted wanted{.signature = row.signature,
                  .level = row.level,
                  .since = row.since,
                  .by = row.by};
    wanted.evidence = {row.key};
    scenario.wanted.push_back(wanted);
    if (wanted.level == "critical") {
      scenario.companions.push_back(
          {row.signature, "warning", "its lower level comes first"});
    }
    out->push_back(scenario);
  }
  Scenario both;
  both.name = "entropy_collapse-critical";
  both.summary = "entropy is gone and the reward falls";
  both.recipe = {.family = Family::kMath,
                 .steps = 80,
                 .least = 60,
                 .tail = 24,
                 .test_freq = 50,
                 .change = CollapseEntropyAndReward};
  both.wanted = {{.signature = "entropy_collapse",
                  .level = "critical",
                  .since = 7,
                  .by = 20,
                  .evidence = {"actor/entropy"}},
                 {.signature = "reward_drop",
                  .level = "critical",
                  .since = 7,
                  .by = 20,
                  .evidence = {"critic/score/mean"}}};
  both.companions = {
      {"entropy_collapse", "warning", "its lower level comes first"}};
  out->push_back(both);
}

}  // namespace rlrun::scenarios
