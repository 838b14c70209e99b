#include "exporter/web/framing.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rlrun {
namespace {

bool IsNamed(std::string_view line, std::string_view lower_name) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return line.size() > lower_name.size() && line[lower_name.size()] == ':' &&
         std::equal(lower_name.begin(), lower_name.end(), line.begin(),
                    [&](char a, char b) { return a == lower(b); });
}

// Digits with blanks around them.
std::optional<std::size_t> ParseLength(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) {
    return std::nullopt;
  }
  return value;
}

Frame Refused(int status) {
  Frame frame;
  frame.status = status;
  return frame;
}

std::string_view Reason(int status) {
  switch (status) {
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Bad Request";
  }
}

}  // namespace

std::string RefusalText(int status) {
  const std::string line =
      std::to_string(status) + " " + std::string(Reason(status));
  return "HTTP/1.1 " + line +
         "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(line.size() + 1) +
         "\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n" +
         line + "\n";
}

Frame ParseFrame(std::string_view input, const FrameLimits& limits) {
  Frame frame;
  std::optional<std::size_t> length;
  for (std::size_t begin = 0;;) {
    const std::size_t end = input.find('\n', begin);
    if (end == input.npos || end >= limits.max_head_bytes) {
      const bool too_long =
          end != input.npos || input.size() >= limits.max_head_bytes;
      return Refused(too_long ? 431 : 0);
    }
    if (end == begin || input[end - 1] != '\r') return Refused(400);
    const std::string_view line = input.substr(begin, end - 1 - begin);
    const std::string_view whole = input.substr(begin, end + 1 - begin);
    const bool first = begin == 0;
    begin = end + 1;
    if (line.empty()) {
      if (first) return Refused(400);
      frame.head.append(whole);
      frame.size = begin;
      break;
    }
    if (!first && (line[0] == ' ' || line[0] == '\t')) return Refused(400);
    if (!first && IsNamed(line, "transfer-encoding")) return Refused(411);
    if (!first && IsNamed(line, "content-length")) {
      const auto value = ParseLength(line.substr(line.find(':') + 1));
      if (!value || length) return Refused(400);
      length = value;
    }
    if (first || (!IsNamed(line, "range") && !IsNamed(line, "expect"))) {
      frame.head.append(whole);
    }
  }
  const std::size_t body = length.value_or(0);
  if (body > limits.max_body_bytes) return Refused(413);
  if (input.size() - frame.size < body) return {};
  frame.size += body;
  frame.status = 200;
  return frame;
}

}  // namespace rlrun
