// What the processes of a slime or miles run are doing, from their timers:
//
//   Timer log_probs start          Timer log_probs end (elapsed: 12.3s)
//
// Timers lie inside one another; the phase is that of the innermost open one of
// whoever spoke last. Their times have one decimal and come again, exact, in
// the `perf` lines: they count only where two rollouts have brought none.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/log_events.h"

namespace rlrun {

struct TimerLine {
  std::string_view name;  // empty: the line is none
  bool ends = false;
  double seconds = 0;  // elapsed, where it ends
};
// `text`: the message of a line, behind its logger's head.
TimerLine ParseTimerLine(std::string_view text);

class TimerPhases {
 public:
  void Take(const TimerLine& timer, std::string_view process,
            const LogMark& mark, LogEvents* events);
  // A phase that a line tells outright.
  static void Begin(RunPhase phase, const LogMark& mark, LogEvents* events);
  static void End(RunPhase phase, const LogMark& mark, LogEvents* events);
  // A `perf` line with the times of timers came.
  void NotePerf();

 private:
  struct Process {
    std::string name;
    std::vector<std::string> open;  // the innermost last
  };
  Process& ProcessOf(std::string_view name);
  void Count(const TimerLine& timer, RunPhase phase, LogEvents* events);

  std::vector<Process> processes_;
  std::array<double, kRunPhases> waiting_{};  // seconds
  int rollouts_ = 0;  // trained on since the last `perf` line
};

}  // namespace rlrun
