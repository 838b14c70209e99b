// What the readers of recorded metrics share: the bytes of a file in, as they
// are appended; whole records out. What is not whole is not taken, so that it
// is looked at again as it is then: a page that is not written yet looks like
// damage, and may be any moment.
//
// A damaged place is passed over when the caller says so, who has a clock.
// Zeros as far as the file is shown are no damage, and neither is what reaches
// into them: nobody has written there yet.
// Holds no bytes of its own; a record must fit into what is shown at once.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace rlrun {

struct RecordBytes {
  std::string_view bytes;   // valid during the call
  std::uint64_t begin = 0;  // offset in the file of its first byte
  std::uint64_t end = 0;    // and behind its last one, checksums included
};

class WholeRecords {
 public:
  using Sink = std::function<void(const RecordBytes&)>;
  struct Counts {
    std::uint64_t records = 0;
    std::uint64_t damaged = 0;   // places that were passed over
    std::uint64_t cut = 0;       // records begun and never ended, or no begin
    std::uint64_t too_long = 0;  // records
    bool operator==(const Counts&) const = default;
    std::uint64_t all() const { return records + damaged + cut + too_long; }
  };

  virtual ~WholeRecords() = default;

  // `bytes`: of the file, from those on that were not taken yet. Returns how
  // many of them are taken; the others are to be shown again, with more.
  std::size_t Feed(std::string_view bytes, const Sink& sink);

  // What was not taken is damaged, and the file goes on behind it or ends.
  bool damaged() const { return damaged_; }
  // It stays so: it is counted, and passed over as soon as there is something
  // behind it.
  void PassDamage();

  const Counts& counts() const { return counts_; }
  // Offset behind what was understood so far: the next record begins there.
  std::uint64_t complete_end() const { return complete_end_; }

 protected:
  // Bytes at the front of `rest`, which is not empty, that are done with; 0: it
  // is to be shown again.
  virtual std::size_t Step(std::string_view rest, const Sink& sink) = 0;
  // `size` bytes at the front of `rest` are no record: whether to pass them
  // over.
  bool Passes(std::string_view rest, std::size_t size, bool counts = true);
  void Give(std::string_view bytes, std::uint64_t begin, std::uint64_t end,
            const Sink& sink) {
    ++counts_.records;
    sink({bytes, begin, end});
  }

  std::uint64_t at_ = 0;    // offset of the next byte to look at
  std::uint64_t skip_ = 0;  // bytes from there that are passed over
  std::uint64_t complete_end_ = 0;
  std::optional<std::uint64_t> passed_;  // offset of a place that Passes
  Counts counts_;

 private:
  bool damaged_ = false;
  bool damage_counts_ = false;
};

// Length of `bytes` without the zeros at its end.
std::size_t SizeWithoutZeros(std::string_view bytes);

}  // namespace rlrun
