// A place in a text: how far it was read, and the mark to recognise what is
// before that place. Reading and checking are one: every read begins at the
// kept last bytes, so a text that was exchanged under us is noticed by the read
// itself. Knows no paths and no rotation.
// Not thread-safe. Reads through one buffer per thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exporter/tail/file_source.h"
#include "exporter/tail/tail_sink.h"
#include "exporter/tail/text_mark.h"

namespace rlrun {

class TextCursor {
 public:
  enum class Match {
    kSame,     // the file holds our text up to offset()
    kShorter,  // it begins like our text, but ends before offset()
    kOther,
    kFailed,  // it could not be read: nothing is known
  };
  enum class Result {
    kRead,     // up to the limit, the end of the file or the budget
    kChanged,  // the file does not hold our text any more
    kFailed,   // not readable; what came before the failure was delivered
  };

  std::uint64_t offset() const { return offset_; }
  // Behind offset(), bytes that the sink was shown last and did not take.
  std::size_t refused() const { return refused_; }
  void Clear();

  // At most two reads of 1 KiB.
  Match Compare(OpenFile& file, IoStatus* status) const;

  // Reads [offset(), limit) to `sink`, at most *budget bytes, which it takes
  // off; more where the sink needs more to take any. The text before offset()
  // is checked even if nothing is left to read; its first bytes only with
  // `check_head`.
  Result Read(OpenFile& file, std::uint64_t limit, bool check_head,
              std::size_t* budget, TailSink* sink, IoStatus* status);

 private:
  Match CompareHead(OpenFile& file, IoStatus* status) const;

  std::uint64_t offset_ = 0;
  std::size_t refused_ = 0;
  TextMark mark_;
};

}  // namespace rlrun
