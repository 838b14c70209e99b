#include "parsers/lines/line_splitter.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rlrun {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Both live on the stack of Feed, so that a thousand idle sources cost nothing.
constexpr std::size_t kSliceBytes = 4096;
constexpr std::size_t kBatchLines = 256;
// A tail that needed more than this gives its memory back.
constexpr std::size_t kKeptTailBytes = std::size_t{64} << 10;

std::size_t CountLeadingNuls(std::string_view bytes) {
  std::size_t i = 0;
  for (std::uint64_t word; i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, bytes.data() + i, sizeof word);
    if (word != 0) break;
  }
  while (i < bytes.size() && bytes[i] == '\0') ++i;
  return i;
}

}  // namespace

class LineSplitter::Batch {
 public:
  explicit Batch(const Sink& sink) : sink_(sink) {}
  void Add(const Line& line) {
    lines_[size_++] = line;
    if (size_ == kBatchLines) Flush();
  }
  void Flush() {
    if (size_ != 0) sink_(std::span<const Line>(lines_.data(), size_));
    size_ = 0;
  }

 private:
  const Sink& sink_;
  std::array<Line, kBatchLines> lines_;
  std::size_t size_ = 0;
};

void LineSplitter::Feed(std::string_view chunk, const Sink& sink) {
  if (chunk.empty()) return;
  std::size_t begin = 0;
  if (after_cr_ && chunk[0] == '\n') {
    begin = 1;
    continues_ = false;
  }
  after_cr_ = false;
  Batch batch(sink);
  std::array<std::uint32_t, kSliceBytes> hits;
  for (std::size_t slice = 0; slice < chunk.size(); slice += kSliceBytes) {
    const std::size_t slice_end = std::min(slice + kSliceBytes, chunk.size());
    const std::size_t count =
        Scan(level_, chunk, slice, slice_end, hits.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = slice + hits[i];
      const char c = chunk[at];
      if (c == '\0') {
        has_nul_ = true;
      } else if (c == ':') {
        has_step_ = true;
      } else if (at >= begin) {  // else the LF of a CRLF
        begin = EndLine(chunk, begin, at, &batch);
      }
    }
  }
  if (begin < chunk.size()) {
    Hold(chunk.substr(begin), offset_ + begin);
    partial_ = true;
  }
  has_nul_ = has_step_ = false;
  batch.Flush();
  offset_ += chunk.size();
}

void LineSplitter::Reset(std::uint64_t offset) {
  ReleaseTail();
  offset_ = offset;
  partial_ = skipping_ = has_nul_ = has_step_ = after_cr_ = continues_ = false;
}

// Ends the line chunk[begin, end); returns where the next one begins.
std::size_t LineSplitter::EndLine(std::string_view chunk, std::size_t begin,
                                  std::size_t end, Batch* batch) {
  std::size_t next = end + 1;
  bool lone_cr = false;
  if (chunk[end] == '\r') {
    if (next == chunk.size()) {
      after_cr_ = lone_cr = true;
    } else if (chunk[next] == '\n') {
      ++next;
    } else {
      lone_cr = true;
    }
  }
  std::string_view text = chunk.substr(begin, end - begin);
  std::uint64_t offset = offset_ + begin;
  bool copied = partial_;
  if (!copied && has_nul_) {
    const std::size_t nuls = CountLeadingNuls(text);
    text.remove_prefix(nuls);
    offset += nuls;
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    copied = text.find('\0') != std::string_view::npos;
  }
  if (copied) {
    Hold(text, offset);
    text = tail_;
    offset = tail_.empty() ? offset_ + end : tail_offset_;
    has_step_ = text.find("step:") != std::string_view::npos;
  }
  const bool too_long = skipping_ || text.size() > max_line_bytes_;
  if (too_long) {
    ++too_long_;
  } else {
    Give(text, offset, offset_ + next, copied, batch);
  }
  if (copied) ReleaseTail();
  partial_ = skipping_ = has_nul_ = has_step_ = false;
  // Nobody knows the prefix of a line whose front was skipped.
  continues_ = lone_cr && !too_long;
  return next;
}

void LineSplitter::Give(std::string_view text, std::uint64_t offset,
                        std::uint64_t end_offset, bool copied, Batch* batch) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  batch->Add({text, offset, end_offset, has_step_, continues_});
  if (copied) batch->Flush();  // the copy is reused
}

// Appends `bytes`, which stand at `offset`, to the tail.
void LineSplitter::Hold(std::string_view bytes, std::uint64_t offset) {
  while (!skipping_) {
    const std::size_t nuls = CountLeadingNuls(bytes);
    bytes.remove_prefix(nuls);
    offset += nuls;
    if (bytes.empty()) return;
    const std::string_view run = bytes.substr(0, bytes.find('\0'));
    if (run.size() > max_line_bytes_ - tail_.size()) {
      skipping_ = true;
      ReleaseTail();
      return;
    }
    if (tail_.empty()) tail_offset_ = offset;
    tail_.append(run);
    bytes.remove_prefix(run.size());
    offset += run.size();
  }
}

void LineSplitter::ReleaseTail() {
  tail_.clear();
  if (tail_.capacity() > kKeptTailBytes) tail_.shrink_to_fit();
}

}  // namespace rlrun
