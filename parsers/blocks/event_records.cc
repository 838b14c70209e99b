#include "parsers/blocks/event_records.h"

#include "parsers/blocks/crc32.h"
#include "parsers/blocks/little_endian.h"

namespace rlrun {
namespace {

// A checksum that fits by chance, or a writer gone mad: no event is that long.
constexpr std::uint64_t kInsane = std::uint64_t{1} << 40;  // bytes
// So much without a record is not going to be one.
constexpr std::size_t kJunk = std::size_t{64} << 10;  // bytes

// `bytes` and the masked checksum behind its first `size` bytes.
bool Fits(std::string_view bytes, std::size_t size) {
  return MaskCrc(Crc32c(bytes.substr(0, size))) ==
         LoadLittleEndian<std::uint32_t>(bytes.substr(size));
}

bool IsHeader(std::string_view bytes) {
  return Fits(bytes, 8) && LoadLittleEndian<std::uint64_t>(bytes) < kInsane;
}

}  // namespace

std::size_t EventRecords::Step(std::string_view rest, const Sink& sink) {
  if (rest.size() < kHeader) return 0;
  if (!IsHeader(rest)) return Passes(rest, kHeader) ? Seek(rest) : 0;
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
    Give(rest.substr(kHeader, size), at_, at_ + whole, sink);
  } else if (!Passes(rest, whole) || rest.size() == whole) {
    return 0;
  } else {
    passed_ = at_ + whole;  // what is damaged behind it is of the same place
  }
  complete_end_ = at_ + whole;
  return whole;
}

// To the next length; as long as none is to be seen, little is given up.
std::size_t EventRecords::Seek(std::string_view rest) {
  for (std::size_t i = 1; i + kHeader <= rest.size(); ++i) {
    if (IsHeader(rest.substr(i))) return i;
  }
  const std::size_t written = SizeWithoutZeros(rest);
  if (written < kJunk) return 0;
  passed_ = at_ + written - kHeader;  // it is one place
  return written - kHeader;
}

}  // namespace rlrun
