#include "parsers/blocks/whole_records.h"

#include <algorithm>

namespace rlrun {
namespace {

// So many zeros are no end of a record. Bytes.
constexpr std::size_t kUnwritten = 64;

}  // namespace

std::size_t WholeRecords::Feed(std::string_view bytes, const Sink& sink) {
  damaged_ = false;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    std::size_t used = 0;
    if (skip_ != 0) {
      used =
          static_cast<std::size_t>(std::min<std::uint64_t>(skip_, rest.size()));
      skip_ -= used;
    } else {
      used = Step(rest, sink);
    }
    if (used == 0) break;
    rest.remove_prefix(used);
    at_ += used;
  }
  return bytes.size() - rest.size();
}

void WholeRecords::PassDamage() {
  if (!damaged_) return;
  damaged_ = false;
  passed_ = at_;
  if (damage_counts_) ++counts_.damaged;
}

bool WholeRecords::Passes(std::string_view rest, std::size_t size,
                          bool counts) {
  if (passed_ == at_) return true;
  const std::size_t written = SizeWithoutZeros(rest);
  const bool unwritten = written <= size && rest.size() - written >= kUnwritten;
  damaged_ = !unwritten;
  damage_counts_ = counts;
  return false;
}

std::size_t SizeWithoutZeros(std::string_view bytes) {
  return bytes.find_last_not_of('\0') + 1;  // npos + 1 is 0
}

}  // namespace rlrun
