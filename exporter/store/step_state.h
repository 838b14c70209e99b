// The current values of one run: step lines in, "which keys are current, with
// which value" out. Rules: metrics.md, "Which values are current". Whatever is
// told here comes from the text alone, so reading it again gives it again.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporter/store/prefetch.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// Step and engine series of all runs together: a ceiling shared by whoever
// makes them.
struct SeriesBudget {
  std::size_t used = 0;
  std::size_t max = 1000000;
  // Values of engines that were refused, until somebody reports them; step
  // series are counted by their StepState.
  std::uint64_t refused = 0;
};

class StepState {
 public:
  // `budget` must outlive this object and may be null: no common ceiling.
  explicit StepState(std::size_t max_keys = 2000,
                     SeriesBudget* budget = nullptr);
  ~StepState();  // gives its share of the budget back
  StepState(const StepState&) = delete;
  StepState& operator=(const StepState&) = delete;

  // Merges one line. Lines of one step and class are merged by key, later wins;
  // a new step of a class replaces that class's keys, unless the line is cut.
  // A line without pairs is a heartbeat: it can only move the newest training
  // step on by one.
  void Apply(const StepRecord& record);

  // The text that follows does not continue what was read: the file was
  // truncated or replaced. If it starts at an earlier step than was reached,
  // it is a relaunch, and nothing of the old text stays current.
  void StartNewText();

  // Makes current what several sources of one run say together, the most
  // trusted first: of each class the newest step, each of its keys from the
  // first source that carries it at that step; what is counted is the first
  // source's. For an object that is given no lines of its own.
  void Merge(std::span<const StepState* const> sources);

  // Asks for the memory that the next line will touch.
  void PrefetchEntries() const { PrefetchTail(entries_, entries_.size()); }
  void PrefetchKeys() const {
    for (const Entry& e : entries_) PrefetchBytes(e.key.data(), 1);
  }

  // Newest step of a class, as printed; absent before its first line.
  std::optional<std::int64_t> last_step(LineClass c) const {
    return last_step_[static_cast<std::size_t>(c)];
  }
  // Training steps that went backwards.
  std::uint64_t rewinds() const { return rewinds_; }
  // Texts that turned out to be another launch of the run.
  std::uint64_t relaunches() const { return relaunches_; }
  // NaN and infinite values read, by key; at most 50 keys.
  const std::map<std::string, std::uint64_t>& nonfinite() const {
    return nonfinite_;
  }
  // Values refused because the run had too many keys, and because all runs
  // together had too many series.
  std::uint64_t dropped_keys() const { return dropped_keys_; }
  std::uint64_t dropped_series() const { return dropped_series_; }

  SeriesBudget* budget() const { return budget_; }
  // From now on counts against `budget`, which may be null, and no other. What
  // it has is not refused there.
  void SetBudget(SeriesBudget* budget);

  // Seconds of the newest training step, as its line prints it
  // (`timing_s/step`, `perf/time_per_step`, `perf/step_time`, `train/time(s)`,
  // first that is there); absent where it prints none.
  std::optional<double> printed_duration() const;
  // Value of a current key.
  std::optional<double> Value(std::string_view key) const;

  // Moves whenever a key or value that is current may have changed.
  std::uint64_t version() const { return version_; }

  // Calls f(key, value) for every current key, in the order of first sight.
  template <typename F>
  void ForEachCurrent(F&& f) const {
    for (const Entry& e : entries_) {
      if (IsCurrent(e)) f(std::string_view(e.key), e.value);
    }
  }
  // Every key ever seen in this text, in the order of first sight. Keys are
  // only added, until the object goes.
  std::size_t key_count() const { return entries_.size(); }
  std::string_view key(std::size_t i) const { return entries_[i].key; }

 private:
  struct Entry {
    std::string key;
    double value = 0;
    std::int64_t step = 0;         // of the line that carried it last
    std::uint32_t generation = 0;  // current while equal to its class's
    LineClass owner = LineClass::kTrain;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const {
      return std::hash<std::string_view>{}(s);
    }
  };

  bool IsCurrent(const Entry& e) const {
    return e.generation == generation_[static_cast<std::size_t>(e.owner)];
  }
  void ApplyHeartbeat(const StepRecord& record);
  void BeginLine(LineClass c, const StepRecord& record);
  void NoteRewind(const StepRecord& record);
  void Forget();
  void MergeKeys(const StepState& source, LineClass c, bool older_too);
  // The entry of a key; null if a cap refuses it. `guess` is where it stood on
  // the last line.
  Entry* Find(std::string_view key, std::size_t guess, std::size_t* index);
  void CountNonFinite(std::string_view key);

  std::size_t max_keys_;
  SeriesBudget* budget_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_;
  std::array<std::uint32_t, kLineClasses> generation_{1, 1, 1, 1, 1};
  // Step whose lines make up a class's current keys.
  std::array<std::optional<std::int64_t>, kLineClasses> record_step_;
  // The record holds only cut lines so far, and older keys beside them.
  std::array<bool, kLineClasses> record_cut_{};
  std::array<std::optional<std::int64_t>, kLineClasses> last_step_;
  // Newest training step, kept over a relaunch: what rewinds are counted by.
  std::optional<std::int64_t> rewind_base_;
  bool new_text_ = false;
  std::uint64_t rewinds_ = 0;
  std::uint64_t relaunches_ = 0;
  std::uint64_t dropped_keys_ = 0;
  std::uint64_t dropped_series_ = 0;
  std::uint64_t version_ = 0;
  std::map<std::string, std::uint64_t> nonfinite_;
};

}  // namespace rlrun
