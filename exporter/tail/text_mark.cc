#include "exporter/tail/text_mark.h"

#include <algorithm>
#include <cstring>

namespace rlrun {

std::uint64_t TextMark::Hash(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

void TextMark::Append(std::string_view bytes) {
  length_ += bytes.size();
  const std::string_view head = bytes.substr(0, kHead - head_size_);
  hash_ = Hash(hash_, head);
  head_size_ += head.size();

  if (bytes.size() >= kTail) {
    std::memcpy(tail_.data(), bytes.data() + bytes.size() - kTail, kTail);
    tail_size_ = kTail;
    return;
  }
  const std::size_t kept = std::min(tail_size_, kTail - bytes.size());
  std::memmove(tail_.data(), tail_.data() + tail_size_ - kept, kept);
  if (!bytes.empty()) {
    std::memcpy(tail_.data() + kept, bytes.data(), bytes.size());
  }
  tail_size_ = kept + bytes.size();
}

bool TextMark::HeadIs(std::string_view bytes) const {
  return bytes.size() == head_size_ && Hash(kBasis, bytes) == hash_;
}

}  // namespace rlrun
