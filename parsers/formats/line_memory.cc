#include "parsers/formats/line_memory.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace rlrun {
namespace {

constexpr std::size_t kFirst = 64;
constexpr std::size_t kRecent = 8192;
constexpr std::size_t kHead = 64;
constexpr std::size_t kBehind = 4096;
constexpr std::size_t kEnds = 64;
// Lines of others that the stream does not bring again.
constexpr std::size_t kMissing = 16;

bool Has(const std::vector<std::uint64_t>& hashes, std::uint64_t hash) {
  return std::find(hashes.begin(), hashes.end(), hash) != hashes.end();
}

}  // namespace

bool LineMemory::IsRepeated(std::size_t type, std::int64_t number,
                            std::string_view body) {
  const std::uint64_t hash =
      std::hash<std::string_view>{}(body) +
      0x9e3779b97f4a7c15u *
          (static_cast<std::uint64_t>(number) * kTypes + type);
  ++lines_;
  if (hash == newest_) {
    if (std::exchange(replaying_, false)) caught_ = 0;
    return true;
  }
  if (recent_.contains(hash) || older_.contains(hash) || Has(first_, hash)) {
    SetReplaying();
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
  behind_.clear();
  caught_.reset();
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

void LineMemory::SetReplaying() {
  if (!std::exchange(replaying_, true)) left_ = lines_;
}

bool LineMemory::IsOld(std::string_view text) {
  ++lines_;
  if (replaying_) {
    if (left_ != 0 && --left_ != 0) return true;
    replaying_ = false;
  }
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  if (caught_ && Catches(hash)) return true;
  if (expected_ > 0) {
    --expected_;
    if (Has(head_, hash)) {
      BeginReplay(hash);
      return true;
    }
  }
  if (head_.size() < kHead) head_.push_back(hash);
  if (behind_.size() < kBehind) behind_.push_back(hash);
  return false;
}

// Behind the newest metric line the same lines come in the same order.
bool LineMemory::Catches(std::uint64_t hash) {
  const auto from = behind_.begin() + static_cast<std::ptrdiff_t>(*caught_);
  const auto end = from + static_cast<std::ptrdiff_t>(
                              std::min(kMissing, behind_.size() - *caught_));
  const auto found = std::find(from, end, hash);
  if (found == end) {
    caught_.reset();
    return false;
  }
  caught_ = static_cast<std::size_t>(found - behind_.begin()) + 1;
  return true;
}

void LineMemory::BeginReplay(std::uint64_t hash) {
  expected_ = 0;
  if (newest_ != 0) return SetReplaying();
  const auto found = std::find(behind_.begin(), behind_.end(), hash);
  caught_ = static_cast<std::size_t>(found - behind_.begin()) +
            (found == behind_.end() ? 0 : 1);
}

bool LineMemory::BeginsAgain(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  if (std::exchange(stream_, hash) != hash) return false;
  ++lines_;
  if (!replaying_) BeginReplay(hash);
  return true;
}

void LineMemory::NoteEnd(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  if (Has(ends_, hash)) return;
  if (ends_.size() < kEnds) ends_.push_back(hash);
  replaying_ = false;
  caught_.reset();
  expected_ = 0;
}

void LineMemory::ExpectReplay() {
  expected_ = kExpected;
  if (replaying_) left_ = lines_;
}

}  // namespace rlrun
