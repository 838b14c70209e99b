#include "tests/notify/shorten.h"

#include <algorithm>
#include <charconv>

namespace rlrun::notify {
namespace {

std::string WithPlaces(std::string line, const Places& places) {
  for (const auto& [from, to] : places) {
    for (std::size_t at = line.find(from); at != std::string::npos;
         at = line.find(from, at + to.size())) {
      line.replace(at, from.size(), to);
    }
  }
  return line;
}

// `    key: value`, or the first key of a list's element.
std::string WithDuration(const std::string& line) {
  const std::size_t key = line.find_first_not_of(" -");
  const std::size_t colon = line.find(": ");
  if (key == std::string::npos || colon == std::string::npos || colon < key) {
    return line;
  }
  const std::string_view name = std::string_view(line).substr(key, colon - key);
  if (std::count(std::begin(kDurationKeys), std::end(kDurationKeys), name) ==
      0) {
    return line;
  }
  const auto duration = ShortDuration(std::string_view(line).substr(colon + 2));
  return duration ? line.substr(0, colon + 2) + *duration : line;
}

}  // namespace

std::optional<long> DurationSeconds(std::string_view text) {
  long number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr + 1 != end || number < 0) {
    return std::nullopt;
  }
  switch (*result.ptr) {
    case 's':
      return number;
    case 'm':
      return number * 60;
    case 'h':
      return number * 3600;
    case 'd':
      return number * 86400;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> ShortDuration(std::string_view text) {
  const std::optional<long> seconds = DurationSeconds(text);
  if (!seconds) return std::nullopt;
  return std::to_string(std::max(1L, *seconds / 60)) + "s";
}

std::string Shorten(std::string_view text, const Places& places) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] != '#') {
      line = WithDuration(WithPlaces(std::move(line), places));
    }
    out += line + "\n";
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

}  // namespace rlrun::notify
