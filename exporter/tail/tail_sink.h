// Where a Tailer puts the text it reads. Implemented by whoever splits it into
// lines or records. Called on the thread that polls, inside Tailer::Poll.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

// Why the text that comes next does not continue the text before it.
enum class RestartReason : std::uint8_t {
  kRotated,    // another file took the path; the old one, which lives on under
               // another name, was read to its end first
  kTruncated,  // the same file got shorter or was written anew
  kReplaced,   // the path now holds another file that does not continue the
               // old one, and the old one is deleted or out of reach
};

class TailSink {
 public:
  virtual ~TailSink() = default;
  // The next bytes: `offset` is that of bytes[0] in the current file. Without a
  // Restart in between, `offset` is where the last bytes ended that were taken.
  // Returns how many of them are: those behind are not read yet, they come
  // again, as they are then, together with what follows. The view lives until
  // the call returns.
  virtual std::size_t Text(std::uint64_t offset, std::string_view bytes) = 0;
  // The next Text begins at offset 0. A line that has no end yet never gets
  // one: drop it.
  virtual void Restart(RestartReason reason) = 0;
};

}  // namespace rlrun
