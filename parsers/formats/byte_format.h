// The small interface behind which the input formats live that are no lines of
// text: appended bytes in, facts out. One object per source file.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "parsers/model/log_facts.h"

namespace rlrun {

class ByteFormat {
 public:
  virtual ~ByteFormat() = default;

  // `wandb_file`, `event_file`.
  virtual std::string_view name() const = 0;

  // The next bytes of the source, in any pieces, beginning at its first one.
  // Appends what they say to *facts and counts each record once, as if it were
  // a line. Never throws on any input; never keeps a view into `bytes`.
  virtual void Feed(std::string_view bytes, LogFacts* facts) = 0;

  // The facts are about to be taken: adds what may still get company.
  virtual void Finish(LogFacts* /*facts*/) {}

  // Offset behind what was understood so far.
  virtual std::uint64_t complete_end() const = 0;
};

enum class ByteKind { kWandbFile, kEventFile };

std::unique_ptr<ByteFormat> MakeByteFormat(ByteKind kind);

}  // namespace rlrun
