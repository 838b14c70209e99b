#include "tests/scenarios/scenario_files.h"

namespace rlrun::scenarios {

ScenarioFiles::ScenarioFiles(const Scenario& scenario,
                             const ScenarioOptions& options,
                             const std::string& root)
    : finishes_(scenario.recipe.ending == Ending::kFinished),
      left_(ScenarioPieces(scenario, options).size()) {
  const std::string& name = scenario.name;
  if (scenario.recipe.has_log()) {
    log_ = root + "/lab/" + name + "/logs/" + name + ".log";
  }
  if (scenario.recipe.record) {
    record_.emplace(scenario, options);
    record_path_ = root + "/" + record_->path();
  }
  if (scenario.recipe.has_copies) {
    copies_.emplace(scenario, options);
    wandb_path_ = root + "/" + copies_->wandb_path();
    events_path_ = root + "/" + copies_->events_path();
  }
}

void ScenarioFiles::Write(const Piece& piece, Sink* sink) {
  if (left_ > 0) --left_;
  sink->SetTime(piece.at);
  if (!log_.empty()) sink->Append(log_, piece.bytes);
  if (record_) {
    const std::string record = record_->Take(piece);
    if (!record.empty()) sink->Replace(record_path_, record);
  }
  if (copies_) {
    MetricCopies::Bytes bytes = copies_->Take(piece);
    if (left_ == 0 && finishes_) bytes.wandb += copies_->Finish();
    sink->Append(wandb_path_, bytes.wandb);
    sink->Append(events_path_, bytes.events);
  }
}

void WriteScenario(const Scenario& scenario, const ScenarioOptions& options,
                   const std::string& root, Sink* sink) {
  ScenarioFiles files(scenario, options, root);
  for (const Piece& piece : ScenarioPieces(scenario, options)) {
    files.Write(piece, sink);
  }
}

}  // namespace rlrun::scenarios
