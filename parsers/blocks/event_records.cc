#include "parsers/blocks/event_records.h"

#include <algorithm>

#include "parsers/blocks/crc32.h"
#include "parsers/blocks/little_endian.h"

namespace rlrun {
namespace {

// A checksum that fits by chance, or a writer gone mad: no event is that long.
constexpr std::uint64_t kInsane = std::uint64_t{1} << 40;  // bytes

// `bytes` and the masked checksum behind its first `size` bytes.
bool Fits(std::string_view bytes, std::size_t size) {
  return MaskCrc(Crc32c(bytes.substr(0, size))) ==
         LoadLittleEndian<std::uint32_t>(bytes.substr(size));
}

bool IsHeader(std::string_view bytes) {
  return Fits(bytes, 8) && LoadLittleEndian<std::uint64_t>(bytes) < kInsane;
}

}  // namespace

void EventRecords::Feed(std::string_view bytes, const Sink& sink) {
  const bool carries = !carry_.empty();
  if (carries) carry_.append(bytes);
  std::string_view rest = carries ? std::string_view(carry_) : bytes;
  for (;;) {
    const std::uint64_t skipped = std::min<std::uint64_t>(skip_, rest.size());
    rest.remove_prefix(skipped);
    skip_ -= skipped;
    at_ += skipped;
    if (rest.empty()) break;
    const std::size_t used = Step(rest, sink);
    if (used == 0) break;
    rest.remove_prefix(used);
    at_ += used;
  }
  if (carries) {
    carry_.erase(0, carry_.size() - rest.size());
  } else {
    carry_.assign(rest);
  }
}

// Bytes of `rest` that are done with; 0: more is needed.
std::size_t EventRecords::Step(std::string_view rest, const Sink& sink) {
  if (rest.size() < kHeader) return 0;
  if (!IsHeader(rest)) {
    if (!seeks_) ++counts_.damaged;
    seeks_ = true;
    std::size_t i = 1;
    while (i + kHeader <= rest.size() && !IsHeader(rest.substr(i))) ++i;
    return i;
  }
  seeks_ = false;
  const std::uint64_t size = LoadLittleEndian<std::uint64_t>(rest);
  const std::uint64_t whole = kHeader + size + kFooter;
  if (size > max_record_) {
    ++counts_.too_long;
    skip_ = whole - kHeader;
    complete_end_ = at_ + whole;
    return kHeader;
  }
  if (rest.size() < whole) return 0;
  if (Fits(rest.substr(kHeader), size)) {
    ++counts_.records;
    sink({rest.substr(kHeader, size), at_, at_ + whole});
  } else {
    ++counts_.damaged;
  }
  complete_end_ = at_ + whole;
  return whole;
}

}  // namespace rlrun
