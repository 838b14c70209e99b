// What is remembered of the text before an offset, to recognise it again: a
// hash of its first bytes and its last bytes verbatim. Two texts that agree in
// both are taken for the same text.
// Plain value; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

class TextMark {
 public:
  static constexpr std::size_t kHead = 1024;  // bytes
  static constexpr std::size_t kTail = 256;   // bytes

  // The text got longer by `bytes`.
  void Append(std::string_view bytes);
  void Clear() { *this = {}; }

  // Bytes that the hash covers: min(length, kHead).
  std::size_t head_size() const { return head_size_; }
  // Bytes kept of the end: min(length, kTail).
  std::size_t tail_size() const { return tail_size_; }
  std::string_view tail() const { return {tail_.data(), tail_size_}; }
  // The last bytes are the whole text: there is no head to look at.
  bool tail_is_all() const { return length_ <= kTail; }

  // `bytes`: head_size() bytes from offset 0 of some text.
  bool HeadIs(std::string_view bytes) const;
  bool TailIs(std::string_view bytes) const { return bytes == tail(); }

 private:
  std::uint64_t length_ = 0;
  std::uint64_t hash_ = kBasis;
  std::size_t head_size_ = 0;
  std::size_t tail_size_ = 0;
  std::array<char, kTail> tail_;

  // FNV-1a, which grows byte by byte.
  static constexpr std::uint64_t kBasis = 14695981039346656037u;
  static std::uint64_t Hash(std::uint64_t hash, std::string_view bytes);
};

}  // namespace rlrun
