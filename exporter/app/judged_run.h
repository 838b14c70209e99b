// What is held of one run: its judge, its clocks, the newest Judgement and the
// text that was rendered of it. Whoever owns the run tells it what came and
// asks at each tick; nothing is computed anew unless something has changed or
// the deadline of a time rule is reached.
// Not thread-safe; only the thread that runs Tick touches it. What it gives out
// is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "exporter/metrics/run_block.h"
#include "exporter/signatures/judge.h"
#include "exporter/signatures/judgement.h"
#include "exporter/signatures/state_findings.h"
#include "exporter/store/run.h"
#include "exporter/store/run_times.h"

namespace rlrun {

class JudgedRun {
 public:
  // Null: the defaults.
  explicit JudgedRun(std::shared_ptr<const RunRules> rules = nullptr);

  void SetRules(std::shared_ptr<const RunRules> rules);

  // What one read of the run's text brought, in the order of the text, after
  // `run` has taken it in. `new_text`: it does not continue the text before;
  // `goes_on`: but its run does, so that an earlier step is a rewind.
  // `arrival`: when it came, if the text grew while the file was followed at
  // its end.
  void Apply(const Run& run, const LogFacts& facts, bool new_text,
             std::optional<double> arrival, bool goes_on = false);
  // Newest change of a trial directory, Unix seconds.
  void NoteTrial(double changed);
  // What a run record says of an end.
  void NoteRecord(RecordedEnd end);

  // What holds at `now` (Unix seconds). `caught_up`: the text has been read to
  // its end once; before that no clock is judged. The same object as last time
  // where nothing is different.
  std::shared_ptr<const Judgement> JudgeAt(const Run& run, double now,
                                           bool caught_up);
  // The newest Judgement as samples, null before the first; the same block as
  // last time where nothing is different. `series`: of `run`.
  std::shared_ptr<const SampleBlock> Block(const Run& run, RunSeries* series);
  // The labels of the run are others now.
  void DropBlock() { block_.reset(); }

  const Judge& judge() const { return judge_; }
  // Asks for the memory that Apply() and JudgeAt() will touch; stages 0 to 3,
  // each a while after the one before.
  void Prefetch(std::size_t stage) const;
  // Newest stamp of the text, Unix seconds, where it tells when the text ends.
  void NoteLastStamp(std::optional<double> time) { last_stamp_ = time; }
  // The text was seen to grow.
  bool grown() const { return timeline_.times().growth.has_value(); }
  // Times at which a Judgement was computed, for tests.
  std::uint64_t judged() const { return judged_; }

 private:
  // What a Judgement rests on beside lines and the clock.
  struct Seen {
    std::optional<double> modified_time;
    bool readable = false;
    std::optional<std::int64_t> total_steps;
    ProcessFacts processes;
    std::shared_ptr<const RecordedRun> record;
    bool record_up = false;
    bool operator==(const Seen&) const = default;
  };
  void TakeFacts(const Run& run);
  static Seen Look(const Run& run, bool caught_up);
  bool IsDue(const Seen& seen, double now) const;
  void Compute(const Run& run, double now);

  std::shared_ptr<const RunRules> rules_;
  Judge judge_;
  RunTimeline timeline_;
  StateFindings state_findings_;
  RecordedEnd record_ = RecordedEnd::kNone;
  std::optional<double> watched_since_;
  std::optional<double> last_stamp_;

  Seen seen_;
  bool text_begins_ = false;  // another text, without a training line yet
  // Of step rules alone, until it becomes part of a judgement.
  std::optional<Judgement> steps_;
  bool changed_ = true;
  // Of the run, as it was taken in last; `facts_` is both.
  std::shared_ptr<const RunFacts> stated_;
  std::optional<std::int64_t> total_steps_;
  std::shared_ptr<const RunFacts> facts_;
  std::shared_ptr<const Judgement> judgement_;
  double judged_at_ = 0;
  std::optional<double> deadline_;
  std::uint64_t judged_ = 0;
  std::shared_ptr<const SampleBlock> block_;  // null: to be made
};

}  // namespace rlrun
