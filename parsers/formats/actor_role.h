// What actors of a run are for, by their names.
// Pure; safe to call from any thread.
#pragma once

#include <string_view>

#include "parsers/lines/front.h"

namespace rlrun {

// Whether an actor of that name prints step lines, in every trainer that is
// known.
inline bool IsTrainer(std::string_view actor) {
  return actor.find("Trainer") != std::string_view::npos ||
         actor.find("Runner") != std::string_view::npos || actor == "main_task";
}

// Whether only a trainer starts actors of that name. A runner of any other
// program is none.
inline bool IsOfTrainer(std::string_view actor) {
  return HasFront(actor, "TaskRunner") || HasFront(actor, "WorkerDict") ||
         HasFront(actor, "AgentLoopWorker") || HasFront(actor, "FullyAsync") ||
         HasFront(actor, "RewardLoopWorker") ||
         HasFront(actor, "RewardManagerWorker") || actor == "main_task";
}

// The same of slime and miles.
inline bool IsOfSlime(std::string_view actor) {
  return HasFront(actor, "MegatronTrainRayActor") ||
         HasFront(actor, "FSDPTrainRayActor") ||
         HasFront(actor, "RolloutManager");
}

// Whether an actor of that name only generates: what it runs for a model may
// fail as it likes, and Ray tells where the actor itself does.
inline bool IsHelper(std::string_view actor) {
  return HasFront(actor, "RolloutManager") ||
         actor.find("Engine") != std::string_view::npos;
}

// Whether it belongs to an asynchronous run.
inline bool IsAsync(std::string_view actor) {
  return HasFront(actor, "FullyAsync");
}

}  // namespace rlrun
