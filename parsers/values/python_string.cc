#include "parsers/values/python_string.h"

#include <cstdint>

namespace rlrun {
namespace {

constexpr std::string_view kQuotes = "'\"";
constexpr std::size_t kLongestPrefix = 2;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool IsQuote(char c) { return kQuotes.find(c) != std::string_view::npos; }

// Letters in front of the quote at the front of `text`; npos: no quote follows
// a prefix of the language.
std::size_t PrefixSize(std::string_view text) {
  for (std::size_t i = 0; i <= kLongestPrefix && i < text.size(); ++i) {
    if (IsQuote(text[i])) {
      return i < 2 || Lower(text[0]) != Lower(text[1]) ? i
                                                       : std::string_view::npos;
    }
    const char c = Lower(text[i]);
    if (c != 'b' && c != 'r' && (c != 'u' || i != 0)) break;
    if (i == 1 && Lower(text[0]) == 'u') break;
  }
  return std::string_view::npos;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void AppendUtf8(std::uint32_t code, std::string* out) {
  if (code >= 0xD800 && code <= 0xDFFF) code = 0xFFFD;
  const auto push = [out](std::uint32_t byte) {
    out->push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      push(0xE0 | code >> 12);
    } else {
      push(0xF0 | code >> 18);
      push(0x80 | (code >> 12 & 0x3F));
    }
    push(0x80 | (code >> 6 & 0x3F));
  }
  push(0x80 | (code & 0x3F));
}

// Value of a one-letter escape, or 0.
char SimpleEscape(char c) {
  constexpr std::string_view kFrom = "\\'\"abfnrtv";
  constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
  const std::size_t at = kFrom.find(c);
  return at == std::string_view::npos ? '\0' : kTo[at];
}

class EscapeReader {
 public:
  EscapeReader(std::string_view text, bool is_bytes, std::string* out)
      : text_(text), is_bytes_(is_bytes), out_(out) {}

  // text[at] is a backslash, and a character follows. The byte behind the
  // escape; *result tells where there is none.
  std::size_t Read(std::size_t at, PyString* result) {
    const char c = text_[at + 1];
    if (c == '\n') return at + 2;
    if (const char simple = SimpleEscape(c); simple != '\0') {
      out_->push_back(simple);
      return at + 2;
    }
    if (c >= '0' && c <= '7') return ReadOctal(at + 1);
    if (c == 'x') return ReadHex(at + 2, 2, result);
    if (!is_bytes_ && c == 'u') return ReadHex(at + 2, 4, result);
    if (!is_bytes_ && c == 'U') return ReadHex(at + 2, 8, result);
    if (!is_bytes_ && c == 'N') {
      result->error = "a character by its name is not read";
      return at;
    }
    out_->push_back('\\');  // and c is taken as it is
    return at + 1;
  }

 private:
  void Put(std::uint32_t code) {
    if (is_bytes_) {
      out_->push_back(static_cast<char>(static_cast<unsigned char>(code)));
    } else {
      AppendUtf8(code, out_);
    }
  }

  std::size_t ReadOctal(std::size_t at) {
    std::uint32_t code = 0;
    const std::size_t end = at + 3;
    for (; at < end && at < text_.size(); ++at) {
      if (text_[at] < '0' || text_[at] > '7') break;
      code = code * 8 + static_cast<std::uint32_t>(text_[at] - '0');
    }
    Put(code);
    return at;
  }

  std::size_t ReadHex(std::size_t at, std::size_t digits, PyString* result) {
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at) {
      if (at == text_.size()) {
        result->cut = true;
        return at;
      }
      const int digit = HexDigit(text_[at]);
      if (digit < 0) {
        result->error = "damaged escape";
        return at;
      }
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    if (code > 0x10FFFF) {
      result->error = "no such character";
    } else {
      Put(code);
    }
    return at;
  }

  std::string_view text_;
  bool is_bytes_;
  std::string* out_;
};

}  // namespace

bool IsPyStringFront(std::string_view text) {
  return PrefixSize(text) != std::string_view::npos;
}

PyString ReadPyString(std::string_view text, std::string* out) {
  PyString result;
  bool is_raw = false;
  std::size_t at = PrefixSize(text);
  for (const char c : text.substr(0, at)) {
    if (Lower(c) == 'b') result.is_bytes = true;
    if (Lower(c) == 'r') is_raw = true;
  }
  const char quote = text[at];
  const bool is_triple =
      text.size() >= at + 3 && text[at + 1] == quote && text[at + 2] == quote;
  const std::string_view close = text.substr(at, is_triple ? 3 : 1);
  at += close.size();
  EscapeReader escapes(text, result.is_bytes, out);
  while (at < text.size() && result.error.empty() && !result.cut) {
    const char c = text[at];
    if (c == quote && text.substr(at).starts_with(close)) {
      result.size = at + close.size();
      return result;
    }
    if (c == '\n' && !is_triple) {
      result.error = "line end inside a string";
    } else if (c != '\\') {
      out->push_back(c);
      ++at;
    } else if (at + 1 == text.size()) {
      break;
    } else if (is_raw) {
      out->append(text, at, 2);
      at += 2;
    } else {
      at = escapes.Read(at, &result);
    }
  }
  result.size = at;
  if (result.error.empty()) result.cut = true;
  return result;
}

}  // namespace rlrun
