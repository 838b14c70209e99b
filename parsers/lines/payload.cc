#include "parsers/lines/payload.h"

#include <array>

#include "parsers/lines/front.h"

namespace rlrun {
namespace {

constexpr char kEscape = '\x1b';
// Longest prefix that is looked for: host names and actor names are shorter.
constexpr std::size_t kMaxPrefixBytes = 300;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool Within(char c, char low, char high) { return c >= low && c <= high; }

std::size_t CountDigits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  return n;
}

constexpr std::string_view kPid = "pid=";

// The digits of the `pid=N` that `text` ends with; empty: it does not.
std::string_view TrailingPid(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  if (!text.substr(0, begin).ends_with(kPid)) return {};
  return text.substr(begin);
}

// Letters, digits and `_`: what actors are called; with `.`, `-` and `:` also
// hosts.
constexpr std::array<bool, 256> NameBytes(bool of_hosts) {
  std::array<bool, 256> bytes{};
  for (int c = 'a'; c <= 'z'; ++c) bytes[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) bytes[static_cast<std::size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) bytes[static_cast<std::size_t>(c)] = true;
  bytes['_'] = true;
  if (of_hosts) bytes['.'] = bytes['-'] = bytes[':'] = true;
  return bytes;
}
constexpr std::array<bool, 256> kActorByte = NameBytes(false);
constexpr std::array<bool, 256> kHostByte = NameBytes(true);

// ParseActorPrefix of nearly all prefixes, read in one go; 0: it takes a closer
// look. Millions of lines pass here.
inline std::size_t ParsePlainPrefix(std::string_view text,
                                    ActorPrefix* prefix) {
  text = text.substr(0, kMaxPrefixBytes);
  std::size_t at = 1;
  const auto skip = [&](const std::array<bool, 256>& bytes) {
    const std::size_t begin = at;
    while (at < text.size() && bytes[static_cast<unsigned char>(text[at])]) {
      ++at;
    }
    return text.substr(begin, at - begin);
  };
  const std::string_view actor = skip(kActorByte);
  if (actor.empty() || !HasFront(text.substr(at), " pid=")) return 0;
  at += 5;
  const std::size_t digits = CountDigits(text.substr(at));
  if (digits == 0) return 0;
  const std::string_view pid = text.substr(at, digits);
  at += digits;
  std::string_view ip;
  if (HasFront(text.substr(at), ", ip=")) {
    at += 5;
    ip = skip(kHostByte);
  }
  if (at == text.size() || text[at] != ')') return 0;
  *prefix = {actor, pid, ip};
  return at + 1;
}

// Bytes of one foreign token at the front of `text`; 0: none.
std::size_t FrontTokenSize(std::string_view text) {
  if (text.starts_with("[pod/")) {
    const std::size_t end = text.find("] ");
    return end == std::string_view::npos ? 0 : end + 2;
  }
  const std::size_t digits = CountDigits(text);
  if (digits == 0 || digits == text.size()) return 0;
  if (digits == 4 && text[4] == '-' && text.size() > 11 && text[10] == 'T') {
    const std::size_t end = text.find(' ');
    return end == std::string_view::npos ? 0 : end + 1;
  }
  return text[digits] == ':' || text[digits] == '-' ? digits + 1 : 0;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t EscapeSize(std::string_view text) {
  if (text.size() < 2) return 1;
  std::size_t i = 2;
  if (text[1] == '[') {
    while (i < text.size() && Within(text[i], ' ', '?')) ++i;
    return i < text.size() && Within(text[i], '@', '~') ? i + 1 : 1;
  }
  if (text[1] == ']') {
    for (; i < text.size(); ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == kEscape) {
        return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : 1;
      }
    }
    return 1;
  }
  if (Within(text[1], ' ', '/')) {
    return i < text.size() && Within(text[i], '0', '~') ? 3 : 1;
  }
  return Within(text[1], '7', '_') || text[1] == 'c' ? 2 : 1;
}

std::string_view StripEscapes(std::string_view text, std::string* scratch) {
  std::size_t escape = text.find(kEscape);
  if (escape == std::string_view::npos) return text;
  scratch->clear();
  while (escape != std::string_view::npos) {
    scratch->append(text.substr(0, escape));
    text.remove_prefix(escape);
    text.remove_prefix(EscapeSize(text));
    escape = text.find(kEscape);
  }
  scratch->append(text);
  return *scratch;
}

std::size_t ParseActorPrefix(std::string_view text, ActorPrefix* prefix) {
  if (!text.starts_with('(')) return 0;
  const std::size_t plain = ParsePlainPrefix(text, prefix);
  if (plain != 0) return plain;
  const std::size_t close = text.substr(0, kMaxPrefixBytes).find(')');
  if (close == std::string_view::npos) return 0;
  // Read from the right: an actor may be called anything.
  std::string_view rest = text.substr(1, close - 1);
  std::string_view ip;
  std::string_view pid = TrailingPid(rest);
  if (pid.empty()) {
    constexpr std::string_view kIp = ", ip=";
    const std::size_t at = rest.rfind(kIp);
    if (at == std::string_view::npos) return 0;
    ip = rest.substr(at + kIp.size());
    rest = rest.substr(0, at);
    pid = TrailingPid(rest);
    if (pid.empty()) return 0;
  }
  rest.remove_suffix(kPid.size() + pid.size());
  std::string_view actor;
  if (!rest.empty()) {
    if (rest.back() != ' ') return 0;
    actor = TrimBlanks(rest);
    if (actor.find('(') != std::string_view::npos) return 0;
  }
  *prefix = {actor, pid, ip};
  return close + 1;
}

std::string_view SkipPrefixes(std::string_view text, ActorPrefix* outermost) {
  *outermost = {};
  while (!text.empty()) {
    const char c = text.front();
    std::size_t skip = 0;
    if (IsBlank(c)) {
      skip = 1;
    } else if (HasFront(text, "\x1b[36m")) {  // Ray's colour, and its end
      skip = 5;
    } else if (HasFront(text, "\x1b[0m")) {
      skip = 4;
    } else if (c == kEscape) {
      skip = EscapeSize(text);
    } else if (c == '(') {
      ActorPrefix inner;
      skip = ParseActorPrefix(text, outermost->present() ? &inner : outermost);
    }
    if (skip == 0) break;
    text.remove_prefix(skip);
  }
  return text;
}

std::string_view SkipFrontAndPrefixes(std::string_view text,
                                      ActorPrefix* outermost) {
  const std::string_view plain = SkipPrefixes(text, outermost);
  if (outermost->present()) return plain;
  std::string_view rest = plain;
  // Few tools are chained: a grep over a collected file is two tokens.
  for (int tokens = 0; tokens < 4; ++tokens) {
    const std::size_t size = FrontTokenSize(rest);
    if (size == 0) break;
    rest = SkipPrefixes(rest.substr(size), outermost);
    if (outermost->present()) return rest;
  }
  return plain;
}

std::string_view DropRepeatedSuffix(std::string_view text) {
  constexpr std::string_view kOpen = "[repeated ";
  // Most lines have none, and searching forward is many times faster.
  if (text.find(kOpen) == std::string_view::npos) return text;
  constexpr std::string_view kMark = "x across cluster]";
  const std::size_t mark = text.rfind(kMark);
  if (mark == std::string_view::npos) return text;
  const std::size_t open = text.rfind(kOpen, mark);
  if (open == std::string_view::npos) return text;
  const std::string_view count =
      text.substr(open + kOpen.size(), mark - open - kOpen.size());
  if (count.empty() || CountDigits(count) != count.size()) return text;
  return TrimBlanks(text.substr(0, open));
}

}  // namespace rlrun
