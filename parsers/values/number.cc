#include "parsers/values/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace rlrun {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsWordByte(char c) {
  return IsDigit(c) || IsLower(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Word {
  std::string_view text;
  double value;
  bool may_have_sign;
};
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<Word, 7> kWords = {{{"nan", kNan, true},
                                         {"inf", kInf, true},
                                         {"True", 1, false},
                                         {"False", 0, false},
                                         {"NaN", kNan, true},
                                         {"Infinity", kInf, true},
                                         {"Inf", kInf, true}}};

NumberFront ParseWord(std::string_view text, bool has_sign) {
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    const std::size_t size = word.text.size();
    if (has_sign && !word.may_have_sign) continue;
    // An upper-case letter may begin text that was glued behind: `nanEpoch`.
    if (size < text.size() && IsWordByte(text[size]) &&
        (text[size] < 'A' || text[size] > 'Z')) {
      continue;
    }
    return {word.value, size, 0};
  }
  return {};
}

// The digits, point and exponent at the front of a text, and what they say as
// mantissa * 10^exponent, where the mantissa is exact: up to kExactDigits.
struct Decimal {
  std::uint64_t mantissa = 0;
  std::int64_t digits = 0;    // significant ones
  std::int64_t exponent = 0;  // of ten
  // Decimal exponent of the first significant digit, for the range.
  std::int64_t magnitude = 0;
  std::size_t size = 0;  // bytes; 0: no number
  std::uint8_t decimals = 0;
};

constexpr int kExactDigits = 19;  // any 19 digits fit into 64 bits

std::size_t ScanExponent(std::string_view text, std::size_t at,
                         std::int64_t* exponent) {
  if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t i = at + 1;
  const bool negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i == text.size() || !IsDigit(text[i])) return at;
  std::int64_t value = 0;
  for (; i < text.size() && IsDigit(text[i]); ++i) {
    if (value < 100'000'000) value = value * 10 + (text[i] - '0');
  }
  *exponent = negative ? -value : value;
  return i;
}

// Digits at text[i..]: *mantissa goes on with them. It may wrap around; it
// counts only where digits <= kExactDigits.
std::size_t ScanDigits(std::string_view text, std::size_t i,
                       std::uint64_t* mantissa) {
  for (; i < text.size() && IsDigit(text[i]); ++i) {
    *mantissa = *mantissa * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return i;
}

// Zeros in front of the first significant digit of `text`, which has digits
// and at most one point.
std::size_t CountLeadingZeros(std::string_view text) {
  std::size_t zeros = 0;
  for (const char c : text) {
    if (c == '0') ++zeros;
    if (c != '0' && c != '.') break;
  }
  return zeros;
}

Decimal ScanDecimal(std::string_view text) {
  Decimal d;
  const std::size_t point = ScanDigits(text, 0, &d.mantissa);
  std::size_t end = point;
  std::size_t scale = 0;  // digits behind the point
  if (point < text.size() && text[point] == '.') {
    end = ScanDigits(text, point + 1, &d.mantissa);
    scale = end - point - 1;
  }
  if (point + scale == 0) return {};
  d.digits = static_cast<std::int64_t>(point + scale -
                                       CountLeadingZeros(text.substr(0, end)));
  std::int64_t exponent = 0;
  d.size = ScanExponent(text, end, &exponent);
  d.decimals =
      d.size != end
          ? std::uint8_t{255}
          : static_cast<std::uint8_t>(std::min<std::size_t>(scale, 254));
  d.exponent = exponent - static_cast<std::int64_t>(scale);
  d.magnitude = d.exponent + d.digits - 1;
  return d;
}

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kMaxExactInteger = std::uint64_t{1} << 53;

// `text` without a sign.
NumberFront ParseDecimal(std::string_view text) {
  const Decimal d = ScanDecimal(text);
  if (d.size == 0) return {};
  if (d.digits == 0) return {0.0, d.size, d.decimals};
  // Both operands are exact, so the one rounding of the operation is the right
  // one (Clinger's fast path).
  if (d.digits <= kExactDigits && d.mantissa <= kMaxExactInteger &&
      d.exponent >= -22 && d.exponent <= 22) {
    const double mantissa = static_cast<double>(d.mantissa);
    const auto power =
        static_cast<std::size_t>(d.exponent < 0 ? -d.exponent : d.exponent);
    return {d.exponent < 0 ? mantissa / kPowersOfTen[power]
                           : mantissa * kPowersOfTen[power],
            d.size, d.decimals};
  }
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + d.size, value);
  if (result.ec == std::errc::result_out_of_range) {
    value = d.magnitude > 0 ? kInf : 0.0;
  }
  return {value, d.size, d.decimals};
}

// A bare number: sign, then decimal or word.
NumberFront ParseBare(std::string_view text) {
  if (text.empty()) return {};
  const bool has_sign = text[0] == '-' || text[0] == '+';
  const std::string_view rest = text.substr(has_sign ? 1 : 0);
  if (rest.empty()) return {};
  NumberFront front = IsDigit(rest[0]) || rest[0] == '.'
                          ? ParseDecimal(rest)
                          : ParseWord(rest, has_sign);
  if (front.size == 0) return {};
  if (has_sign) ++front.size;
  if (text[0] == '-') front.value = -front.value;
  return front;
}

NumberFront ParseQuoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) {
    return ParseBare(text);
  }
  const NumberFront inner = ParseBare(text.substr(1));
  if (inner.size == 0) return {};
  const std::size_t close = inner.size + 1;
  if (close == text.size() || text[close] != text[0]) return {};
  return {inner.value, close + 1, inner.decimals};
}

// Bytes of `NAME(` or `NAME.NAME(` at the front; 0: none.
std::size_t WrapperSize(std::string_view text) {
  if (text.empty() || !IsWordByte(text[0]) || IsDigit(text[0])) return 0;
  std::size_t i = 0;
  while (i < text.size() && (IsWordByte(text[i]) || text[i] == '.')) ++i;
  return i < text.size() && text[i] == '(' ? i + 1 : 0;
}

}  // namespace

NumberFront ParseNumberFront(std::string_view text) {
  const NumberFront plain = ParseQuoted(text);
  if (plain.size != 0) return plain;
  const std::size_t open = WrapperSize(text);
  if (open == 0) return {};
  const NumberFront inner = ParseQuoted(text.substr(open));
  if (inner.size == 0) return {};
  const std::size_t close = open + inner.size;
  if (close == text.size() || text[close] != ')') return {};
  return {inner.value, close + 1, inner.decimals};
}

std::optional<double> ParseNumber(std::string_view text) {
  const NumberFront front = ParseNumberFront(text);
  if (front.size == 0 || front.size != text.size()) return std::nullopt;
  return front.value;
}

}  // namespace rlrun
