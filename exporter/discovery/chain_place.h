// Files of one run that continue each other, by their names alone: whoever
// launches a run again leaves the old file and begins another one beside it.
//
//   exp/events.out.tfevents.1767323045.host.7.0
//   exp/events.out.tfevents.1767409445.host.9.0
//   wandb/run-20260102_030405-abc/run-abc.wandb
//   wandb/run-20260103_030405-abc/run-abc.wandb    resumed
//
// Whether they do continue each other, or were written at the same time, their
// contents tell (file_chain.h). Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

struct ChainPlace {
  std::string chain;  // equal for files that may continue each other
  std::string order;  // rises with the time of their beginning
};

// Nothing: no file continues one of this name.
std::optional<ChainPlace> ChainPlaceOf(std::string_view path);

}  // namespace rlrun
