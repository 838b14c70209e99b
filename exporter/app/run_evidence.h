// Which facts make a file a source of a run: metrics.md, "Life of a series". A
// step line, the config block of a trainer, a launcher's banner, or a trainer's
// planned total; all other files are none of our business.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>

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
         HasConfigBlock(facts);
}

inline bool TellsOfARun(const LogFacts& facts) {
  return HasTrainer(facts) || HasBanner(facts);
}

}  // namespace rlrun
