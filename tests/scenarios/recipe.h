// How the log of a scenario comes about: the kind of trainer, its size, when
// and how it falls ill, how the log ends. The values of a healthy step are in
// healthy_values.h, the text in console.h.
// Plain data and pure functions; safe to call from any thread.
#pragma once

#include <optional>

#include "tests/scenarios/log_writer.h"
#include "tests/scenarios/step_values.h"

namespace rlrun::scenarios {

enum class Family {
  kAgent,     // synchronous GRPO, an agent with tools, one line per step
  kMath,      // the same, one turn, no trajectory filter
  kCritic,    // synchronous PPO with a critic, one turn
  kAsync,     // fully asynchronous GRPO with an agent
  kSao,       // fully asynchronous with a critic, the actor in bypass mode
  kSft,       // supervised
  kSlime,     // slime, a launcher around it, one training step per rollout
  kSlimeTwo,  // the same, a critic, two training steps per rollout
  kMiles,     // miles: every step line twice
  kTrl,       // TRL's GRPO, numbers as `repr` prints them
  kTrlSft,    // TRL, supervised, numbers in quotes
};

constexpr bool IsSlime(Family family) {
  return family == Family::kSlime || family == Family::kSlimeTwo ||
         family == Family::kMiles;
}
constexpr bool IsTrl(Family family) {
  return family == Family::kTrl || family == Family::kTrlSft;
}
// Their step lines are dicts.
constexpr bool PrintsDicts(Family family) {
  return IsSlime(family) || IsTrl(family);
}
constexpr bool IsSupervised(Family family) {
  return family == Family::kSft || family == Family::kTrlSft;
}

// Where a step is in its run. Steps count from 1.
struct Moment {
  int step = 0;
  int steps = 0;  // that are printed
  int onset = 0;  // the first sick one; behind `steps`: none
  Random* random = nullptr;

  bool sick() const { return step >= onset; }
  int since() const { return step - onset + 1; }  // 1: the first sick one
};

// Changes a healthy step; called for every step, healthy ones too.
using Change = void (*)(const Moment&, StepValues*);

enum class Ending {
  kRunning,       // behind a step line
  kFinished,      // the trainer's end marks behind the last planned step
  kEndedEarly,    // the same behind an earlier one
  kWrapperEnd,    // only a script around it says that it has finished
  kDiskFull,      // traceback inside Hydra's block
  kActorDied,     // actor death, its echoes behind it
  kCudaOom,       // traceback inside Hydra's block
  kTraceback,     // a traceback and nothing else
  kHostOom,       // killed by the host, and a script says finished
  kInterrupted,   // KeyboardInterrupt
  kTerminated,    // SIGTERM
  kChatter,       // 95 minutes of engine and health lines
  kRetries,       // 95 minutes of a judge model that does not answer
  kInValidation,  // the beginning of a validation
  kStarting,      // there is no training line yet, only a validation
};

// What a launcher's record states of a run of slime (launcher_record.h). Times
// are seconds.
struct RecordRecipe {
  const char* status = "running";  // at the end of the log; before: running
  const char* error = "";
  const char* phase = "";  // empty: what the run is doing
  bool has_app = true;
  bool is_active = true;
  double age = 120;     // when the log begins
  int last_step = 0;    // behind it nobody keeps the record; 0: somebody does
  bool has_log = true;  // of the run here
};

// Lines of a run of slime beside its steps.
struct ExtraLines {
  const char* line = "";
  int times = 0;
  int steps_before_end = 0;
};

struct Recipe {
  Family family = Family::kAgent;
  int steps = 60;  // printed, unless told otherwise
  // With fewer the sickness does not fit; 0: `steps`, or, where there is no
  // sickness, few.
  int least = 0;
  int onset = 0;       // 0: no sickness, or counted from the end:
  int tail = 0;        // > 0: the last so many steps are sick
  int total = 0;       // planned steps; 0: `steps` printed and 60 more
  int test_freq = 10;  // 0: never
  bool first_validation = true;  // before training
  bool solves_at_first = true;   // there; else an agent solves nothing
  int last_validation = 0;       // 0: there is no last one
  int resume_at = 0;    // behind this step the run is resumed; 0: it is not
  int resume_from = 0;  // from the checkpoint of this step
  double warmup = 0;    // configured steps of lr warm-up
  bool fixed = false;   // three decimals
  bool has_config = true;
  bool has_copies = false;             // W&B and TensorBoard keep it, too
  const char* replay = "R3";           // router_replay.mode of the config
  const char* scheduler = "constant";  // of the learning rate
  const char* project = "lab";
  Change change = nullptr;
  Ending ending = Ending::kRunning;
  ExtraLines extra = {};
  std::optional<RecordRecipe> record = {};

  bool has_log() const { return !record || record->has_log; }
};

}  // namespace rlrun::scenarios
