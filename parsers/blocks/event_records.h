// The records of a TFRecord file, as TensorBoard's event files are. Bytes in,
// as they are appended and in any pieces; whole records out.
//
//   length(8) masked-crc32c(length) payload masked-crc32c(payload) | length ...
//
// Accepts: records whose checksums are right; one whose end is not there yet
//   waits.
// Skips (counted): a record whose payload is damaged; records longer than
//   max_record; behind a damaged length everything up to the next length with
//   the right checksum.
// Holds at most one record. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rlrun {

struct EventBytes {
  std::string_view bytes;   // valid during the call
  std::uint64_t begin = 0;  // offset in the file of its length
  std::uint64_t end = 0;    // and behind its last checksum
};

class EventRecords {
 public:
  using Sink = std::function<void(const EventBytes&)>;
  static constexpr std::size_t kHeader = 12;           // bytes
  static constexpr std::size_t kFooter = 4;            // bytes
  static constexpr std::size_t kMaxRecord = 1u << 20;  // bytes
  struct Counts {
    std::uint64_t records = 0;
    std::uint64_t damaged = 0;   // places, however long
    std::uint64_t too_long = 0;  // records
    bool operator==(const Counts&) const = default;
  };

  explicit EventRecords(std::size_t max_record = kMaxRecord)
      : max_record_(max_record) {}

  void Feed(std::string_view bytes, const Sink& sink);

  const Counts& counts() const { return counts_; }
  // Offset behind what was understood so far: the next record begins there.
  std::uint64_t complete_end() const { return complete_end_; }
  // Bytes held back, for tests.
  std::size_t held() const { return carry_.size(); }

 private:
  std::size_t Step(std::string_view rest, const Sink& sink);

  const std::size_t max_record_;
  std::uint64_t at_ = 0;    // offset of the next byte to look at
  std::uint64_t skip_ = 0;  // bytes from there that are passed over
  std::uint64_t complete_end_ = 0;
  bool seeks_ = false;  // a length was damaged, the next one is sought
  std::string carry_;   // bytes from at_ on that do not suffice yet
  Counts counts_;
};

}  // namespace rlrun
