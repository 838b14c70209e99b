// The numbers of the time and event rules, of state and verdict. Filled by
// config from `rules:`.
#pragma once

#include <cstddef>

namespace rlrun {

struct TimeOptions {
  // stall: the log is silent for this long (seconds), and for `stall_factor`
  // times the longest silence inside a completed step of this run.
  double stall_silence = 1800;
  double stall_factor = 1.5;

  // no_progress: no step line for this long (seconds), and for
  // `no_progress_steps` times the run's own median step.
  double no_progress = 3600;
  double no_progress_steps = 5;

  // Patience with the first step of a launch, seconds: models are loaded, and a
  // bar moves only after a whole step.
  double first_step = 7200;

  // Patience while a validation or a checkpoint is known to run, seconds, and
  // in times of the longest one known.
  double pause = 7200;
  double pause_factor = 2;

  // trainer_crash: a traceback or the death of an actor has stopped the run
  // once its log was silent for this long (seconds) behind it.
  double crash_silence = 300;

  // died_silently: seconds between the first look that did not find the process
  // and the verdict, so that what it wrote last has been read: an idle log is
  // looked at every 10 s, on network file systems every 40 s.
  double died_grace = 45;

  // Steps by which the newest one may lie below the planned total at a normal
  // end.
  std::size_t total_slack = 1;

  // lost: silence of this length (seconds) without a process here.
  double lost_silence = 6 * 3600;

  // Fewer training steps than this are no evidence that all is well.
  std::size_t decision_steps = 10;
};

}  // namespace rlrun
