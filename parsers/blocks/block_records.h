// The records of a W&B transaction log (`run-<id>.wandb`): LevelDB's log with
// another header and checksum. Bytes in, as they are appended and in any
// pieces; whole records out.
//
//   3A 57 26 42 E1 BE 00 | crc length type payload | crc length type payload
//   ...
//
// Blocks of 32 KiB count from offset 0, those of wandb-core before 0.17.6 from
// offset 7; a chunk whose checksum is right only there tells. No chunk lies in
// two blocks; the last 6 bytes of a block or less are zero.
// Accepts: FULL, and FIRST MIDDLE* LAST; a record whose end is not there yet
//   waits. A header of zeros: nothing more is in its block.
// Skips (counted): the rest of a block behind a damaged chunk; chunks that
//   continue nothing; records longer than max_record.
// Rejects: a file that begins otherwise; all of it is then passed over.
// Holds at most one chunk and one record. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rlrun {

struct BlockRecord {
  std::string_view bytes;   // valid during the call
  std::uint64_t begin = 0;  // offset in the file of its first chunk
  std::uint64_t end = 0;    // and behind its last one
};

class BlockRecords {
 public:
  using Sink = std::function<void(const BlockRecord&)>;
  static constexpr std::size_t kBlock = 32768;         // bytes
  static constexpr std::size_t kFileHeader = 7;        // bytes
  static constexpr std::size_t kChunkHeader = 7;       // bytes
  static constexpr std::size_t kMaxRecord = 8u << 20;  // bytes
  struct Counts {
    std::uint64_t records = 0;
    std::uint64_t corrupt_blocks = 0;
    std::uint64_t cut_records = 0;  // begun and never ended, or without begin
    std::uint64_t too_long = 0;     // records
    bool operator==(const Counts&) const = default;
  };

  explicit BlockRecords(std::size_t max_record = kMaxRecord)
      : max_record_(max_record) {}

  void Feed(std::string_view bytes, const Sink& sink);

  const Counts& counts() const { return counts_; }
  // The file begins as another kind of file does.
  bool foreign() const { return state_ == State::kForeign; }
  // Offset behind what was understood so far: the next record begins there.
  std::uint64_t complete_end() const { return complete_end_; }
  // Offset at which blocks begin: 0 or 7.
  std::uint64_t base() const { return base_; }
  // Bytes held back, for tests.
  std::size_t held() const { return carry_.size() + record_.size(); }

 private:
  enum class State : std::uint8_t { kHeader, kChunks, kForeign };
  enum class Look : std::uint8_t { kWait, kPadding, kZeros, kChunk, kBad };

  std::size_t Step(std::string_view rest, const Sink& sink);
  std::size_t ReadHeader(std::string_view rest);
  static Look LookAt(std::string_view rest, std::size_t left);
  std::size_t LeftInBlock(std::uint64_t base) const;
  void TakeChunk(std::string_view chunk, const Sink& sink);
  void Begin(std::string_view payload);
  void Continue(std::string_view payload);
  void Cut();

  const std::size_t max_record_;
  State state_ = State::kHeader;
  std::uint64_t base_ = 0;
  std::uint64_t at_ = 0;    // offset of the next byte to look at
  std::uint64_t skip_ = 0;  // bytes from there that are passed over
  std::uint64_t complete_end_ = 0;
  std::string carry_;  // bytes from at_ on that do not suffice yet
  std::string record_;
  std::uint64_t record_begin_ = 0;
  bool in_record_ = false;
  bool record_too_long_ = false;
  bool resumes_ = false;  // what was damaged may be continued: say it once
  Counts counts_;
};

}  // namespace rlrun
