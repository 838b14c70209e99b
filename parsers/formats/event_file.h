// A TensorBoard event file, `events.out.tfevents.<time>.<host>...`: protobuf
// events in the records of blocks/event_records.h. Neighbouring events of one
// step are one step record.
//
//   Event{wall_time: 1.7e9, step: 3, summary{value{tag: "actor/lr",
//         simple_value: 1e-06}}}
//
// Accepts: scalars: `simple_value`; a `tensor` of one float, double, half,
//   bfloat16 or integer whose plugin is `scalars` (said with the first value of
//   a tag alone) or not known. A float is the shortest decimal that is the same
//   float, so that 1e-06 is 1e-06. `wall_time` is the time of the step. Words
//   of Hugging Face's trainers are put back (tracked_keys.h).
// Ignores (counted): events without a scalar: graphs, histograms, images, text;
//   a tag that is behind the file's newest step although its own steps rise: it
//   is logged over something else (epochs, an evaluation's rounds).
// Rejects (malformed): a record that is no protobuf message, a negative step,
//   each damaged place.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "parsers/blocks/event_records.h"
#include "parsers/formats/byte_format.h"
#include "parsers/formats/mode_teller.h"
#include "parsers/formats/tracked_keys.h"

namespace rlrun {

class EventFile : public ByteFormat {
 public:
  static constexpr std::size_t kMaxTags = 5000;  // that are remembered

  std::string_view name() const override { return "event_file"; }
  // A step may still get values: they then come as another record of it.
  void Finish(LogFacts* facts) override { Flush(facts); }

 private:
  WholeRecords& records() override { return records_; }
  LineOutcome TakeRecord(const RecordBytes& event, LogFacts* facts) override;
  // Adds the scalars of a summary to the open step; false: it is damaged.
  bool TakeSummary(const RecordBytes& event, std::string_view summary,
                   std::int64_t step, std::size_t* scalars, LogFacts* facts);
  std::optional<double> TakeValue(std::string_view value, std::string_view* tag,
                                  bool* damaged);
  struct Tag {
    std::optional<bool> is_scalar;  // as its plugin says
    std::optional<std::int64_t> step;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const {
      return std::hash<std::string_view>{}(s);
    }
  };
  Tag* Find(std::string_view tag);
  static bool IsScalar(std::string_view plugin, Tag* tag);
  bool IsOfThisAxis(std::string_view tag, std::int64_t step, Tag* known);
  void Flush(LogFacts* facts);

  EventRecords records_;
  ModeTeller mode_;
  RowTeller rows_;
  bool has_time_ = false;  // of the file's first event
  StepRecord step_;        // open while it has pairs
  bool is_eval_ = false;   // the newest tag
  // Newest step, of tags that are no validation's.
  std::optional<std::int64_t> newest_;
  std::optional<std::int64_t> newest_rollout_;  // slime has this axis, too
  std::unordered_map<std::string, Tag, Hash, std::equal_to<>> tags_;
  Tag unknown_;  // of a tag beyond kMaxTags
};

// The double of a float's shortest decimal.
double DoubleOf(float value);

}  // namespace rlrun
