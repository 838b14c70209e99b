// One run as a console log, as W&B's file and as TensorBoard's events: the same
// steps in each. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "tests/support/metric_files.h"

namespace rlrun {

// What is logged of a step, as JSON writes the numbers; all of them are exact
// as 32-bit floats.
inline WandbItems StepValues(int step) {
  const auto text = [](double value) {
    std::string out = std::to_string(value);
    while (out.back() == '0') out.pop_back();
    return out.back() == '.' ? out + "0" : out;
  };
  return {{"actor/grad_norm", text(0.25 + step % 4 / 16.0)},
          {"critic/score/mean", text(0.5 + step / 64.0)},
          {"response_length/mean", text(300 + step)},
          {"timing_s/step", text(61.5 + step % 3 / 8.0)}};
}

inline std::string LogStep(int step) {
  std::string line = "(TaskRunner pid=7) step:" + std::to_string(step);
  for (const auto& [key, value] : StepValues(step)) {
    line += " - " + key + ":" + value;
  }
  return line + "\n";
}

inline std::string WandbStep(int step, double time) {
  WandbItems items = StepValues(step);
  items.emplace_back("_step", std::to_string(step));
  items.emplace_back("_timestamp", std::to_string(time));
  return WandbHistory(step, items);
}

inline std::string TensorboardStep(int step, double time) {
  std::string out;
  for (const auto& [key, value] : StepValues(step)) {
    out += EventRecord(Event(time, step, {SimpleValue(key, std::stof(value))}));
  }
  return out;
}

// A `.wandb` file of a run of verl with `steps` steps; empty `project`: its
// config states no names.
inline WandbFileWriter WandbOf(const std::string& project,
                               const std::string& experiment, int steps,
                               double start) {
  WandbRun run;
  run.project = project;
  run.display_name = experiment;
  run.start_time = start;
  run.config = {{"data", "{\"train_batch_size\": 8}"}};
  if (!project.empty()) {
    run.config.emplace_back("trainer", "{\"project_name\": \"" + project +
                                           "\", \"experiment_name\": \"" +
                                           experiment + "\"}");
  }
  WandbFileWriter file;
  file.Add(WandbRunRecord(run));
  for (int step = 1; step <= steps; ++step) {
    file.Add(WandbOutput("a line\n"));
    file.Add(WandbStep(step, start + step));
  }
  return file;
}

inline std::string EventsOf(int steps, double start) {
  std::string out = EventRecord(FileVersionEvent(start));
  for (int step = 1; step <= steps; ++step) {
    out += TensorboardStep(step, start + step);
  }
  return out;
}

inline std::string LogSteps(int steps) {
  std::string out;
  for (int step = 1; step <= steps; ++step) out += LogStep(step);
  return out;
}

}  // namespace rlrun
