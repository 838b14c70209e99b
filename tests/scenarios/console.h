// Prints a scenario the way trainers do: prefixes, stamps, engine and trial
// lines, progress bars, the config block, step lines, the texts of an end. What
// the values are is decided elsewhere. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/scenario.h"
#include "tests/scenarios/wall_clock.h"

namespace rlrun::scenarios {

class Console {
 public:
  Console(const Recipe& recipe, std::string run, int total,
          const ScenarioOptions& options, Random* random);

  void Begin();  // up to the first step
  // A validation in front of the first step; `values` has nothing else.
  void FirstValidation(const StepValues& values);
  void Step(const Moment& moment, const StepValues& values);
  void Resume(int step);  // the process is started again, the log appended to
  void End(Ending ending, int step);

  std::vector<Piece> Take() { return std::move(pieces_); }

 private:
  void Line(std::string_view text);   // the trainer's prefix, LF
  void Plain(std::string_view text);  // no prefix, LF
  void Info(const std::string& text) {
    Line("INFO:" + clock_.Full() + ":" + text);
  }
  void Flush(bool ends_step = false);
  void Wait(double seconds);  // engines and trials go on in the meantime
  void Announce(const StepValues& values, int step);
  void Validate(double seconds, int step);
  void StepLine(int step, const StepValues& values, StepValues::Part part);
  void AsyncStep(const Moment& moment, const StepValues& values);

  // endings.cc
  void Hydra();
  void DiskFull(int step);
  void ActorDied();
  void CudaOom();
  void HostOom();
  void Interrupted();
  void FinishedMarks(int step);
  void Chatter(bool retries);

  bool is_async() const {
    return recipe_.family == Family::kAsync || recipe_.family == Family::kSao;
  }

  Recipe recipe_;
  std::string run_;
  int total_;
  Random* random_;
  WallClock clock_;
  std::string prefix_;
  std::string pending_;
  int step_ = 0;
  std::string phase_;
  std::vector<Piece> pieces_;
};

}  // namespace rlrun::scenarios
