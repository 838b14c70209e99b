#include "tests/scenarios/console.h"

#include <algorithm>
#include <cmath>

#include "tests/scenarios/config_block.h"
#include "tests/scenarios/noise.h"

namespace rlrun::scenarios {
namespace {

using Part = StepValues::Part;
constexpr double kEnginePause = 18;  // seconds between engine lines
constexpr double kLongestStep = 4000;

std::string PrefixOf(Family family) {
  switch (family) {
    case Family::kSft:
      return "";
    case Family::kAsync:
    case Family::kSao:
      return ActorPrefix("FullyAsyncTrainer", 8123, "10.1.0.7");
    default:
      return ActorPrefix("TaskRunner", 4711, "");
  }
}

}  // namespace

Console::Console(const Recipe& recipe, std::string run, int total,
                 const ScenarioOptions& options, Random* random)
    : recipe_(recipe),
      run_(std::move(run)),
      total_(total),
      random_(random),
      clock_(options.start, options.clock_speed),
      prefix_(PrefixOf(recipe.family)) {}

void Console::Line(std::string_view text) {
  pending_.append(prefix_).append(text).push_back('\n');
}

void Console::Plain(std::string_view text) {
  pending_.append(text).push_back('\n');
}

void Console::Flush(bool ends_step) {
  if (pending_.empty()) {
    if (ends_step && !pieces_.empty()) pieces_.back().ends_step = true;
    return;
  }
  pieces_.push_back(
      {std::move(pending_), clock_.now(), step_, ends_step, phase_});
  pending_.clear();
}

void Console::Wait(double seconds) {
  if (recipe_.family == Family::kSft) {
    clock_.Advance(seconds);
    return;
  }
  const double end = clock_.seconds() + seconds;
  while (clock_.seconds() + kEnginePause < end) {
    clock_.Advance(kEnginePause);
    pending_ += EngineLineAt(clock_.MonthDay(), random_);
    const bool agent =
        recipe_.family != Family::kMath && recipe_.family != Family::kCritic;
    if (agent && random_->Integer(0, 2) == 0) pending_ += TrialLine(random_);
    if (agent && random_->Integer(0, 19) == 0) {
      pending_ += ActorPrefix("AgentLoopWorker", 6003, "10.1.0.21") +
                  "ERROR:" + clock_.Full() +
                  ":Failed to decode tool call: Expecting value: line 2 "
                  "column 1 (char 1)\n";
    }
    Flush();
  }
  clock_.Advance(end - clock_.seconds());
}

void Console::Begin() {
  const std::string total = std::to_string(total_);
  if (recipe_.family == Family::kSft) {
    Plain("INFO:" + clock_.Full() + ":reading /data/lab/sft.parquet");
    Plain("Total training steps: " + total);
    Flush();
    return;
  }
  Plain(clock_.Full() +
        "\tINFO worker.py:1951 -- Started a local Ray instance.");
  if (recipe_.has_config) {
    int n = 0;
    for (const std::string& line : ConfigBlock(recipe_, run_, total_)) {
      Line(line);
      if (++n == 9) {
        pending_ += ActorPrefix("WorkerDict", 5001, "10.1.0.21") +
                    "Flash Attention is in use\n";
      }
    }
  }
  clock_.Advance(40);
  Info("loading the checkpoint shards of /models/lab-7b");
  if (is_async()) {
    pending_ += ActorPrefix("FullyAsyncTaskRunner", 8001, "") +
                "total_train_steps " + total + "\n";
  } else {
    Line("Total training steps: " + total);
  }
  Line(is_async() ? "[FullyAsyncTrainer] Training from scratch"
                  : "Training from scratch");
  Flush();
  Wait(90);
}

void Console::Validate(double seconds, int step) {
  const std::string text =
      "test_gen_batch meta info: {'eos_token_id': 151645, 'do_sample': True, "
      "'validate': True, 'global_steps': " +
      std::to_string(step) + "}";
  if (is_async()) {
    pending_ +=
        ActorPrefix("FullyAsyncRollouter", 8200, "10.1.0.9") + text + "\n";
  } else {
    Line(text);
  }
  phase_ = "evaluate_rollouts";
  Flush();
  Wait(seconds);
  Line("validation generation end");
  phase_ = "training";
}

void Console::StepLine(int step, const StepValues& values, Part part) {
  const std::string line = prefix_ + "step:" + std::to_string(step) +
                           values.Print(part, recipe_.fixed).text();
  // Now and then a reader meets the half of a line.
  const bool halves = step % 7 == 3;
  pending_ += halves ? line.substr(0, line.size() / 2) : line + "\n";
  if (halves) {
    Flush();
    pending_ = line.substr(line.size() / 2) + "\n";
  }
  if (part == Part::kValidation || part == Part::kRollouter) return;
  step_ = step;
  if (!phase_.empty()) phase_ = "training";
}

void Console::FirstValidation(const StepValues& values) {
  if (recipe_.family == Family::kSft) return;
  Validate(38, 0);
  StepLine(0, values, Part::kAll);
  Line("\r" + ProgressBar(0, total_));
  Flush(true);
}

void Console::Announce(const StepValues& values, int step) {
  const double whole = values.Get("timing_s/step");
  const double seconds =
      std::clamp(std::isfinite(whole) ? whole : 32, 1.0, kLongestStep);
  const double testing = values.Get("timing_s/testing");
  const bool validates = std::isfinite(testing);
  Wait(std::max(1.0, seconds - (validates ? testing : 0)));
  if (validates) Validate(testing, step);
  if (step % 20 == 0 && recipe_.family != Family::kSft) {
    Line("local_global_step_folder: checkpoints/" +
         std::string(recipe_.project) + "/" + run_ + "/global_step_" +
         std::to_string(step));
  }
}

void Console::Step(const Moment& moment, const StepValues& values) {
  if (is_async()) return AsyncStep(moment, values);
  const int step = moment.step;
  if (recipe_.family == Family::kSft) {
    Wait(values.Get("train/time(s)"));
    StepLine(step, values, Part::kTraining);
    if (values.Has("val/loss")) {
      StepLine(step, values, Part::kValidation);
    }
    if (step % 5 == 0) Plain("INFO:" + clock_.Full() + ":next shard");
    return Flush(true);
  }
  Announce(values, step);
  if (step % 16 == 5) {
    Plain(
        "\x1b[33m(raylet)\x1b[0m [file_system_monitor.cc:116] /tmp/ray is over "
        "95% full, available space: 41.2 GB; capacity: 980.1 GB.");
  }
  StepLine(step, values, Part::kAll);
  Line("\r" + ProgressBar(step, total_));
  if (step % 3 == 0) Info("the batch is balanced");
  Flush(true);
}

void Console::Resume(int step) {
  clock_.Advance(200);
  const std::string n = std::to_string(step);
  Line("Found checkpoint: %s checkpoints/" + std::string(recipe_.project) +
       "/" + run_ + "/global_step_" + n);
  Line("Load from checkpoint folder: checkpoints/" +
       std::string(recipe_.project) + "/" + run_ + "/global_step_" + n);
  Line("Setting global step to " + n);
  Line("Resuming from checkpoints/" + std::string(recipe_.project) + "/" +
       run_ + "/global_step_" + n);
  Flush(true);
}

void Console::AsyncStep(const Moment& moment, const StepValues& values) {
  const int step = moment.step;
  const double seconds =
      std::clamp(values.Get("timing_s/step"), 1.0, kLongestStep);
  Line("[FullyAsyncTrainer] Requesting 32 samples from queue");
  phase_ = "generate_rollouts";
  Flush();
  Wait(seconds * 0.3);
  Line(
      "[FullyAsyncTrainer] Loop collection completed: 32/32 samples, total "
      "wait time: 11.20 seconds. mq_len: 5");
  phase_ = "optimizer_step";
  Flush();
  Wait(seconds * 0.7);
  Line("[FullyAsyncTrainer] global_steps: " + std::to_string(step) +
       " local_trigger_step: 1 trigger_parameter_sync_step: 1 " +
       clock_.TimeOfDay());
  Line(
      "[FullyAsyncTrainer] _fit_update_weights, timing_s/param_sync: 2.41 "
      "seconds self.current_param_version: " +
      std::to_string(step));
  phase_ = "training";
  StepLine(step, values, Part::kRollouter);
  if (values.Has("rollouter/validate_time")) {
    Validate(values.Get("rollouter/validate_time"), step);
    StepLine(step, values, Part::kValidation);
  }
  // The first training line has nothing to say and is left out.
  if (step > 1) {
    StepLine(step, values, Part::kTraining);
  }
  Line("\r" + ProgressBar(step, total_));
  Flush(true);
}

}  // namespace rlrun::scenarios
