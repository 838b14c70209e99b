#include "exporter/report/plain_text.h"

#include <algorithm>
#include <cstdint>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

constexpr std::size_t kLeastFence = 3;

std::uint32_t CodePoint(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
             (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

// C0, DEL, C1, line and paragraph separator.
bool IsControl(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

// Soft hyphen, Arabic letter mark, zero-width characters and marks of
// direction, embeddings and overrides, invisible operators and isolates, the
// byte order mark, tags.
bool HidesText(std::uint32_t c) {
  return c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

std::size_t LongestRun(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

bool BeginsMarkup(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (c == '_') {  // not inside a word
    return i == 0 || i + 1 == text.size() || !IsWordByte(text[i - 1]) ||
           !IsWordByte(text[i + 1]);
  }
  // `://` and `www.` become links in some dialects.
  return std::string_view("\\`*[]<>#|~&@$!").find(c) !=
             std::string_view::npos ||
         text.substr(i).starts_with("://") ||
         (i >= 3 && text.substr(i - 3, 4) == "www.");
}

}  // namespace

std::string PlainText(std::string_view text, std::string_view control) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t invalid = 0;
    const std::size_t size = Utf8SequenceLength(text, &invalid);
    const std::string_view sequence = text.substr(0, size);
    const std::uint32_t c = size == 0 ? 0xFFFD : CodePoint(sequence);
    if (size == 0 || HidesText(c)) {
      out += "\xEF\xBF\xBD";
    } else if (IsControl(c)) {
      out += control;
    } else {
      out += sequence;
    }
    text.remove_prefix(size == 0 ? invalid : size);
  }
  return out;
}

std::string PlainFront(std::string_view text, std::size_t size) {
  std::string out = PlainText(text);
  if (out.size() <= size) return out;
  while (size > 0 && (static_cast<unsigned char>(out[size]) & 0xC0) == 0x80) {
    --size;
  }
  out.resize(size);
  return out + "...";
}

std::string MarkdownText(std::string_view text) {
  const std::string plain = PlainText(text);
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (BeginsMarkup(plain, i)) out += '\\';
    out += plain[i];
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string plain = PlainText(text);
  const std::string ticks(LongestRun(plain, '`') + 1, '`');
  // A blank between the ticks and a backtick at an end; a reader drops it.
  const bool pads = plain.empty() || plain.front() == '`' ||
                    plain.back() == '`' ||
                    (plain.front() == ' ' && plain.back() == ' ');
  const std::string_view pad = pads ? " " : "";
  return ticks + std::string(pad) + plain + std::string(pad) + ticks;
}

std::string MarkdownFence(std::string_view block) {
  return std::string(std::max(kLeastFence, LongestRun(block, '~') + 1), '~') +
         "\n";
}

}  // namespace rlrun
