// A healthy synchronous run: one line per step from one actor, validation
// merged into every tenth, and each oddity of the format at a step of its own.
#include <cmath>
#include <limits>

#include "tests/scenarios/noise.h"
#include "tests/scenarios/run_kinds.h"

namespace rlrun::scenarios {
namespace {

void AddValidation(Pairs* pairs, double progress, Random* random) {
  const double score = 0.2 + 0.4 * progress + random->Uniform(-0.01, 0.01);
  pairs->Numpy("val-core/lab/sums/reward/mean@8", "float64", score);
  pairs->Numpy("val-core/lab/sums/reward/best@8/mean", "float64", score + 0.15);
  pairs->Numpy("val-aux/lab/sums/reward/std@8", "float64", 0.21);
  pairs->Numpy("val-aux/num_turns/min", "int32", 2);
  pairs->Numpy("val-aux/num_turns/max", "int32",
               static_cast<double>(random->Integer(40, 90)));
  pairs->Numpy("val-aux/num_turns/mean", "float64", random->Uniform(11, 19));
}

void AddLearning(Pairs* pairs, double progress, Random* random) {
  const double reward = 0.25 + 0.45 * progress + random->Uniform(-0.03, 0.03);
  pairs->Float("actor/entropy", 0.9 - 0.4 * progress);
  pairs->Float("actor/pg_loss", random->Uniform(-0.02, 0.02));
  pairs->Float("actor/pg_clipfrac", random->Uniform(0, 0.01));
  pairs->Float("actor/ppo_kl", random->Uniform(0, 0.0004));
  pairs->Numpy("actor/grad_norm", "float64", random->Uniform(0.2, 0.6));
  pairs->Float("actor/lr", 1e-6);
  AddMeanMaxMin(pairs, "critic/score", reward, 0.3);
  AddMeanMaxMin(pairs, "critic/rewards", reward, 0.3);
  AddMeanMaxMin(pairs, "critic/advantages", random->Uniform(-0.01, 0.01), 2);
}

void AddLengthsAndTimes(Pairs* pairs, std::int64_t step, double progress,
                        Random* random) {
  AddMeanMaxMin(pairs, "response_length", 900 + 500 * progress, 400);
  pairs->Float("response_length/clip_ratio", random->Uniform(0, 0.02));
  AddMeanMaxMin(pairs, "prompt_length", 210, 90);
  AddMeanMaxMin(pairs, "num_turns", 12 + 4 * progress, 8);
  const double generate = random->Uniform(30, 40);
  const double update = random->Uniform(12, 16);
  pairs->Float("timing_s/gen", generate);
  pairs->Float("timing_s/reward", 0.8);
  pairs->Float("timing_s/old_log_prob", 4.5);
  pairs->Float("timing_s/update_actor", update);
  if (step % 10 == 0) pairs->Float("timing_s/testing", 21.5);
  pairs->Float("timing_s/step", generate + update + 5.3);
  pairs->Float("timing_s/agent_loop/tool_calls/mean", 3.1);
  pairs->Float("timing_s/agent_loop/slowest/tool_calls", 9.4);
  pairs->Float("timing_per_token_ms/gen", generate / 1300);
  pairs->Int("perf/total_num_tokens", random->Integer(700'000, 900'000));
  pairs->Float("perf/time_per_step", generate + update + 5.3);
  pairs->Float("perf/throughput", random->Uniform(1800, 2200));
}

Pairs TrainingPairs(std::int64_t step, int steps, Random* random) {
  const double progress =
      static_cast<double>(step) / static_cast<double>(steps);
  Pairs pairs;
  pairs.Int("training/global_step", step);
  pairs.Int("training/epoch", step / 30);
  if (step % 10 == 0 || step == steps) {
    AddValidation(&pairs, progress, random);
  }
  AddLearning(&pairs, progress, random);
  // An empty mask gives a correlation that is no number: a finding, kept.
  pairs.Float("training/rollout_actor_probs_pearson_corr",
              step % 17 == 6 ? std::numeric_limits<double>::quiet_NaN()
                             : random->Uniform(0.995, 0.999));
  pairs.Bool("training/buffer_full", step > 3);
  if (step % 20 == 11) pairs.Text("training/last_error", "NameError");
  pairs.Int("trajectory_filter/reason/agent_completed", 250 - step % 5);
  if (step % 5 != 0) pairs.Int("trajectory_filter/reason/timeout", step % 5);
  AddLengthsAndTimes(&pairs, step, progress, random);
  return pairs;
}

LogWriter::Dress DressOf(std::int64_t step, int steps) {
  LogWriter::Dress dress;
  const std::string bar = ProgressBar(step, steps);
  if (step % 10 == 3) dress.before = "\r" + bar + "\r";
  if (step % 10 == 5) dress.before = bar;  // no line end between bar and step
  if (step % 10 == 6) {
    dress.before = ActorPrefix("TaskRunnerV1", 4712, "10.1.0.7");
  }
  if (step % 10 == 7) {
    dress.behind = "(WorkerDict pid=4720) loaded shard 3 of 8";
    dress.behind_is_glue = true;
  }
  if (step % 10 == 8) {
    dress.behind =
        "\x1b[32m [repeated 2x across cluster]\x1b[0m (Ray deduplicates logs "
        "by default.)";
  }
  if (step % 10 == 9) dress.end = "\r\n";
  dress.halves = step % 10 == 4;
  return dress;
}

}  // namespace

SampleRun MakeSyncRun(const RunOptions& options) {
  Random random(options.seed);
  const std::string prefix = ActorPrefix("TaskRunner", 4711, "");
  LogWriter log(prefix);
  log.PlainLine("\x1b[1mstarting the trainer of project lab\x1b[0m");
  log.Line("INFO:" + Clock{0}.Full() +
           ":Total training steps: " + std::to_string(options.steps));
  log.ledger().total_steps = options.steps;
  Pairs first;
  AddValidation(&first, 0, &random);
  log.Step(0, first);
  log.Line("\r" + ProgressBar(0, options.steps));
  log.EndStep();

  for (int step = 1; step <= options.steps; ++step) {
    const Clock clock{60 * step};
    for (int i = 0; i < 4; ++i) log.Raw(EngineLine(&random, clock));
    for (int i = 0; i < 3; ++i) log.Raw(TrialLine(&random));
    if (step % 10 == 1) log.Raw(LookAlikes(step));
    // What a file system leaves where a page was lost.
    if (step % 10 == 2) log.Raw(std::string(64, '\0'));
    log.Flush();
    log.Step(step, TrainingPairs(step, options.steps, &random),
             DressOf(step, options.steps));
    log.Line("\r" + ProgressBar(step, options.steps));
    if (step == (options.steps + 1) / 2) log.Raw(OverlongLine());
    if (step % 20 == 0) {
      log.Line("local_global_step_folder: checkpoints/lab/sums/global_step_" +
               std::to_string(step));
    }
    log.Line("INFO:" + clock.Full() + ":batch is balanced");
    log.EndStep();
  }
  // A resume prints the last step once more, with other values.
  log.Step(options.steps, TrainingPairs(options.steps, options.steps, &random));
  log.EndStep();
  return log.Take();
}

}  // namespace rlrun::scenarios
