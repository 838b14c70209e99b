// A healthy fine-tuning run: no actor prefix, a byte order mark, keys with
// parentheses, three decimals, bars and paths glued to the lines.
#include <cmath>

#include "tests/scenarios/noise.h"
#include "tests/scenarios/run_kinds.h"

namespace rlrun::scenarios {

SampleRun MakeSftRun(const RunOptions& options) {
  Random random(options.seed);
  LogWriter log("");
  log.Raw("\xEF\xBB\xBF");
  log.Line("INFO:" + Clock{0}.Full() + ":reading the data of project lab");
  log.Line("Total training steps: " + std::to_string(options.steps));
  log.ledger().total_steps = options.steps;
  log.EndStep();
  for (int step = 1; step <= options.steps; ++step) {
    const double progress = static_cast<double>(step) / options.steps;
    Pairs train;
    train.Fixed("train/loss",
                1.9 * std::exp(-1.5 * progress) + random.Uniform(0, 0.05));
    train.Fixed("train/lr(1e-3)", 0.01 * (1 - progress));
    train.Fixed("train/time(s)", random.Uniform(1.1, 1.3));
    train.Fixed("train/grad_norm", random.Uniform(0.4, 0.9));
    LogWriter::Dress dress;
    if (step % 2 == 1) dress.before = ProgressBar(step, options.steps);
    dress.halves = step % 8 == 4;
    log.Step(step, train, dress);
    if (step % 10 == 0) {
      Pairs validation;
      validation.Fixed("val/loss", 2 * std::exp(-1.2 * progress));
      LogWriter::Dress glued;
      glued.behind = "/mnt/runs/lab/global_step_" + std::to_string(step);
      glued.behind_is_glue = true;
      log.Step(step, validation, glued);
    }
    if (step == (options.steps + 1) / 2) log.Raw(OverlongLine());
    log.Line("INFO:" + Clock{60 * step}.Full() + ":next shard");
    log.EndStep();
  }
  return log.Take();
}

}  // namespace rlrun::scenarios
