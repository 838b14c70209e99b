// A healthy fully asynchronous run. The first half prints as releases before
// mid-2026 do (rollouter, training, validation, validate time; training lines
// lag one step, the first one is bare), the second half as later ones do
// (rollouter, validation with its time, training).
#include "tests/scenarios/noise.h"
#include "tests/scenarios/run_kinds.h"

namespace rlrun::scenarios {
namespace {

Pairs RolloutPairs(bool modern, Random* random) {
  const double version = random->Uniform(900, 1300);
  const double active = version * random->Uniform(0.6, 0.9);
  Pairs pairs;
  pairs.Float("fully_async/rollouter/active_time", active);
  pairs.Float("fully_async/rollouter/version_time", version);
  pairs.Float("fully_async/rollouter/idle_ratio", 1 - active / version);
  if (modern) {
    pairs.Int("fully_async/rollouter/step_generated_samples",
              random->Integer(120, 136));
  }
  return pairs;
}

// What step `fit` of the optimizer gave; every value is a float.
Pairs TrainingPairs(std::int64_t fit, int steps, Random* random) {
  const double progress = static_cast<double>(fit) / steps;
  const double reward = 0.2 + 0.5 * progress + random->Uniform(-0.02, 0.02);
  Pairs pairs;
  pairs.Float("training/global_step", static_cast<double>(fit));
  pairs.Float("training/epoch", 0);
  pairs.Float("fully_async/count/total_generated_samples",
              static_cast<double>(128 * fit));
  pairs.Float("fully_async/count/stale_trajectory_processed",
              static_cast<double>(3 * fit));
  pairs.Float("fully_async/count/staleness_samples", random->Uniform(0, 64));
  pairs.Float("fully_async/trainer/idle_ratio", random->Uniform(0.2, 0.5));
  pairs.Float("fully_async/total_wait_time", random->Uniform(100, 400));
  AddMeanMaxMin(&pairs, "critic/rewards", reward, 0.4);
  AddMeanMaxMin(&pairs, "response_length", 2100 + 300 * progress, 900);
  pairs.Numpy("actor/grad_norm", "float32", 0.375);
  pairs.Float("actor/entropy", 0.7 - 0.2 * progress);
  pairs.Float("actor/ppo_kl", 0);
  pairs.Float("actor/lr", 1e-6);
  pairs.Float("timing_s/gen", random->Uniform(300, 500));
  pairs.Float("timing_s/update_actor", random->Uniform(300, 400));
  pairs.Float("timing_s/timing_s/param_sync", random->Uniform(8, 12));
  pairs.Float("timing_s/step", random->Uniform(900, 1200));
  return pairs;
}

void AddValidation(Pairs* pairs, double progress, Random* random) {
  const double score = 0.3 + 0.3 * progress + random->Uniform(-0.01, 0.01);
  pairs->Numpy("val-core/lab/repair/reward/mean@1", "float64", score);
  pairs->Numpy("val-aux/num_turns/min", "int64", 0);
  pairs->Numpy("val-aux/num_turns/max", "int64", 97);
}

void PrintValidation(LogWriter* log, int step, int steps, bool modern,
                     Random* random) {
  Pairs values;
  Pairs time;
  time.Float("rollouter/validate_time", random->Uniform(500, 700));
  const double progress = static_cast<double>(step) / steps;
  if (modern) {
    AddValidation(&time, progress, random);
    log->Step(step, time);
  } else {
    AddValidation(&values, progress, random);
    log->Step(step, values);
    log->Step(step, time);
  }
}

void PrintWaiting(LogWriter* log, int step, Random* random) {
  const Clock clock{60 * step};
  log->Line("[FullyAsyncTrainer] Requesting 128 samples from queue");
  for (const int got : {64, 128}) {
    log->Raw(EngineLine(random, clock));
    log->Raw(TrialLine(random));
    log->Line("[FullyAsyncTrainer] Collected " + std::to_string(got) +
              "/128 samples. mq_len: 5");
  }
  log->Line("[FullyAsyncTrainer] global_steps: " + std::to_string(step) +
            " local_trigger_step: 1 trigger_parameter_sync_step: 1 " +
            clock.TimeOfDay());
  log->Flush();
}

void PrintStep(LogWriter* log, int step, const RunOptions& options,
               Random* random) {
  const bool modern = step > options.steps / 2;
  const bool validates = step % 10 == 0;
  PrintWaiting(log, step, random);
  log->Step(step, RolloutPairs(modern, random));
  // The first training line has nothing to say; late releases leave it out.
  const Pairs training =
      step == 1 ? Pairs() : TrainingPairs(step - 1, options.steps, random);
  LogWriter::Dress dress;
  dress.halves = step % 6 == 4;
  if (step % 6 == 5) dress.end = "\r\n";
  if (modern && validates) {
    PrintValidation(log, step, options.steps, modern, random);
  }
  log->Step(step, training, dress);
  if (!modern && validates) {
    PrintValidation(log, step, options.steps, modern, random);
  }
  log->Line("\r" + ProgressBar(step, options.steps));
  log->EndStep();
}

}  // namespace

SampleRun MakeAsyncRun(const RunOptions& options) {
  Random random(options.seed);
  LogWriter log(ActorPrefix("FullyAsyncTrainer", 8123, "10.1.0.7"));
  log.Raw(ActorPrefix("FullyAsyncTaskRunner", 8001, "") + "total_train_steps " +
          std::to_string(options.steps) + "\n");
  log.ledger().total_steps = options.steps;
  PrintValidation(&log, 0, options.steps, false, &random);
  log.EndStep();
  for (int step = 1; step <= options.steps; ++step) {
    if (step % 10 == 7) log.Raw(LookAlikes(step));
    if (step == (options.steps + 1) / 2) log.Raw(OverlongLine());
    PrintStep(&log, step, options, &random);
  }
  // The end prints the last version again, with the step that lagged behind.
  log.Step(options.steps, RolloutPairs(true, &random));
  log.Step(options.steps, TrainingPairs(options.steps, options.steps, &random));
  log.Line("[FullyAsyncTrainer] Training stopped by queue termination signal");
  log.EndStep();
  return log.Take();
}

}  // namespace rlrun::scenarios
