#include "tests/scenarios/dict_run.h"

#include <cmath>
#include <utility>

namespace rlrun::scenarios {
namespace {

double Around(double middle, double spread, const Moment& m) {
  return m.random->Uniform(middle - spread, middle + spread);
}

double Way(const Moment& m) { return 1 - std::exp(-m.step / 40.0); }

StepValues HealthySlimeStep(const Recipe& recipe, const Moment& m) {
  StepValues v;
  const double length = 1800 + 500 * Way(m) + Around(0, 60, m);
  const double reward = 0.25 + 0.3 * Way(m) + Around(0, 0.02, m);
  v.Add("train/loss", Around(0, 5e-9, m));
  v.Add("train/pg_loss", v.Get("train/loss"));
  v.Add("train/entropy_loss", 0.5 - 0.15 * Way(m) + Around(0, 0.01, m));
  v.Add("train/pg_clipfrac", 0);
  v.Add("train/ppo_kl", 0);
  v.Add("train/train_rollout_logprob_abs_diff", Around(0.011, 0.001, m));
  v.Add("train/kl_loss", 0.002 + 0.004 * Way(m) + Around(0, 4e-4, m));
  v.Add("train/grad_norm", Around(1.05, 0.15, m));
  v.Add("train/lr-pg_0", 1e-6);
  v.Add("train/lr-pg_1", 1e-6);
  if (recipe.family == Family::kMiles) v.Add("train/ess_ratio", 0.97);
  if (recipe.family == Family::kSlimeTwo) {
    v.Add("train/critic-value_loss", Around(0.2, 0.02, m));
    v.Add("train/critic-grad_norm", Around(3, 0.4, m));
  }
  v.Int("train/step", m.step);
  v.Add("rollout/response_lengths", length * 1.1);
  v.Add("rollout/rewards", Around(0, 3e-9, m));
  v.Add("rollout/truncated", Around(0.02, 0.01, m));
  v.Add("rollout/rollout_log_probs", Around(-0.3, 0.02, m));
  v.Add("rollout/raw_reward", reward);
  v.Add("rollout/advantages", Around(0, 3e-9, m));
  v.Add("gen:rollout/response_len/mean", length);
  v.Int("gen:rollout/response_len/max", 8000);
  v.Int("gen:rollout/response_len/min", 90);
  v.Int("gen:rollout/zero_std/count_0.0", 3);
  v.Int("gen:rollout/zero_std/count_1.0", 2);
  v.Add("gen:rollout/truncated_ratio", Around(0.02, 0.01, m));
  v.Add("gen:rollout/repetition_frac", 0);
  v.Add("gen:perf/rollout_time", Around(80, 8, m));
  v.Add("gen:perf/tokens_per_gpu_per_sec", Around(900, 60, m));
  v.Add("perf/train_wait_time", v.Get("gen:perf/rollout_time") + 2);
  v.Add("perf/log_probs_time", Around(6, 0.4, m));
  v.Add("perf/actor_train_time", Around(28, 2, m));
  v.Add("perf/update_weights_time", Around(3, 0.3, m));
  v.Add("perf/train_time",
        v.Get("perf/log_probs_time") + v.Get("perf/actor_train_time") + 1);
  v.Add("perf/step_time",
        v.Get("perf/train_wait_time") + v.Get("perf/train_time"));
  return v;
}

StepValues HealthyTrlStep(const Recipe& recipe, const Moment& m) {
  StepValues v;
  const double rate = 1e-6 * (1 - 0.5 * m.step / std::max(m.steps, 1));
  if (recipe.family == Family::kTrlSft) {
    v.Add("loss", 0.7 + 1.4 * std::exp(-m.step / 60.0) - 0.0006 * m.step +
                      Around(0, 0.02, m));
    v.Add("grad_norm", Around(0.6, 0.08, m));
    v.Add("learning_rate", rate);
    v.Add("entropy", Around(0.7, 0.02, m));
    v.Add("num_tokens", 5000.0 * m.step);
    v.Add("mean_token_accuracy", 0.8 + 0.1 * Way(m));
    v.Add("epoch", m.step * 0.01);
    return v;
  }
  v.Add("loss", Around(0, 0.002, m));
  v.Add("grad_norm", Around(0.35, 0.06, m));
  v.Add("learning_rate", rate);
  v.Add("num_tokens", 29000.0 * m.step);
  v.Add("completions/mean_length", 600 + 150 * Way(m) + Around(0, 20, m));
  v.Add("completions/min_length", 170);
  v.Add("completions/max_length", 1900);
  v.Add("completions/clipped_ratio", Around(0.03, 0.02, m));
  v.Add("rewards/check_answer/mean", Around(0.4, 0.02, m));
  v.Add("reward", 0.3 + 0.4 * Way(m) + Around(0, 0.03, m));
  v.Add("reward_std", Around(0.4, 0.03, m));
  v.Add("frac_reward_zero_std", Around(0.2, 0.1, m));
  v.Add("kl", 0.002 + 0.004 * Way(m) + Around(0, 4e-4, m));
  v.Add("entropy", 0.6 - 0.15 * Way(m) + Around(0, 0.01, m));
  v.Add("clip_ratio/region_mean", 0);
  v.Add("step_time", Around(52, 3, m));
  v.Add("epoch", m.step * 0.01);
  return v;
}

bool IsEval(std::string_view key) {
  return key.starts_with("eval/") || key.starts_with("eval_");
}

}  // namespace

StepValues HealthyDictStep(const Recipe& recipe, const Moment& moment) {
  return IsSlime(recipe.family) ? HealthySlimeStep(recipe, moment)
                                : HealthyTrlStep(recipe, moment);
}

void AddDictValidation(const Recipe& recipe, const Moment& moment,
                       StepValues* v) {
  const double score = 0.2 + 0.25 * Way(moment) + Around(0, 0.005, moment);
  if (IsSlime(recipe.family)) {
    v->Add("eval/sums", score);
    v->Add("eval/sums/response_len/mean", 2400);
    v->Add("eval/sums-truncated_ratio", 0.03);
    v->Add("eval/sums-pass@1", score, StepValues::As::kFloat64);
  } else {
    v->Add("eval_loss", 0.9 + std::exp(-moment.step / 60.0));
    v->Add("eval_runtime", 12.5);
  }
}

DictConsole::DictConsole(const Recipe& recipe, std::string run, int total,
                         const ScenarioOptions& options)
    : recipe_(recipe),
      run_(std::move(run)),
      total_(total),
      clock_(options.start, options.clock_speed) {}

void DictConsole::Flush(bool ends_step) {
  if (pending_.empty()) return;
  pieces_.push_back(
      {std::exchange(pending_, {}), clock_.now(), step_, ends_step, phase_});
}

void DictConsole::Wait(double seconds) {
  Flush();
  clock_.Advance(seconds);
}

void DictConsole::Actor(const char* name, const char* place,
                        const std::string& text) {
  std::string stamp = clock_.Full();  // `2026-03-02 09:14:07,000`
  if (recipe_.family == Family::kMiles) {
    stamp[19] = '.';
    stamp += name[0] == 'R' ? " rollout_manager" : " actor_cell0_rank0";
  } else {
    stamp.resize(19);
  }
  pending_ += ActorPrefix(name, name[0] == 'R' ? 6809 : 10122, "") + "[" +
              stamp + "] " + place + " - " + text + "\n";
}

void DictConsole::Timer(const std::string& text) {
  Actor("MegatronTrainRayActor", "timer.py:24", "Timer " + text);
}

std::string DictConsole::Dict(const StepValues& values,
                              const char* front) const {
  const std::string_view wanted(front);
  std::string out = "{";
  for (const std::string_view key : values.Keys()) {
    std::string_view name = key;
    const bool generated = name.starts_with("gen:");
    if (generated) name.remove_prefix(4);
    const bool critic = name.starts_with("train/critic-");
    const bool fits = wanted == "gen"      ? generated
                      : wanted == "critic" ? critic
                      : wanted == "trl"    ? !IsEval(name)
                      : wanted == "eval"
                          ? IsEval(name)
                          : !generated && !critic && name.starts_with(wanted);
    if (!fits) continue;
    std::string value = values.Printed(key);
    if (recipe_.family == Family::kTrlSft) value = "'" + value + "'";
    out += (out.size() == 1 ? "'" : ", '") + std::string(name) + "': " + value;
  }
  return out + "}";
}

std::string DictConsole::Bar(int step) const {
  return "\r" + std::to_string(100 * step / total_) + "%|##        | " +
         std::to_string(step) + "/" + std::to_string(total_) +
         " [04:24<13:02, 52.17s/it]";
}

void DictConsole::Begin() {
  if (IsTrl(recipe_.family)) {
    pending_ += "INFO:" + clock_.Full() + ":starting the trainer\n" +
                "Map: 100%|##########| 4000/4000 [00:01<00:00, 3900.1it/s]\n" +
                Bar(0);
    Wait(30);
    return;
  }
  const std::string id =
      recipe_.record ? run_ : "calm-" + run_ + "-00112233aabb";
  pending_ +=
      "Training run id: " + id + "\n" + "Downloading model lab/model...\n";
  phase_ = "download_model";
  if (recipe_.ending == Ending::kStarting) return;
  pending_ +=
      "Submitted Ray job: raysubmit_1\n"
      "Running entrypoint for job raysubmit_1: python3 train.py "
      "--num-rollout " +
      std::to_string(recipe_.family == Family::kSlimeTwo ? total_ / 2
                                                         : total_) +
      " --rollout-batch-size 32 --n-samples-per-prompt 8 "
      "--num-steps-per-rollout " +
      (recipe_.family == Family::kSlimeTwo ? "2" : "1") +
      " --lr 1e-6 --lr-decay-style constant\n";
  phase_ = "initialize_rollouts";
  Wait(240);
  Timer("train_wait start");
  phase_ = "generate_rollouts";
  Flush();
}

void DictConsole::Step(const Moment& moment, const StepValues& values) {
  IsSlime(recipe_.family) ? SlimeStep(moment.step, values)
                          : TrlStep(moment.step, values);
  const int left = recipe_.extra.steps_before_end;
  if (left > 0 && moment.step == moment.steps - left) Extra();
}

void DictConsole::SlimeStep(int step, const StepValues& values) {
  const bool two = recipe_.family == Family::kSlimeTwo;
  const int rollout = two ? (step + 1) / 2 : step;
  const bool first = !two || step % 2 == 1;
  const bool last = !two || step % 2 == 0;
  const std::string id = " " + std::to_string(rollout) + ": ";
  const std::string number = " " + std::to_string(step) + ": ";
  if (first) {
    Wait(values.Get("perf/train_wait_time"));
    pending_ +=
        "\rRollout generation:  45%|####      | 115/256 "
        "[00:32<00:45,  3.20it/s]\r";
    pending_ += "TorchMemorySaver::malloc return OOM, tried again\n";
    Actor("RolloutManager", "rollout.py:1303",
          "perf" + id + Dict(values, "gen"));
    Actor("MegatronTrainRayActor", "data.py:193",
          "rollout" + id + Dict(values, "rollout/"));
    Timer("train_wait end (elapsed: 81.2s)");
    Timer("train start");
    Timer("actor_train start");
    phase_ = "optimizer_step";
  }
  Wait(values.Get("perf/train_time") / (two ? 2 : 1));
  if (two) {
    Actor("MegatronTrainRayActor", "model.py:918",
          "critic-step" + number + Dict(values, "critic"));
  }
  step_ = step;
  if (recipe_.family == Family::kMiles) {
    Actor("MegatronTrainRayActor", "log_utils.py:542",
          "step" + number + Dict(values, "train/"));
  }
  Actor("MegatronTrainRayActor", "model.py:918",
        "step" + number + Dict(values, "train/"));
  if (last) {
    Timer("actor_train end (elapsed: 28.3s)");
    Timer("train end (elapsed: 35.0s)");
    Actor("MegatronTrainRayActor", "train_metric_utils.py:401",
          "perf" + id + Dict(values, "perf/"));
    if (values.Has("eval/sums")) {
      Actor("RolloutManager", "rollout_metrics.py:247",
            "eval" + id + Dict(values, "eval"));
    }
    Timer("train_wait start");
    phase_ = "generate_rollouts";
  }
  Flush(true);
}

void DictConsole::Extra() {
  for (int i = 0; i < recipe_.extra.times; ++i) {
    pending_ += std::string(recipe_.extra.line) + "\n";
  }
}

void DictConsole::TrlStep(int step, const StepValues& values) {
  Wait(values.Has("step_time") ? values.Get("step_time") : 20);
  step_ = step;
  pending_ += Bar(step) + "\r" + Dict(values, "trl") + "\n" + Bar(step);
  if (values.Has("eval_loss")) {
    std::string dict = Dict(values, "eval");
    dict.pop_back();
    pending_ += "\r100%|##########| 8/8 [00:12<00:00,  1.50s/it]\r" + dict +
                ", 'epoch': 0.5}\n" + Bar(step);
  }
  pending_ += "\n";
  Flush(true);
}

void DictConsole::End(Ending ending, int step) {
  if (recipe_.extra.steps_before_end == 0) Extra();
  switch (ending) {
    case Ending::kFinished:
    case Ending::kEndedEarly:
      if (IsTrl(recipe_.family)) {
        pending_ += Bar(step) +
                    "\r{'train_runtime': 312.5, 'train_loss': 0.4, 'epoch': "
                    "1.0}\n";
      } else {
        pending_ += "Job 'raysubmit_1' succeeded\n";
      }
      break;
    case Ending::kCudaOom:
      pending_ +=
          "Traceback (most recent call last):\n"
          "  File \"train.py\", line 9, in main\n"
          "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
          "GiB\n";
      if (IsSlime(recipe_.family)) pending_ += "Job 'raysubmit_1' failed\n";
      break;
    default:
      break;
  }
  Flush(true);
}

}  // namespace rlrun::scenarios
