// Bytes in, in chunks of any size; whole lines out, in batches. A line that
// lies inside one chunk is not copied; of the rest only the unterminated tail
// is held, and it is never given out: whether it ever ends is not known.
// What a line says is left to parsers/lines/payload.h and parsers/formats.
//
//   "a\r\n" "bar 1\rbar 2\r" "\0\0\0step:1 - x:1\n" "half a li"
//
// Accepts: LF, CRLF and a lone CR as terminators. A CR ends its line at once;
//   an LF right behind it, even in the next chunk, belongs to it.
// Ignores: NUL bytes, wherever they stand (a writer that does not append leaves
//   a hole of them behind a truncation; it costs neither memory nor length),
//   and one UTF-8 byte order mark in front of a line. No other byte is touched.
// Rejects: lines of more than `max_line_bytes` (NULs not counted): skipped up
//   to their terminator and counted; memory stays below twice the limit.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "parsers/lines/line.h"
#include "parsers/lines/scan.h"

namespace rlrun {

class LineSplitter {
 public:
  // Takes at least one line, in the order of the source. The lines' text lives
  // until it returns. Must not call the splitter.
  using Sink = std::function<void(std::span<const Line>)>;

  static constexpr std::size_t kDefaultMaxLineBytes = std::size_t{1} << 20;

  explicit LineSplitter(std::size_t max_line_bytes = kDefaultMaxLineBytes,
                        ScanLevel level = BestScanLevel())
      : max_line_bytes_(max_line_bytes), level_(level) {}

  // `chunk` is what follows the last chunk in the source. A line's `offset` is
  // that of its first byte that is no NUL; its `end_offset` lies behind its
  // terminator (behind the CR alone while the LF of a CRLF has not come yet).
  void Feed(std::string_view chunk, const Sink& sink);

  // The next chunk does not follow the last one (truncation, rotation, another
  // file) and begins at `offset`: the tail is forgotten, nothing of it is glued
  // to what comes. The counts stay.
  void Reset(std::uint64_t offset = 0);

  // Of the next byte to feed.
  std::uint64_t offset() const { return offset_; }
  // True: the source does not end with a terminator so far.
  bool has_tail() const { return partial_; }
  // Bytes held of the tail.
  std::size_t held_bytes() const { return tail_.size(); }
  // Lines skipped because of their length, since construction.
  std::uint64_t too_long_lines() const { return too_long_; }

 private:
  class Batch;

  std::size_t EndLine(std::string_view chunk, std::size_t begin,
                      std::size_t end, Batch* batch);
  void Give(std::string_view text, std::uint64_t offset,
            std::uint64_t end_offset, bool copied, Batch* batch);
  void Hold(std::string_view bytes, std::uint64_t offset);
  void ReleaseTail();

  std::size_t max_line_bytes_;
  ScanLevel level_;
  std::uint64_t offset_ = 0;  // of the chunk in the source
  std::uint64_t too_long_ = 0;
  std::string tail_;  // of the unterminated line, without NULs
  std::uint64_t tail_offset_ = 0;
  bool partial_ = false;    // bytes of the current line came in older chunks
  bool skipping_ = false;   // the current line is too long already
  bool has_nul_ = false;    // of the current line, in this chunk
  bool has_step_ = false;   // of the current line, in this chunk
  bool after_cr_ = false;   // the last byte was a CR: an LF belongs to it
  bool continues_ = false;  // the current line follows a lone CR
};

}  // namespace rlrun
