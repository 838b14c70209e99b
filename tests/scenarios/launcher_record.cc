#include "tests/scenarios/launcher_record.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace rlrun::scenarios {
namespace {

std::string Field(std::string_view name, const std::string& json) {
  return ", \"" + std::string(name) + "\": " + json;
}
std::string Text(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}
std::string Time(double at) {
  return std::to_string(static_cast<std::int64_t>(at));
}

}  // namespace

std::string RecordPath(const std::string& run) {
  return "store/training-runs/" + run + ".json";
}

LauncherRecord::LauncherRecord(const Scenario& scenario,
                               const ScenarioOptions& options)
    : recipe_(scenario.recipe.record.value_or(RecordRecipe())),
      run_(scenario.name),
      project_(scenario.recipe.project),
      path_(RecordPath(scenario.name)),
      created_(static_cast<double>(options.start) - recipe_.age),
      total_(ScenarioTotal(scenario, options)),
      left_(ScenarioPieces(scenario, options).size()) {}

std::string_view LauncherRecord::PhaseAt(const Piece& piece) const {
  const std::string_view stated = recipe_.phase;
  return stated.empty() ? piece.phase : stated;
}

// What it is doing; `current` counts from 1, ids of rollouts from 0.
std::string LauncherRecord::Progress(const Piece& piece) const {
  std::string json = "{\"phase\": " + Text(PhaseAt(piece)) +
                     Field("updated_at", Time(piece.at)) +
                     Field("is_active", recipe_.is_active ? "true" : "false");
  if (piece.step > 0) {
    json +=
        Field("current", std::to_string(std::min(piece.step + 1, total_))) +
        Field("total", std::to_string(total_)) + Field("unit", Text("step")) +
        Field("rollout_id", std::to_string(std::min(piece.step, total_ - 1)));
  }
  json += "}";
  if (piece.step > 0) {
    json += Field("latest_rollout",
                  "{\"rollout_id\": " + std::to_string(piece.step - 1) +
                      Field("mean", "0.5") + Field("total", "256") +
                      Field("created_at", Time(piece.at)) + "}");
  }
  return json;
}

std::string LauncherRecord::Take(const Piece& piece) {
  if (left_ > 0) --left_;
  const bool kept = recipe_.last_step == 0 || piece.step <= recipe_.last_step;
  if (!kept) return "";
  const bool last = left_ == 0;
  const std::string_view status = last ? recipe_.status : "running";
  std::string json =
      "{\"training_run_id\": " + Text(run_) +
      Field("modal_app_id", Text(recipe_.has_app ? "ap-" + run_ : "")) +
      Field("framework", Text("slime")) +
      Field("config", "{\"metrics\": {\"provider\": \"wandb\"" +
                          Field("project", Text(project_)) + "}}") +
      Field("status", Text(status)) +
      Field("framework_status", Text(PhaseAt(piece))) +
      Field("created_at", Time(created_)) +
      Field("started_at", Time(created_)) + Field("updated_at", Time(piece.at));
  if (last && *recipe_.error != '\0') {
    json += Field("error_message", Text(recipe_.error));
  }
  if (status != "running") json += Field("ended_at", Time(piece.at));
  return json +
         Field("metadata", "{\"attempt_count\": 1" +
                               Field("framework_progress", Progress(piece)) +
                               "}") +
         "}";
}

}  // namespace rlrun::scenarios
