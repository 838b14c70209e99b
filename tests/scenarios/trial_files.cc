#include "tests/scenarios/trial_files.h"

#include <ctime>

namespace rlrun::scenarios {
namespace {

std::string Iso(std::int64_t time) {
  const auto whole = static_cast<std::time_t>(time);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[40];
  const std::size_t size =
      std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000000Z", &parts);
  return std::string(text, size);
}

std::string Stage(const char* name, std::int64_t from, std::int64_t to) {
  return std::string("    \"") + name + "\": {\n        \"started_at\": \"" +
         Iso(from) + "\",\n        \"finished_at\": \"" + Iso(to) + "\"\n    }";
}

}  // namespace

std::string TrialConfigJson(const Trial& trial) {
  return "{\n    \"task\": {\"path\": \"/data/openswe_filtered/" + trial.task +
         "\"},\n    \"trial_name\": \"" + trial.name +
         "\",\n    \"timeout_multiplier\": 1.0\n}\n";
}

std::string TrialResultJson(const Trial& trial) {
  const std::int64_t end = trial.started + trial.seconds;
  std::string out = "{\n    \"id\": \"00000000-0000-4000-8000-0000" +
                    trial.name.substr(trial.name.size() - 8) + "\",\n";
  out += "    \"task_name\": \"" + trial.task + "\",\n";
  out += "    \"trial_name\": \"" + trial.name + "\",\n";
  out += "    \"config\": {\"task\": {\"path\": \"/data/openswe_filtered/" +
         trial.task + "\"}},\n";
  out +=
      "    \"agent_result\": {\"n_input_tokens\": 48211, "
      "\"n_cache_tokens\": 40110, \"n_output_tokens\": 5120, \"cost_usd\": "
      "null},\n";
  out += trial.reward ? "    \"verifier_result\": {\"rewards\": {\"reward\": " +
                            std::to_string(*trial.reward) + "}},\n"
                      : "    \"verifier_result\": null,\n";
  out += trial.exception.empty()
             ? "    \"exception_info\": null,\n"
             : "    \"exception_info\": {\"exception_type\": \"" +
                   trial.exception +
                   "\", \"exception_message\": \"out of time\", "
                   "\"exception_traceback\": \"Traceback (most recent call "
                   "last):\\n  ...\", \"occurred_at\": \"" +
                   Iso(end) + "\"},\n";
  out += "    \"started_at\": \"" + Iso(trial.started) + "\",\n";
  out += "    \"finished_at\": \"" + Iso(end) + "\",\n";
  const std::int64_t agent = trial.started + 20;
  out += Stage("environment_setup", trial.started, trial.started + 12) + ",\n";
  out += Stage("agent_setup", trial.started + 12, agent) + ",\n";
  out += Stage("agent_execution", agent, end - 5) + ",\n";
  out += Stage("verifier", end - 5, end) + "\n}\n";
  return out;
}

}  // namespace rlrun::scenarios
