// SniffFormat and MakeLogFormat of log_format.h.
#include <algorithm>

#include "parsers/formats/log_format.h"
#include "parsers/formats/verl_console.h"
#include "parsers/formats/verl_jsonl.h"

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;

std::string_view Skip(std::string_view text, std::string_view bytes) {
  text.remove_prefix(std::min(text.find_first_not_of(bytes), text.size()));
  return text;
}

// True: `text` goes on with "name" and a colon; they are taken away.
bool TakeName(std::string_view name, std::string_view* text) {
  std::string_view rest = *text;
  if (!rest.starts_with('"')) return false;
  rest.remove_prefix(1);
  if (!rest.starts_with(name)) return false;
  rest.remove_prefix(name.size());
  if (!rest.starts_with('"')) return false;
  rest = Skip(rest.substr(1), " \t");
  if (!rest.starts_with(':')) return false;
  *text = Skip(rest.substr(1), " \t");
  return true;
}

}  // namespace

FormatKind SniffFormat(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kEmpty = " \t\r\n\0"sv;
  head = Skip(head, kEmpty);
  if (head.starts_with(kByteOrderMark)) {
    head = Skip(head.substr(kByteOrderMark.size()), kEmpty);
  }
  // The line may be longer than the head: its end is not needed.
  std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  if (!line.starts_with('{')) return FormatKind::kVerlConsole;
  line = Skip(line.substr(1), " \t");
  if (TakeName("data", &line)) {
    return line.starts_with('{') ? FormatKind::kVerlJsonl
                                 : FormatKind::kVerlConsole;
  }
  if (!TakeName("step", &line)) return FormatKind::kVerlConsole;
  const std::size_t comma = line.find(',');
  if (comma == kNowhere || comma == 0) return FormatKind::kVerlConsole;
  if (line.find_first_not_of("0123456789.e+ ") != comma) {
    return FormatKind::kVerlConsole;
  }
  return line.find("\"data\"", comma) != kNowhere ? FormatKind::kVerlJsonl
                                                  : FormatKind::kVerlConsole;
}

std::unique_ptr<LogFormat> MakeLogFormat(FormatKind kind) {
  if (kind == FormatKind::kVerlJsonl) return std::make_unique<VerlJsonl>();
  return std::make_unique<VerlConsole>();
}

}  // namespace rlrun
