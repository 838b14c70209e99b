#include "exporter/process/proc_text.h"

#include <charconv>

namespace rlrun {
namespace {

std::string_view NextField(std::string_view* text) {
  const std::size_t begin = text->find_first_not_of(" \n");
  text->remove_prefix(begin == std::string_view::npos ? text->size() : begin);
  const std::string_view field = text->substr(0, text->find_first_of(" \n"));
  text->remove_prefix(field.size());
  return field;
}

template <typename Number>
bool ToNumber(std::string_view text, Number* value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

}  // namespace

std::optional<PidStat> ParsePidStat(std::string_view text) {
  // The name may hold anything, so fields are counted from its last bracket.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) {
    return std::nullopt;
  }
  PidStat stat;
  stat.comm = std::string(text.substr(open + 1, close - open - 1));
  text.remove_prefix(close + 1);
  for (int field = 3; field <= 22; ++field) {
    const std::string_view value = NextField(&text);
    bool good = !value.empty();
    if (field == 3 && good) stat.state = value[0];
    if (field == 4) good = ToNumber(value, &stat.parent);
    if (field == 5) good = ToNumber(value, &stat.group);
    if (field == 6) good = ToNumber(value, &stat.session);
    if (field == 22) good = ToNumber(value, &stat.start_ticks);
    if (!good) return std::nullopt;
  }
  return stat;
}

std::optional<std::uint64_t> ParseBtime(std::string_view text) {
  constexpr std::string_view kName = "btime ";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(kName)) {
      std::uint64_t value = 0;
      if (!ToNumber(line.substr(kName.size()), &value)) return std::nullopt;
      return value;
    }
    text.remove_prefix(line.size());
    if (!text.empty()) text.remove_prefix(1);
  }
  return std::nullopt;
}

std::vector<std::string> SplitArguments(std::string_view text, bool cut) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    if (end == text.npos && cut) break;
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  while (!arguments.empty() && arguments.back().empty()) arguments.pop_back();
  return arguments;
}

std::optional<std::string> FindVariable(std::string_view environment,
                                        std::string_view name, bool cut) {
  while (!environment.empty()) {
    const std::size_t end = environment.find('\0');
    if (end == environment.npos && cut) break;
    const std::string_view entry = environment.substr(0, end);
    if (entry.size() > name.size() && entry.starts_with(name) &&
        entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
    if (end == environment.npos) break;
    environment.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace rlrun
