// The findings of time and event rules of one run over time: they hold until
// the first new training line, keep what they were while their source cannot be
// read, and count how often they became active.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "exporter/signatures/judgement.h"
#include "exporter/signatures/state.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {

class StateFindings {
 public:
  StateFindings();

  // Judges anew at inputs.times.now.
  void Judge(const TimeOptions& options, const StateInputs& inputs);

  // Those that apply, the stronger ones first.
  const std::vector<Finding>& findings() const { return published_; }
  // Cleared by a training line up to 10 steps ago.
  const std::vector<Recovered>& recovered() const { return recovered_; }
  bool lost() const { return lost_; }

 private:
  struct Entry {
    const TimeRule* rule;
    bool applies = false;
    Finding held;         // as the rule and its memory have it
    bool active = false;  // as it was published last
    std::uint64_t activations = 0;
    std::optional<std::int64_t> since_step;
  };
  void Evaluate(const TimeOptions& options, const StateInputs& inputs,
                Entry* entry);
  void Publish(const TimeOptions& options, const StateInputs& inputs);
  void NoteChanges(const StateInputs& inputs, bool trained);
  void NoteRecovered(const Entry& entry, std::optional<std::int64_t> step);

  std::vector<Entry> entries_;
  std::vector<Finding> published_;
  std::vector<Recovered> recovered_;
  std::uint64_t training_lines_ = 0;
  std::uint64_t texts_ = 0;
  bool lost_ = false;
};

}  // namespace rlrun
