// A run as time rules, event rules and state see it, made by hand: times,
// events, processes. Offsets grow with each mark.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/state.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {

inline constexpr double kStart = 1764400000;

class StateFixture : public testing::Test {
 protected:
  // A console run whose steps came up to `newest`, the last write now.
  StateFixture() {
    times_.now = kStart;
    times_.mtime = kStart;
    times_.step_time = kStart;
    Train(40);
    total_ = 94;
  }

  StateInputs Inputs() const {
    StateInputs inputs{times_, events_, processes_,  step_,
                       total_, record_, has_console_};
    inputs.recorded = recorded_ ? &*recorded_ : nullptr;
    inputs.record_readable = record_readable_;
    inputs.has_log = has_log_;
    inputs.counts_lines = counts_lines_;
    return inputs;
  }
  // `seconds` after the last write.
  void Wait(double seconds) { times_.now = kStart + seconds; }

  LogMark Mark() { return {offset_ += 100, std::nullopt}; }
  void Train(std::int64_t step) {
    events_.newest_training_line = Mark().offset;
    step_ = step;
    ++times_.training_lines;
  }
  void NoTraining() {
    events_.newest_training_line.reset();
    step_.reset();
  }
  void Begin(RunPhase phase) {
    events_.phases[static_cast<std::size_t>(phase)].begin = Mark();
  }
  void Finish(RunPhase phase) {
    events_.phases[static_cast<std::size_t>(phase)].end = Mark();
  }
  ErrorBurst& Burst(LogErrorKind kind, std::string text = "boom") {
    ErrorBurst burst;
    burst.first = {kind, Mark(), std::move(text)};
    burst.newest = burst.first.at;
    burst.kinds = 1u << static_cast<unsigned>(kind);
    burst.errors = 1;
    burst.severe = true;
    events_.newest_burst = events_.severe_burst = burst;
    ++events_.errors[static_cast<std::size_t>(kind)];
    return *events_.severe_burst;
  }
  void Interrupt() { events_.interrupt = {Mark(), "KeyboardInterrupt"}; }
  void End(EndKind kind) { events_.end = {Mark(), kind}; }
  void Resume() { events_.resume = {Mark(), false, 40}; }
  static void Set(ProcessFact* fact, ProcessPresence presence,
                  double gone_since = kStart) {
    fact->presence = presence;
    fact->gone_since = gone_since;
  }
  void Alive() { Set(&processes_.trainer, ProcessPresence::kAlive); }
  void Gone() { Set(&processes_.trainer, ProcessPresence::kGone); }

  RuleResult Judge(std::string_view name) const {
    for (const auto rules : {EventRules(), TimeRules(), RecordRules()}) {
      for (const TimeRule& rule : rules) {
        if (rule.name == name) return rule.evaluate(options_, Inputs());
      }
    }
    ADD_FAILURE() << "no rule " << name;
    return {};
  }
  Level LevelOf(std::string_view name) const { return Judge(name).level; }
  bool Fires(std::string_view name) const {
    return LevelOf(name) != Level::kNone;
  }

  TimeOptions options_;
  RunTimes times_;
  RunEvents events_;
  ProcessFacts processes_;
  std::optional<std::int64_t> step_;
  std::optional<std::int64_t> total_;
  RecordedEnd record_ = RecordedEnd::kNone;
  bool has_console_ = true;
  std::optional<RecordedRun> recorded_;
  bool record_readable_ = true;
  bool has_log_ = true;
  bool counts_lines_ = false;
  std::uint64_t offset_ = 0;
};

}  // namespace rlrun
