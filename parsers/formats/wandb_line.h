// Lines that W&B prints into the console of the process that logs to it: which
// run of W&B that is.
//
//   wandb: Run data is saved locally in /w/wandb/run-20260301_050000-a1b2c3d4
//
// Accepts: lines of `wandb:`, also coloured, with the directory of a run, or
//   with a link that has `/runs/<id>`; that an agent of a sweep starts a run:
//   more of them come in the same console.
// Ignores: everything else that it says.
// Rejects: ids of other characters than W&B allows.
// Pure; safe to call from any thread.
#pragma once

#include <string_view>

namespace rlrun {

struct WandbLine {
  std::string_view id;  // valid as long as the payload is; empty: none
  bool of_agent = false;
  bool tells() const { return of_agent || !id.empty(); }
};

// `payload`: the line behind its prefixes, free of escapes.
WandbLine ParseWandbLine(std::string_view payload);

}  // namespace rlrun
