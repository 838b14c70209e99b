// W&B's own file of a run, `run-<id>.wandb`: what was logged, the config, and
// how it ended, as protobuf records in the blocks of blocks/block_records.h.
//
//   Record{num: 33, history{item{nested_key: "actor/lr", value_json: "1e-06"},
//          step{num: 3}}}
//
// Accepts: history rows: one step record each. Its step is the trainer's own
//   where the row has one (`train/global_step`, `train/step`, `rollout/step`,
//   `eval/step`: some let W&B count calls), else the row's step, else `_step`.
//   Numbers, NaN, Infinity, also quoted; true/false as 1/0, null as NaN.
//   `_timestamp` is the time of the step. Words of Hugging Face's trainers are
//   put back (tracked_keys.h); `profiling/` rows of TRL belong to the next
//   step. The run's record: names, config, start; later config. The exit
//   record.
// Ignores (counted): summaries, console output, system metrics and all other
//   records; `_runtime`, `_wandb`; strings and objects inside of a row
//   (not_a_number).
// Rejects (malformed): a record that is no protobuf message, a row without a
//   step, each damaged block, a file of another kind.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/blocks/block_records.h"
#include "parsers/blocks/proto_fields.h"
#include "parsers/formats/byte_format.h"
#include "parsers/formats/mode_teller.h"
#include "parsers/formats/tracked_keys.h"
#include "parsers/formats/wandb_config.h"

namespace rlrun {

class WandbFile : public ByteFormat {
 public:
  std::string_view name() const override { return "wandb_file"; }

 private:
  WholeRecords& records() override { return blocks_; }
  LineOutcome TakeRecord(const RecordBytes& record, LogFacts* facts) override;
  struct Item;
  struct RowStep;

  LineOutcome TakeHistory(const RecordBytes& record, std::string_view history,
                          LogFacts* facts);
  bool KeepForNextRow(const StepRecord& row, const RowStep& step);
  void NoteMode(const StepRecord& row, LogFacts* facts);
  void AddKept(const RowStep& step, StepRecord* row);
  bool TakeItem(std::string_view bytes, StepRecord* row, RowStep* step,
                LogFacts* facts);
  bool ReadItem(std::string_view bytes, Item* item);
  bool TakeRun(std::string_view run, LogFacts* facts);
  bool TakeConfig(std::string_view config, LogFacts* facts);
  bool TakeExit(const RecordBytes& record, std::string_view exit,
                LogFacts* facts);
  void StateFacts(LogFacts* facts);

  BlockRecords blocks_;
  ModeTeller mode_;
  RowTeller rows_;
  static constexpr std::size_t kMaxKept = 200;
  std::map<std::string, double> kept_;  // values without a step, by key
  WandbConfig config_;
  bool has_run_ = false;
  bool has_config_ = false;
  std::string project_, display_name_;  // of the run's record
  std::string key_;                     // of the item at hand
};

// A value of a row; nothing: it is no number.
std::optional<double> WandbNumber(std::string_view json);

}  // namespace rlrun
