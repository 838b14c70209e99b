#include "parsers/values/python_number.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "parsers/values/number.h"

namespace rlrun {
namespace {

using Kind = PyScalar::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsSign(char c) { return c == '-' || c == '+'; }

bool HasBase(std::string_view token) {
  return token.size() >= 2 && token[0] == '0' &&
         std::string_view("xXoObB").find(token[1]) != std::string_view::npos;
}

// Bytes of the word or number without its sign.
std::size_t TokenSize(std::string_view text) {
  const bool may_have_exponent =
      !text.empty() && (IsDigit(text[0]) || text[0] == '.') && !HasBase(text);
  std::size_t i = 0;
  while (i < text.size()) {
    const bool is_exponent_sign = may_have_exponent && IsSign(text[i]) &&
                                  i != 0 &&
                                  (text[i - 1] == 'e' || text[i - 1] == 'E');
    if (!IsWordByte(text[i]) && text[i] != '.' && !is_exponent_sign) break;
    ++i;
  }
  return i;
}

// Without its `_`, each of which must stand between two digits (or behind a
// base); nothing: one does not.
std::optional<std::string> WithoutUnderscores(std::string_view token) {
  const bool has_base = HasBase(token);
  const auto is_digit = [&](std::size_t i) {
    return IsDigit(token[i]) ||
           (has_base && token[i] != '_' && IsWordByte(token[i]));
  };
  std::string clean;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '_') {
      clean += token[i];
    } else if (i == 0 || i + 1 == token.size() || !is_digit(i - 1) ||
               !is_digit(i + 1)) {
      return std::nullopt;
    }
  }
  return clean;
}

// `digits` of base 2, 8, 10 or 16.
bool ReadInteger(std::string_view digits, int base, bool negative,
                 PyScalar* scalar) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (result.ptr != end || digits.empty()) return false;
  constexpr auto kMax =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (result.ec == std::errc() && value <= kMax + (negative ? 1u : 0u)) {
    scalar->kind = Kind::kInt;
    scalar->integer = static_cast<std::int64_t>(negative ? 0 - value : value);
    return true;
  }
  scalar->kind = Kind::kBigInt;
  double real = 0;
  if (base == 10) {
    real = ParseNumber(digits).value_or(0);
  } else {
    for (const char c : digits) {
      const int digit = IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
      real = real * base + digit;
    }
  }
  scalar->real = negative ? -real : real;
  return true;
}

bool ReadNumber(std::string_view token, bool negative, PyScalar* scalar) {
  const auto clean = WithoutUnderscores(token);
  if (!clean) return false;
  if (HasBase(*clean)) {
    const char c = static_cast<char>((*clean)[1] | 0x20);
    return ReadInteger(std::string_view(*clean).substr(2),
                       c == 'x'   ? 16
                       : c == 'o' ? 8
                                  : 2,
                       negative, scalar);
  }
  if (clean->find_first_of(".eE") == std::string::npos) {
    const bool is_zero = clean->find_first_not_of('0') == std::string::npos;
    if ((*clean)[0] == '0' && !is_zero) return false;
    return ReadInteger(*clean, 10, negative, scalar);
  }
  const auto value = ParseNumber(*clean);
  if (!value) return false;
  scalar->kind = Kind::kFloat;
  scalar->real = negative ? -*value : *value;
  return true;
}

// `word` without a sign.
bool ReadWord(std::string_view word, bool has_sign, bool negative,
              PyScalar* scalar) {
  if (word == "nan" || word == "inf") {
    scalar->kind = Kind::kFloat;
    scalar->real = word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity();
    if (negative) scalar->real = -scalar->real;
    return true;
  }
  if (has_sign) return false;
  if (word == "True" || word == "False") {
    scalar->kind = Kind::kBool;
    scalar->integer = word == "True" ? 1 : 0;
    return true;
  }
  scalar->kind = Kind::kNone;
  return word == "None";
}

// `text` is NAME(...: a wrapped number, or the empty set.
bool ReadCall(std::string_view text, PyScalar* scalar) {
  constexpr std::string_view kEmptySet = "set()";
  if (text.starts_with(kEmptySet)) {
    scalar->kind = Kind::kSet;
    scalar->size = kEmptySet.size();
    return true;
  }
  const NumberFront front = ParseNumberFront(text);
  scalar->kind = Kind::kFloat;
  scalar->real = front.value;
  scalar->size = front.size;
  // A call that is cut is no wrong one.
  scalar->touches_end = text.find(')') == std::string_view::npos;
  return front.size != 0;
}

}  // namespace

PyScalar ReadPyScalar(std::string_view text) {
  PyScalar scalar;
  const bool has_sign = !text.empty() && IsSign(text[0]);
  const bool negative = has_sign && text[0] == '-';
  const std::string_view rest = text.substr(has_sign ? 1 : 0);
  const std::size_t size = TokenSize(rest);
  const std::string_view token = rest.substr(0, size);
  scalar.size = size + (has_sign ? 1 : 0);
  scalar.touches_end = scalar.size == text.size();
  const bool is_number =
      size != 0 && (IsDigit(token[0]) || (token[0] == '.' && size > 1));
  const bool is_call =
      !is_number && size != 0 && size < rest.size() && rest[size] == '(';
  const bool ok = is_number ? ReadNumber(token, negative, &scalar)
                  : is_call ? !has_sign && ReadCall(text, &scalar)
                            : ReadWord(token, has_sign, negative, &scalar);
  if (!ok) {
    scalar.error = is_number  ? "no number"
                   : is_call  ? "a call"
                   : size > 0 ? "unknown name"
                              : "no value";
  }
  return scalar;
}

}  // namespace rlrun
