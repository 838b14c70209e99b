#include "exporter/tail/text_cursor.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace rlrun {
namespace {

// Large enough that a backlog costs few calls, small enough for the second
// level cache, which the line scanner then reads from.
constexpr std::size_t kBuffer = 256u << 10;
static_assert(kBuffer > TextMark::kHead && kBuffer > 2 * TextMark::kTail);

char* Buffer() {
  thread_local const auto buffer =
      std::make_unique_for_overwrite<char[]>(kBuffer);
  return buffer.get();
}

// Reads until `size` bytes are there, the file ends or a read fails.
IoStatus ReadFully(OpenFile& file, std::uint64_t offset, char* buffer,
                   std::size_t size, std::size_t* got) {
  *got = 0;
  while (*got < size) {
    std::size_t n = 0;
    const IoStatus status =
        file.Read(offset + *got, buffer + *got, size - *got, &n);
    if (!status.ok()) return status;
    if (n == 0) break;
    *got += n;
  }
  return IoStatus::Ok();
}

}  // namespace

void TextCursor::Clear() {
  offset_ = 0;
  refused_ = 0;
  mark_.Clear();
}

TextCursor::Match TextCursor::CompareHead(OpenFile& file,
                                          IoStatus* status) const {
  std::size_t got = 0;
  *status = ReadFully(file, 0, Buffer(), mark_.head_size(), &got);
  if (!status->ok()) return Match::kFailed;
  return mark_.HeadIs({Buffer(), got}) ? Match::kSame : Match::kOther;
}

TextCursor::Match TextCursor::Compare(OpenFile& file, IoStatus* status) const {
  if (!mark_.tail_is_all()) {
    const Match head = CompareHead(file, status);
    if (head != Match::kSame) return head;
  }
  std::size_t got = 0;
  *status = ReadFully(file, offset_ - mark_.tail_size(), Buffer(),
                      mark_.tail_size(), &got);
  if (!status->ok()) return Match::kFailed;
  if (mark_.TailIs({Buffer(), got})) return Match::kSame;
  return got < mark_.tail_size() && mark_.head_size() == TextMark::kHead
             ? Match::kShorter
             : Match::kOther;
}

TextCursor::Result TextCursor::Read(OpenFile& file, std::uint64_t limit,
                                    bool check_head, std::size_t* budget,
                                    TailSink* sink, IoStatus* status) {
  if (check_head && !mark_.tail_is_all()) {
    const Match head = CompareHead(file, status);
    if (head == Match::kFailed) return Result::kFailed;
    if (head == Match::kOther) return Result::kChanged;
  }
  char* const buffer = Buffer();
  bool most = false;  // the budget was too small for the sink to take any
  do {
    const std::size_t tail = mark_.tail_size();
    std::uint64_t want = limit > offset_ ? limit - offset_ : 0;
    want = std::min<std::uint64_t>(want, kBuffer - tail);
    const bool all = most || want <= *budget;
    if (!all) want = *budget;
    std::size_t got = 0;
    *status = ReadFully(file, offset_ - tail, buffer,
                        tail + static_cast<std::size_t>(want), &got);
    if (!mark_.TailIs({buffer, std::min(got, tail)})) {
      return status->ok() ? Result::kChanged : Result::kFailed;
    }
    const std::string_view text(buffer + tail, got - tail);
    std::size_t taken = 0;
    if (!text.empty()) {
      taken = sink->Text(offset_, text);
      mark_.Append(text.substr(0, taken));
      offset_ += taken;
      *budget -= std::min(taken, *budget);
    }
    refused_ = text.size() - taken;
    if (!status->ok()) return Result::kFailed;
    if (text.size() < want) break;  // the file got shorter meanwhile
    if (taken == 0 && all) break;   // it needs something that is not there
    most = taken == 0 && !text.empty();
  } while (offset_ < limit && (*budget > 0 || most));
  return Result::kRead;
}

}  // namespace rlrun
