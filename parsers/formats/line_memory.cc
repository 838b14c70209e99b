#include "parsers/formats/line_memory.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rlrun {
namespace {

constexpr std::size_t kFirst = 64;
constexpr std::size_t kRecent = 8192;

}  // namespace

bool LineMemory::IsRepeated(std::size_t type, std::int64_t number,
                            std::string_view body) {
  const std::uint64_t hash =
      std::hash<std::string_view>{}(body) +
      0x9e3779b97f4a7c15u *
          (static_cast<std::uint64_t>(number) * kTypes + type);
  if (hash == newest_) {
    replaying_ = false;
    return true;
  }
  const bool known =
      recent_.contains(hash) || older_.contains(hash) ||
      std::find(first_.begin(), first_.end(), hash) != first_.end();
  if (known) {
    replaying_ = true;
    return true;
  }
  if (replaying_ && number <= forgotten_[type]) return true;
  replaying_ = false;
  Remember(type, number, hash);
  return false;
}

void LineMemory::Remember(std::size_t type, std::int64_t number,
                          std::uint64_t hash) {
  newest_ = hash;
  if (first_.size() < kFirst) {
    first_.push_back(hash);
    return;
  }
  if (recent_.size() == kRecent) {
    for (std::size_t t = 0; t < kTypes; ++t) {
      forgotten_[t] = std::max(forgotten_[t], in_older_[t]);
    }
    older_ = std::exchange(recent_, {});
    in_older_ = std::exchange(in_recent_, None());
  }
  recent_.insert(hash);
  in_recent_[type] = std::max(in_recent_[type], number);
}

}  // namespace rlrun
