// Which facts make a file a source of a run: metrics.md, "Life of a series". A
// step line, the config block of a trainer, the id of a training run,
// a launcher's banner, a trainer's
// planned total, or the end of a trainer that came before all of these; all
// other files are none of our business.
// Functions are pure; an object belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parsers/model/log_facts.h"

namespace rlrun {

// These lines hold a trainer's config block.
inline bool HasConfigBlock(const LogFacts& facts) {
  return facts.config_blocks[static_cast<std::size_t>(ConfigOutcome::kWhole)] +
             facts.config_blocks[static_cast<std::size_t>(
                 ConfigOutcome::kCut)] !=
         0;
}

// A launcher's banner, which alone says where the log will be.
inline bool HasBanner(const LogFacts& facts) {
  return facts.run_facts != nullptr && facts.run_facts->train_log.has_value();
}

// A trainer has printed something: this is no mere launch.
inline bool HasTrainer(const LogFacts& facts) {
  return !facts.steps.empty() || facts.total_steps.has_value() ||
         HasConfigBlock(facts) ||
         (facts.run_facts != nullptr && facts.run_facts->training_run_id);
}

// What a file has told so far of being a source of a run. An actor of a trainer
// alone may be on its way to a config block, which says how the run is called,
// and a bare traceback is often lived with: together with an end they are a
// run. So is the crash of a job whose overrides name an experiment.
class RunEvidence {
 public:
  void Note(const LogFacts& facts) {
    has_actor_ = has_actor_ || facts.trainer_actor;
    has_name_ = has_name_ ||
                (facts.run_facts != nullptr && facts.run_facts->experiment);
    has_end_ = has_end_ || facts.events.interrupt;
    if (const auto& burst = facts.events.severe_burst) {
      has_end_ = has_end_ || (burst->kinds & ~kBareTraceback) != 0;
      has_crash_ = has_crash_ || burst->has(LogErrorKind::kTrainerCrash);
    }
    has_trainer_ = has_trainer_ || HasTrainer(facts) ||
                   (has_actor_ && has_end_) || (has_name_ && has_crash_);
    has_banner_ = has_banner_ || HasBanner(facts);
  }
  // It is a run record.
  void NoteRecord() { has_trainer_ = true; }
  bool is_run() const { return has_trainer_ || has_banner_; }
  // A trainer has printed something into it; else a launcher at most.
  bool has_trainer() const { return has_trainer_; }
  bool has_banner() const { return has_banner_; }

 private:
  static constexpr std::uint32_t kBareTraceback =
      1u << static_cast<unsigned>(LogErrorKind::kTraceback);

  bool has_actor_ = false;
  bool has_name_ = false;
  bool has_end_ = false;
  bool has_crash_ = false;
  bool has_trainer_ = false;
  bool has_banner_ = false;
};

}  // namespace rlrun
