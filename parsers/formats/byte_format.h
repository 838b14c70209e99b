// The small interface behind which the input formats live that are no lines of
// text: appended bytes in, facts out. One object per source file.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "parsers/blocks/whole_records.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

class ByteFormat {
 public:
  virtual ~ByteFormat() = default;

  // `wandb_file`, `event_file`.
  virtual std::string_view name() const = 0;

  // The bytes of the source, from those on that were not taken yet. Appends
  // what they say to *facts and counts each record once, as if it were a line.
  // Returns how many of them are taken; the others are to be shown again, with
  // more. Never throws on any input; never keeps a view into `bytes`.
  std::size_t Feed(std::string_view bytes, LogFacts* facts);

  // What was not taken is damaged, or not written yet; whole_records.h.
  bool damaged() { return records().damaged(); }
  // It stays as it is: it is passed over when bytes are shown next.
  void PassDamage() { records().PassDamage(); }

  // The facts are about to be taken: adds what may still get company.
  virtual void Finish(LogFacts* /*facts*/) {}

  // Offset behind what was understood so far.
  std::uint64_t complete_end() { return records().complete_end(); }
  const WholeRecords::Counts& counts() { return records().counts(); }

 private:
  virtual WholeRecords& records() = 0;
  virtual LineOutcome TakeRecord(const RecordBytes& record,
                                 LogFacts* facts) = 0;

  WholeRecords::Counts counted_;  // so far in facts
};

// Unix seconds that a clock may show; milliseconds and NaN are none.
constexpr bool IsClockTime(double seconds) {
  return seconds > 0 && seconds < 1e11;
}

enum class ByteKind { kWandbFile, kEventFile };

std::unique_ptr<ByteFormat> MakeByteFormat(ByteKind kind);

}  // namespace rlrun
