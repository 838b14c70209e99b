#include "parsers/formats/leveled_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parsers/lines/payload.h"

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::size_t kMaxHead = 160;  // bytes of one bracket or place

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

constexpr std::array<std::pair<std::string_view, Severity>, 7> kLevels = {{
    {"DEBUG", Severity::kInfo},
    {"INFO", Severity::kInfo},
    {"WARN", Severity::kWarning},
    {"WARNING", Severity::kWarning},
    {"ERROR", Severity::kError},
    {"CRITICAL", Severity::kError},
    {"FATAL", Severity::kError},
}};

Severity LevelOf(std::string_view word) {
  for (const auto& [name, severity] : kLevels) {
    if (word == name) return severity;
  }
  return Severity::kUnknown;
}

Severity LevelOfLetter(char c) {
  switch (c) {
    case 'I':
      return Severity::kInfo;
    case 'W':
      return Severity::kWarning;
    case 'E':
    case 'F':
    case 'C':
      return Severity::kError;
    default:
      return Severity::kUnknown;
  }
}

std::size_t UpperSize(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && n < 10 && IsUpper(text[n])) ++n;
  return n;
}

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

bool IsYear(std::string_view text) {
  return text.size() > 19 && IsDigit(text[0]) && IsDigit(text[3]) &&
         text[4] == '-' && text[7] == '-';
}

class Peeler {
 public:
  explicit Peeler(std::string_view payload) { out_.message = payload; }

  LeveledText Run() {
    constexpr int kMaxHeads = 5;
    for (int i = 0; i < kMaxHeads && PeelOne(); ++i) {
    }
    return out_;
  }

 private:
  bool PeelOne() {
    if (out_.message.empty()) return false;
    const char c = out_.message.front();
    if (c == '[') return PeelBracket();
    if (c == '(') return PeelRaylet();
    // Nothing is peeled behind these two.
    if (IsUpper(c)) PeelLevel();
    if (IsDigit(c)) PeelDated();
    return false;
  }

  void Advance(std::size_t size) {
    out_.message = SkipBlanks(out_.message.substr(size));
  }

  bool PeelRaylet() {
    if (!out_.message.starts_with("(raylet")) return false;
    const std::size_t close = out_.message.substr(0, kMaxHead).find(')');
    if (close == kNowhere) return false;
    ActorPrefix ignored;
    out_.message = SkipPrefixes(out_.message.substr(close + 1), &ignored);
    out_.is_raylet = true;
    return true;
  }

  bool PeelBracket() {
    const std::string_view text = out_.message;
    const std::size_t close = text.substr(0, kMaxHead).find(']');
    if (close == kNowhere || close < 2) return false;
    const std::string_view inside = text.substr(1, close - 1);
    if (inside.starts_with("rank") || inside.starts_with("Rank ")) {
      Advance(close + (text.substr(close + 1).starts_with(':') ? 2 : 1));
      return true;
    }
    if (IsYear(inside)) {
      is_dated_ = true;
      if (inside.size() > 25 && inside[23] == ' ') {
        out_.severity = LevelOfLetter(inside[24]);  // `,mmm E pid tid`
      }
      Advance(close + 1);
      SkipPlace();
      return true;
    }
    if (is_dated_) {
      if (LevelOf(inside) != Severity::kUnknown) {
        out_.severity = LevelOf(inside);
      } else if (out_.severity != Severity::kUnknown) {
        return false;
      }
      Advance(close + 1);
      if (out_.message.starts_with("- ")) Advance(2);
      return true;
    }
    const bool glog = LevelOfLetter(inside[0]) != Severity::kUnknown &&
                      (IsDigit(inside[1]) || inside[1] == ' ') &&
                      inside.find(".cpp:") != kNowhere;
    if (!glog) return false;
    out_.severity = LevelOfLetter(inside[0]);
    Advance(close + 1);
    return true;
  }

  // `file.cc:123: ` in front of a message.
  void SkipPlace() {
    const std::string_view head = out_.message.substr(0, kMaxHead);
    const std::size_t at = head.find(".cc:");
    if (at == kNowhere) return;
    const std::size_t end = head.find(": ", at + 4);
    if (end != kNowhere) Advance(end + 2);
  }

  bool PeelLevel() {
    const std::string_view text = out_.message;
    const std::size_t size = UpperSize(text);
    const Severity level = LevelOf(text.substr(0, size));
    if (level == Severity::kUnknown || size == text.size()) return false;
    constexpr std::size_t kDateBytes = 15;  // `MM-DD HH:MM:SS `
    std::string_view rest = text.substr(size + 1);
    if (text[size] == ' ' && rest.size() > kDateBytes && rest[2] == '-') {
      out_.severity = level;
      Advance(size + 1 + kDateBytes);
      const std::size_t close = out_.message.substr(0, kMaxHead).find("] ");
      if (close != kNowhere) Advance(close + 2);
      return true;
    }
    if (text[size] != ':') return false;
    out_.severity = level;
    std::size_t skip = size + 1;
    if (IsYear(rest)) {
      const std::size_t end = rest.find(':', 19);
      if (end != kNowhere) skip += end + 1;
    } else if (!rest.starts_with(' ')) {
      const std::size_t name = rest.substr(0, kMaxHead).find(':');
      if (name != kNowhere && rest.find(' ') > name) skip += name + 1;
    }
    Advance(skip);
    return true;
  }

  // `2026-07-16 18:50:59,111 - ERROR - name - text`, `... ERROR file -- text`.
  bool PeelDated() {
    if (!IsYear(out_.message)) return false;
    const std::string_view head = out_.message.substr(0, kMaxHead);
    std::size_t at = 19;
    while (at < head.size() && !IsUpper(head[at])) ++at;
    const std::size_t size = UpperSize(head.substr(at));
    const Severity level = LevelOf(head.substr(at, size));
    if (level == Severity::kUnknown) return false;
    out_.severity = level;
    std::size_t end = head.find(" -- ", at);
    std::size_t mark = 4;
    if (end == kNowhere) {
      end = head.find(" - ", at + size + 1);
      mark = 3;
    }
    Advance(end == kNowhere ? at + size : end + mark);
    return true;
  }

  LeveledText out_;
  bool is_dated_ = false;
};

}  // namespace

LeveledText ParseLeveledText(std::string_view payload) {
  return Peeler(payload).Run();
}

}  // namespace rlrun
