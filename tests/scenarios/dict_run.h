// The logs of trainers whose metric lines are dicts: slime, miles, Hugging Face
// trainers. Their healthy values, and the lines around them. Steps count from 1
// here, as behind a checkpoint.
// The same options give the same bytes on every machine. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/scenario.h"
#include "tests/scenarios/wall_clock.h"

namespace rlrun::scenarios {

StepValues HealthyDictStep(const Recipe& recipe, const Moment& moment);
void AddDictValidation(const Recipe& recipe, const Moment& moment,
                       StepValues* values);

// Prints a run of such a trainer; what Console (console.h) is for verl.
class DictConsole {
 public:
  DictConsole(const Recipe& recipe, std::string run, int total,
              const ScenarioOptions& options);
  void Begin();
  void Step(const Moment& moment, const StepValues& values);
  void End(Ending ending, int step);
  std::vector<Piece> Take() { return std::move(pieces_); }

 private:
  void SlimeStep(int step, const StepValues& values);
  void TrlStep(int step, const StepValues& values);
  void Extra();
  // A line of an actor, with the head of its logger.
  void Actor(const char* name, const char* place, const std::string& text);
  void Timer(const std::string& text);
  void Wait(double seconds);
  void Flush(bool ends_step = false);
  std::string Dict(const StepValues& values, const char* front) const;
  std::string Bar(int step) const;

  Recipe recipe_;
  std::string run_;
  int total_;
  WallClock clock_;
  std::string pending_;
  int step_ = 0;
  std::string phase_;
  std::vector<Piece> pieces_;
};

}  // namespace rlrun::scenarios
