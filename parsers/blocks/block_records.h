// The records of a W&B transaction log (`run-<id>.wandb`): LevelDB's log with
// another header and checksum. How they are read: whole_records.h.
//
//   3A 57 26 42 E1 BE 00 | crc length type payload | crc length type payload
//   ...
//
// Blocks of 32 KiB count from offset 0, those of wandb-core before 0.17.6 from
// offset 7; a chunk whose checksum is right only there tells. No chunk lies in
// two blocks; the last 6 bytes of a block or less are zero.
// Accepts: FULL, and FIRST MIDDLE* LAST; a record whose end is not there yet
//   waits. A header of zeros: nothing more is in its block.
// Passes over (counted): the rest of a block behind a damaged chunk; chunks
//   that continue nothing; records longer than max_record.
// Rejects: a file that begins otherwise; all of it is then passed over.
// Holds at most one record, of those that are begun. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parsers/blocks/whole_records.h"

namespace rlrun {

class BlockRecords : public WholeRecords {
 public:
  static constexpr std::size_t kBlock = 32768;         // bytes
  static constexpr std::size_t kFileHeader = 7;        // bytes
  static constexpr std::size_t kChunkHeader = 7;       // bytes
  static constexpr std::size_t kMaxRecord = 8u << 20;  // bytes

  explicit BlockRecords(std::size_t max_record = kMaxRecord)
      : max_record_(max_record) {}

  // The file begins as another kind of file does.
  bool foreign() const { return state_ == State::kForeign; }
  // Offset at which blocks begin: 0 or 7.
  std::uint64_t base() const { return base_; }
  // Bytes held back, for tests.
  std::size_t held() const { return record_.size(); }

 private:
  enum class State : std::uint8_t { kHeader, kChunks, kForeign };
  enum class Look : std::uint8_t { kWait, kPadding, kZeros, kChunk, kBad };

  std::size_t Step(std::string_view rest, const Sink& sink) override;
  std::size_t ReadHeader(std::string_view rest);
  std::size_t PassBlock(std::string_view rest, Look look, std::size_t left);
  static Look LookAt(std::string_view rest, std::size_t left);
  std::size_t LeftInBlock(std::uint64_t base) const;
  void TakeChunk(std::string_view chunk, const Sink& sink);
  void Begin(std::string_view payload);
  void Continue(std::string_view payload);
  void End(std::string_view record, std::uint64_t end, bool too_long,
           const Sink& sink);
  void Cut();

  const std::size_t max_record_;
  State state_ = State::kHeader;
  std::uint64_t base_ = 0;
  std::string record_;
  std::uint64_t record_begin_ = 0;
  bool in_record_ = false;
  bool record_too_long_ = false;
  bool resumes_ = false;  // what was damaged may be continued: say it once
};

}  // namespace rlrun
