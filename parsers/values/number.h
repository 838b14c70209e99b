// Numbers as trainers print them: python and numpy `repr`, fixed decimals, and
// the words for what is no number. Locale-free. What may stand around a number
// is left to the caller.
//
//   0.5  1e-06  1.  -.02  +3  nan  -inf  True  np.float64(0.5)
//   np.longdouble('1.0')  tensor(0.5)  '1.678e+04'
//
// Accepts: an optional sign, then decimal digits with an optional point (a
// digit
//   on at least one side) and exponent; nan NaN inf Inf Infinity (signed);
//   True = 1, False = 0; any of these in `NAME(...)` or `NAME.NAME(...)`, and
//   in single or double quotes.
// Rejects: hexadecimal, `_` and `,` inside numbers, blanks inside, a word that
// a
//   letter, digit or `_` continues (`nano`), an open parenthesis or quote.
// A value is the double nearest to its text; beyond the range of a double it is
// what python makes of it: +-inf, or +-0.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rlrun {

// The number that is the whole of `text`.
std::optional<double> ParseNumber(std::string_view text);

struct NumberFront {
  double value = 0;
  std::size_t size = 0;  // bytes of the number; 0: there is none
  // Digits behind its point, up to 254; 0: no point, or a word; 255: it has an
  // exponent.
  std::uint8_t decimals = 0;
};

// The longest number at the front of `text`. Whether what stands behind it has
// damaged it is for the caller to judge: `1.2.3` gives 1.2, `12abc` gives 12.
NumberFront ParseNumberFront(std::string_view text);

}  // namespace rlrun
