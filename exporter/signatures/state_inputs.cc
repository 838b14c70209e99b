#include "exporter/signatures/state_inputs.h"

namespace rlrun {

std::optional<double> StateInputs::dead_since() const {
  const ProcessFact& trainer = processes.trainer;
  const ProcessFact& runner = processes.runner;
  if (alive()) return std::nullopt;
  if (trainer.died()) return trainer.gone_since;
  if (trainer.presence != ProcessPresence::kNeverSeen || trainer.incomplete) {
    return std::nullopt;
  }
  if (runner.died()) return runner.gone_since;
  return std::nullopt;
}

bool StateInputs::in_phase(RunPhase phase) const {
  const PhaseMarks& marks = events.phases[static_cast<std::size_t>(phase)];
  if (!marks.begin) return false;
  const std::uint64_t begin = marks.begin->offset;
  if (marks.end && marks.end->offset > begin) return false;
  return !events.newest_training_line || begin > *events.newest_training_line;
}

}  // namespace rlrun
