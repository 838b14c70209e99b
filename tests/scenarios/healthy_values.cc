#include "tests/scenarios/healthy_values.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rlrun::scenarios {
namespace {

constexpr double kBatch = 256;
constexpr double kCap = 16384;  // response tokens

// 0 at the beginning, towards 1 within some hundred steps.
double Progress(const Moment& m) { return 1 - std::exp(-m.step / 60.0); }

double Around(double value, double noise, const Moment& m) {
  return value + m.random->Uniform(-noise, noise);
}

bool IsAgent(Family family) {
  return family == Family::kAgent || family == Family::kAsync ||
         family == Family::kSao;
}
bool IsAsync(Family family) {
  return family == Family::kAsync || family == Family::kSao;
}
bool HasCritic(Family family) {
  return family == Family::kCritic || family == Family::kSao;
}

void AddHead(Family family, const Moment& m, StepValues* v) {
  const double mean = Around(6500, 200, m);
  v->Int("global_seqlen/min", mean * 0.92);
  v->Int("global_seqlen/max", mean * 1.09);
  v->Int("global_seqlen/minmax_diff", mean * 0.17);
  v->Int("global_seqlen/balanced_min", mean);
  v->Int("global_seqlen/balanced_max", mean + 1);
  v->Add("global_seqlen/mean", mean);
  if (IsAsync(family)) {
    v->Add("training/global_step", m.step - 1);
    v->Add("training/epoch", 0);
  } else {
    v->Int("training/global_step", m.step);
    v->Int("training/epoch", m.step / 40);
  }
}

void AddActor(Family family, const Moment& m, StepValues* v) {
  if (family != Family::kSao) {
    v->Add("actor/entropy", Around(0.45 - 0.1 * Progress(m), 0.008, m));
    v->Add("actor/pg_clipfrac", m.random->Uniform(0.0005, 0.004));
    v->Add("actor/pg_clipfrac_lower", 0);
    v->Add("actor/kl_loss", 0.004 + 0.02 * Progress(m) + Around(0, 0.0008, m));
    v->Add("actor/kl_coef", 0.001);
  }
  v->Add("actor/pg_loss", Around(0, 0.02, m));
  v->Add("actor/ppo_kl", Around(0.0002, 0.0001, m));
  v->Add("actor/loss", Around(0, 0.02, m));
  v->Add("actor/grad_norm", Around(0.35, 0.05, m));
  v->Add("actor/lr", 1e-6);
  v->Add("actor/perf/max_memory_allocated_gb", 61.7);
  v->Add("actor/perf/max_memory_reserved_gb", 70.2);
  v->Add("actor/perf/cpu_memory_used_gb", Around(212, 4, m));
}

void AddRewards(const Moment& m, StepValues* v) {
  const double reward = Around(0.25 + 0.3 * Progress(m), 0.015, m);
  v->Spread("critic/score", reward, 1, 0);
  v->Spread("critic/rewards", reward, 1, 0);
  v->Spread("critic/advantages", Around(0.001, 0.003, m), 2.4748, -2.4748);
  v->Spread("critic/returns", Around(0.001, 0.003, m), 2.4748, -2.4748);
}

void AddCritic(Family family, const Moment& m, StepValues* v) {
  v->Spread("critic/returns", v->Get("critic/score/mean"), 1, 0);
  v->Spread("critic/values", Around(0.3 + 0.2 * Progress(m), 0.02, m), 1.4,
            -0.3);
  // Leaves the negative within the first steps.
  const double explained = m.step < 12
                               ? -40 * std::exp(-m.step / 2.0)
                               : 0.45 * (1 - std::exp(-(m.step - 10) / 20.0));
  v->Add("critic/vf_explained_var", Around(explained, 0.01, m));
  const double loss = 0.08 + 0.1 * std::exp(-m.step / 25.0);
  v->Add("critic/vf_loss", loss * m.random->Uniform(0.94, 1.06));
  v->Add("critic/vf_clipfrac", m.random->Uniform(0.01, 0.05));
  v->Add("critic/vpred_mean", v->Get("critic/values/mean"));
  v->Add("critic/grad_norm",
         family == Family::kSao ? Around(10, 1.5, m) : Around(1.6, 0.3, m));
  v->Add("critic/lr", 1e-5);
}

void AddLengths(Family family, const Moment& m, StepValues* v) {
  const double length = Around(5200 + 700 * Progress(m), 120, m);
  v->Spread("response_length", length, kCap, Around(340, 30, m));
  v->Add("response_length/clip_ratio", m.random->Uniform(0.01, 0.04));
  v->Spread("response_length_non_aborted", length, kCap,
            v->Get("response_length/min"));
  v->Add("response_length_non_aborted/clip_ratio",
         v->Get("response_length/clip_ratio"));
  v->Add("response/aborted_ratio", 0);
  v->Spread("prompt_length", Around(1210, 15, m), 3980, 214);
  v->Add("prompt_length/clip_ratio", 0);
  if (IsAgent(family)) {
    v->Spread("num_turns", Around(22 + 2 * Progress(m), 0.6, m), 58, 3);
  } else {
    v->Spread("num_turns", 2, 2, 2);
  }
}

void AddFilter(const Moment& m, StepValues* v) {
  const double timeout = static_cast<double>(m.random->Integer(3, 9));
  const double setup = static_cast<double>(m.random->Integer(0, 1));
  const double overlong = static_cast<double>(m.random->Integer(2, 7));
  v->Int("trajectory_filter/reason/agent_completed",
         kBatch - timeout - setup - overlong - 3);
  v->Int("trajectory_filter/reason/max_turns_reached", 3);
  v->Int("trajectory_filter/reason/overlong", overlong);
  v->Int("trajectory_filter/reason/timeout", timeout);
  if (setup > 0) v->Int("trajectory_filter/reason/env_setup_failed", setup);
  v->Int("trajectory_filter/invalid_count", timeout + setup);
  v->Add("trajectory_filter/invalid_ratio", (timeout + setup) / kBatch);
}

void AddRolloutCorrection(Family family, const Moment& m, StepValues* v) {
  const bool sao = family == Family::kSao;
  const std::string group = sao ? "actor/rollout_corr/" : "rollout_corr/";
  if (!sao) {
    v->Int("training/rollout_probs_diff_valid", 1);
    v->Add("training/rollout_probs_diff_max", Around(0.6, 0.2, m));
    v->Add("training/rollout_probs_diff_mean", Around(0.004, 0.0005, m));
    v->Add("training/rollout_probs_diff_std", Around(0.011, 0.001, m));
    v->Add("training/rollout_actor_probs_pearson_corr",
           Around(0.9986, 0.0005, m));
  }
  v->Add(group + "kl", Around(0.0003, 0.00008, m));
  v->Add(group + "k3_kl", Around(0.0004, 0.00008, m));
  v->Add(group + "training_ppl", Around(1.42, 0.02, m));
  v->Add(group + "rollout_ppl", Around(1.42, 0.02, m));
  v->Add(group + "log_ppl_diff", Around(0.0003, 0.0001, m));
  v->Add(group + "chi2_token", Around(0.002, 0.0004, m));
  if (sao) {
    v->Add(group + "rollout_is_mean", Around(0.9995, 0.0003, m));
    v->Add(group + "rollout_is_eff_sample_size", Around(0.9965, 0.001, m));
    v->Add(group + "rollout_is_ratio_fraction_low",
           m.random->Uniform(0.00021, 0.00039));
    v->Add(group + "rollout_is_ratio_fraction_high",
           m.random->Uniform(0.00021, 0.00039));
  }
}

void AddTimes(Family family, const Moment& m, StepValues* v) {
  const double gen = m.random->Uniform(50, 56);
  const double update = m.random->Uniform(19, 22);
  double step = gen + update + 9.3;
  v->Add("timing_s/start_profile", 1.4e-5);
  if (IsAgent(family)) {
    v->Add("timing_s/agent_loop/num_preempted/mean", -1);
    for (const char* what : {"generate_sequences", "tool_calls"}) {
      const std::string name = std::string("timing_s/agent_loop/") + what;
      v->Add(name + "/min", m.random->Uniform(1, 2));
      v->Add(name + "/max", m.random->Uniform(40, 49));
      v->Add(name + "/mean", m.random->Uniform(15, 20));
    }
    v->Add("timing_s/agent_loop/slowest/tool_calls", 31.5);
    v->Int("timing_s/agent_loop/slowest/response_length", kCap);
  }
  v->Add("timing_s/gen", gen);
  v->Add("timing_s/reward", m.random->Uniform(0.3, 0.5));
  v->Add("timing_s/old_log_prob", 5.1);
  v->Add("timing_s/adv", 0.04);
  if (HasCritic(family)) {
    v->Add("timing_s/values", 4.2);
    v->Add("timing_s/update_critic", 11.8);
    step += 16;
  }
  v->Add("timing_s/update_actor", update);
  if (IsAsync(family)) {
    v->Add("timing_s/timing_s/param_sync", m.random->Uniform(2, 3));
  } else {
    v->Add("timing_s/update_weights", 2.6);
  }
  v->Add("timing_s/step", step);
  v->Add("timing_s/stop_profile", 9e-6);
  v->Add("timing_per_token_ms/gen", gen / 1300);
  v->Add("timing_per_token_ms/update_actor", update / 1600);
  v->Add("timing_per_token_ms/adv", 2.4e-5);
  v->Add("perf/mfu/actor", Around(0.31, 0.01, m));
  v->Add("perf/mfu/actor_infer", Around(0.27, 0.01, m));
  v->Int("perf/total_num_tokens", Around(1'660'000, 9000, m));
  v->Add("perf/time_per_step", step);
  v->Add("perf/throughput", 1'660'000 / step / 8);
}

void AddAsync(const Moment& m, StepValues* v) {
  const double version = v->Get("timing_s/step") * 0.98;
  const double active = version * m.random->Uniform(0.7, 0.9);
  v->Add("fully_async/rollouter/active_time", active);
  v->Add("fully_async/rollouter/version_time", version);
  v->Add("fully_async/rollouter/idle_ratio", 1 - active / version);
  v->Int("fully_async/rollouter/step_generated_samples",
         static_cast<double>(m.random->Integer(30, 34)));
  v->Add("fully_async/count/total_generated_samples", 32.0 * m.step);
  v->Add("fully_async/count/stale_trajectory_processed", 3.0 * m.step);
  v->Add("fully_async/count/dropped_stale_samples", 0);
  v->Add("fully_async/count/staleness_samples", m.random->Uniform(0, 20));
  v->Add("fully_async/count/current_param_version", m.step - 1);
  v->Add("fully_async/monitor/active_tasks_size", 64);
  v->Add("fully_async/monitor/queue/mq_queue_size", m.random->Uniform(0, 9));
  v->Add("fully_async/processing_time/avg", m.random->Uniform(300, 330));
  v->Add("fully_async/processing_time/tp50", m.random->Uniform(280, 300));
  v->Add("fully_async/processing_time/tp99", m.random->Uniform(900, 990));
  v->Add("fully_async/partial/partial_ratio", m.random->Uniform(0.1, 0.2));
  v->Add("fully_async/trainer/idle_ratio", m.random->Uniform(0.2, 0.3));
  v->Add("fully_async/total_wait_time", m.random->Uniform(8, 14));
}

StepValues HealthySftStep(const Moment& m) {
  StepValues v;
  v.Add("train/loss", Around(0.35 + 0.9 * std::exp(-m.step / 60.0), 0.015, m));
  v.Add("train/grad_norm", Around(0.8, 0.1, m));
  v.Add("train/lr(1e-3)", 0.01);
  v.Add("train/time(s)", m.random->Uniform(31, 33));
  return v;
}

}  // namespace

StepValues HealthyStep(const Recipe& recipe, const Moment& m) {
  if (recipe.family == Family::kSft) return HealthySftStep(m);
  StepValues v;
  if (IsAsync(recipe.family)) {
    // First what stands first.
    v.Add("training/global_step", 0);
    v.Add("training/epoch", 0);
  }
  AddHead(recipe.family, m, &v);
  AddActor(recipe.family, m, &v);
  AddRewards(m, &v);
  if (HasCritic(recipe.family)) AddCritic(recipe.family, m, &v);
  AddRolloutCorrection(recipe.family, m, &v);
  AddLengths(recipe.family, m, &v);
  if (IsAgent(recipe.family)) AddFilter(m, &v);
  AddTimes(recipe.family, m, &v);
  if (IsAsync(recipe.family)) AddAsync(m, &v);
  return v;
}

void AddValidation(const Recipe& recipe, const Moment& m, StepValues* v) {
  if (recipe.family == Family::kSft) {
    v->Add("val/loss", 0.38 + 0.85 * std::exp(-m.step / 60.0));
    return;
  }
  const auto as = StepValues::As::kFloat64;
  const double score = Around(0.28 + 0.3 * Progress(m), 0.006, m);
  if (IsAsync(recipe.family)) {
    v->Add("rollouter/validate_time", m.random->Uniform(100, 120));
  }
  if (IsAgent(recipe.family)) {
    v->Add("val-core/lab/repair/reward/mean@1", score, as);
    v->Add("val-aux/num_turns/min", 3, as);
    v->Add("val-aux/num_turns/max", 61, as);
    v->Add("val-aux/num_turns/mean", Around(24, 1, m), as);
  } else {
    v->Add("val-core/lab/sums/acc/mean@8", score, as);
    v->Add("val-core/lab/sums/acc/best@8/mean", score + 0.2, as);
    v->Add("val-core/lab/words/acc/mean@8", score - 0.1, as);
    v->Add("val-aux/lab/sums/acc/std@8", 0.21, as);
    v->Add("val-aux/lab/words/acc/std@8", 0.24, as);
  }
  // Inside the step's own time, where the trainer counts it in.
  if (!IsAsync(recipe.family) && v->Has("timing_s/step")) {
    const double testing = m.random->Uniform(35, 40);
    v->Add("timing_s/testing", testing);
    v->Add("timing_s/step", v->Get("timing_s/step") + testing);
    v->Add("perf/time_per_step", v->Get("timing_s/step"));
  }
}

}  // namespace rlrun::scenarios
