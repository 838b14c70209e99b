// One run of slime or of TRL as a console log, as W&B's file, as TensorBoard's
// events and as trainer_state.json: the same steps in each. A run is made of
// its seed, which its values follow from, and of its times, which they do not.
// Pure functions.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/metric_files.h"

namespace rlrun {

struct MadeRun {
  int seed = 1;
  double begin = 0;     // Unix seconds, of step 0
  double seconds = 20;  // of a step
  int steps = 8;
  int diverges = 1000000;  // from this step on its values are its own

  double TimeOf(int step) const { return begin + seconds * step; }
  // 0..1, of the seed alone until it diverges.
  double Noise(int step, int salt) const {
    const double own = step < diverges ? 0 : begin;
    const double x = std::sin(seed * 12.9898 + step * 78.233 + salt * 37.719 +
                              own * 0.0137) *
                     43758.5453;
    return x - std::floor(x);
  }
  // Measured, so never the same twice.
  double Measured(int step) const {
    const double x = std::sin(begin * 0.7331 + step * 1.37) * 9301.77;
    return seconds - 2 + (x - std::floor(x));
  }
};

using NamedValues = std::vector<std::pair<std::string, double>>;

inline std::string Digits(double value, const char* format = "%.17g") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// As a trainer of Hugging Face names them.
inline NamedValues TrlValues(const MadeRun& run, int step) {
  return {{"loss", std::round(run.Noise(step, 1) * 1e4) / 1e4},
          {"grad_norm", 0.3 + run.Noise(step, 2) / 10},
          {"learning_rate", 1e-6 * (1 - step / 1000.0)},
          {"num_tokens", 1234.0 * step},
          {"completions/mean_length", 300 + run.Noise(step, 3)},
          {"reward", 0.2 + step / 200.0 + run.Noise(step, 4) / 100},
          {"frac_reward_zero_std", 0.125},
          {"kl", 0.002 + run.Noise(step, 5) / 1000},
          {"epoch", step / 64.0}};
}

// `four_digits`: quoted and rounded, as transformers 5 prints them.
inline std::string TrlLog(const MadeRun& run, bool four_digits = false,
                          int first = 1) {
  std::string out;
  for (int step = first; step <= run.steps; ++step) {
    out += " 1%|#  | " + std::to_string(step) + "/100 [00:20<10:00, " +
           Digits(run.Measured(step), "%.2f") + "s/it]";
    std::string dict;
    for (const auto& [key, value] : TrlValues(run, step)) {
      dict += (dict.empty() ? "{'" : ", '") + key + "': " +
              (four_digits ? "'" + Digits(value, "%.4g") + "'" : Digits(value));
    }
    out += dict + "}\n";
  }
  return out;
}

inline std::string TrlTag(const std::string& key) { return "train/" + key; }

inline std::string TrlWandb(const MadeRun& run, const std::string& name) {
  WandbRun head;
  head.project = "huggingface";
  head.display_name = name;
  head.start_time = run.begin;
  WandbFileWriter file;
  file.Add(WandbRunRecord(head));
  for (int step = 1; step <= run.steps; ++step) {
    WandbItems items;
    for (const auto& [key, value] : TrlValues(run, step)) {
      items.emplace_back(TrlTag(key), Digits(value));
    }
    items.emplace_back("train/global_step", std::to_string(step));
    items.emplace_back("_timestamp", Digits(run.TimeOf(step)));
    file.Add(WandbHistory(step - 1, items));
  }
  return file.text();
}

inline std::string TrlEvents(const MadeRun& run) {
  std::string out = EventRecord(FileVersionEvent(run.begin));
  for (int step = 1; step <= run.steps; ++step) {
    for (const auto& [key, value] : TrlValues(run, step)) {
      out += EventRecord(
          Event(run.TimeOf(step), step,
                {SimpleValue(TrlTag(key), static_cast<float>(value))}));
    }
  }
  return out;
}

inline std::string TrlState(const MadeRun& run) {
  std::string out = "{\"max_steps\": 100, \"log_history\": [";
  for (int step = 1; step <= run.steps; ++step) {
    out += step == 1 ? "{" : ", {";
    for (const auto& [key, value] : TrlValues(run, step)) {
      out += "\"" + key + "\": " + Digits(value) + ", ";
    }
    out += "\"step\": " + std::to_string(step) + "}";
  }
  return out + "]}";
}

// A line of slime's console: its type, its number, its values.
struct SlimeRow {
  std::string type;
  int number = 0;
  NamedValues values;
};

// Of each rollout `per_rollout` training steps; `steps` counts rollouts.
inline std::vector<SlimeRow> SlimeRows(const MadeRun& run, int per_rollout) {
  std::vector<SlimeRow> rows;
  for (int i = 0; i < run.steps; ++i) {
    rows.push_back({"perf",
                    i,
                    {{"rollout/response_len/mean", 800 + run.Noise(i, 1)},
                     {"perf/rollout_time", run.Measured(2 * i + 1)}}});
    rows.push_back({"rollout", i, {{"rollout/raw_reward", run.Noise(i, 2)}}});
    for (int k = 0; k < per_rollout; ++k) {
      const int step = i * per_rollout + k;
      rows.push_back({"step",
                      step,
                      {{"train/loss", run.Noise(step, 3) * 1e-8},
                       {"train/pg_loss", run.Noise(step, 3) * 1e-8},
                       {"train/grad_norm", 1 + run.Noise(step, 4)},
                       {"train/step", step}}});
    }
    rows.push_back({"perf", i, {{"perf/step_time", run.Measured(2 * i)}}});
  }
  return rows;
}

inline std::string SlimeLog(const MadeRun& run, int per_rollout) {
  std::string out;
  for (const SlimeRow& row : SlimeRows(run, per_rollout)) {
    out +=
        "(MegatronTrainRayActor pid=7) [2026-01-02 03:00:00] model.py:918 - " +
        row.type + " " + std::to_string(row.number) + ": ";
    std::string dict;
    for (const auto& [key, value] : row.values) {
      dict += (dict.empty() ? "{'" : ", '") + key + "': " + Digits(value);
    }
    out += dict + "}\n";
  }
  return out;
}

inline std::string SlimeWandb(const MadeRun& run, int per_rollout,
                              const std::string& name) {
  WandbRun head;
  head.project = "slimeproj";
  head.display_name = name;
  head.start_time = run.begin;
  WandbFileWriter file;
  file.Add(WandbRunRecord(head));
  int call = 0;
  for (const SlimeRow& row : SlimeRows(run, per_rollout)) {
    WandbItems items;
    for (const auto& [key, value] : row.values) {
      items.emplace_back(key, Digits(value));
    }
    if (row.type != "step") {
      items.emplace_back("rollout/step", std::to_string(row.number));
    }
    items.emplace_back("_timestamp", Digits(run.TimeOf(row.number)));
    file.Add(WandbHistory(call++, items));
  }
  return file.text();
}

inline std::string SlimeEvents(const MadeRun& run, int per_rollout) {
  std::string out = EventRecord(FileVersionEvent(run.begin));
  for (const SlimeRow& row : SlimeRows(run, per_rollout)) {
    for (const auto& [key, value] : row.values) {
      out += EventRecord(Event(run.TimeOf(row.number), row.number,
                               {SimpleValue(key, static_cast<float>(value))}));
    }
  }
  return out;
}

}  // namespace rlrun
