// The records of a TFRecord file, as TensorBoard's event files are. How they
// are read: whole_records.h.
//
//   length(8) masked-crc32c(length) payload masked-crc32c(payload) | length ...
//
// Accepts: records whose checksums are right; one whose end is not there yet
//   waits.
// Passes over (counted): a record whose payload is damaged; records longer than
//   max_record; behind a damaged length everything up to the next length with
//   the right checksum.
// Holds nothing. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/blocks/whole_records.h"

namespace rlrun {

class EventRecords : public WholeRecords {
 public:
  static constexpr std::size_t kHeader = 12;             // bytes
  static constexpr std::size_t kFooter = 4;              // bytes
  static constexpr std::size_t kMaxRecord = 128u << 10;  // bytes

  explicit EventRecords(std::size_t max_record = kMaxRecord)
      : max_record_(max_record) {}

 private:
  std::size_t Step(std::string_view rest, const Sink& sink) override;
  std::size_t Seek(std::string_view rest);

  const std::size_t max_record_;
};

}  // namespace rlrun
