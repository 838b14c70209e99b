// What trainers and launchers print about a run, in short.
// Pure functions.
#pragma once

#include <ctime>
#include <string>

namespace rlrun {

inline std::string ConfigBlock(const std::string& project,
                               const std::string& experiment) {
  return "(TaskRunner pid=7) {'actor_rollout_ref': {'model': {'path': 'm'}},\n"
         "(TaskRunner pid=7)  'trainer': {'experiment_name': '" +
         experiment + "',\n(TaskRunner pid=7)              'project_name': '" +
         project + "'}}\n";
}

// `nodes`: 0 says nothing of them.
inline std::string LaunchBannerText(const std::string& project,
                                    const std::string& experiment,
                                    const std::string& train_log,
                                    int nodes = 0) {
  std::string text =
      "=== Launching Harbor verl training ===\nproject:       " + project +
      "\nexperiment:    " + experiment + "\ntrain log:     " + train_log + "\n";
  if (nodes != 0) {
    text +=
        "\u2550\u2550 run configuration (train) \u2550\u2550\n  topology     " +
        std::to_string(nodes) + " nodes \u00d7 8 gpu\n";
  }
  return text;
}

// A training line; `seconds` tells executions apart.
inline std::string TimedStep(int step, const std::string& seconds,
                             const std::string& more = "") {
  return "(TaskRunner pid=7) step:" + std::to_string(step) +
         " - a:" + std::to_string(step) + " - timing_s/step:" + seconds +
         (more.empty() ? "" : " - " + more) + "\n";
}

inline std::string JsonlStep(int step, const std::string& seconds,
                             const std::string& more = "") {
  return "{\"step\": " + std::to_string(step) +
         ", \"data\": {\"a\": " + std::to_string(step) +
         ", \"timing_s/step\": " + seconds + (more.empty() ? "" : ", " + more) +
         "}}\n";
}

// A line with the stamp of a Unix time, in UTC.
inline std::string StampLine(std::time_t time) {
  std::tm tm{};
  ::gmtime_r(&time, &tm);
  char text[40];
  std::strftime(text, sizeof text, "INFO:%Y-%m-%d %H:%M:%S,000:", &tm);
  return std::string(text) + "loading\n";
}

}  // namespace rlrun
