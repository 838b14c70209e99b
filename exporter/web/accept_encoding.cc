#include "exporter/web/accept_encoding.h"

#include <charconv>
#include <optional>
#include <string>

namespace rlrun {
namespace {

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Cuts the part before `separator` off *rest.
std::string_view Cut(std::string_view* rest, char separator) {
  const std::size_t at = rest->find(separator);
  const std::string_view part = rest->substr(0, at);
  *rest = at == rest->npos ? std::string_view() : rest->substr(at + 1);
  return Trim(part);
}

// True: the parameters allow it. `q=0.5`; no q means 1.
bool IsAllowed(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string parameter = Lower(Cut(&parameters, ';'));
    if (!parameter.starts_with("q=")) continue;
    double q = 0;
    const char* end = parameter.data() + parameter.size();
    const auto result =
        std::from_chars(parameter.data() + 2, end, q, std::chars_format::fixed);
    return result.ec == std::errc() && result.ptr == end && q > 0 && q <= 1;
  }
  return true;
}

}  // namespace

bool AcceptsGzip(std::string_view header) {
  std::optional<bool> named;
  std::optional<bool> any;
  while (!header.empty()) {
    std::string_view item = Cut(&header, ',');
    const std::string coding = Lower(Cut(&item, ';'));
    if (coding == "gzip" || coding == "x-gzip") named = IsAllowed(item);
    if (coding == "*") any = IsAllowed(item);
  }
  return named.value_or(any.value_or(false));
}

}  // namespace rlrun
