// One number or constant of python source -> its value.
//
//   -1e-06   1_000   0x1f   nan   -inf   True   None   set()   np.float64(0.5)
//
// Accepts: what the line shows; one sign, directly in front of a number.
// Rejects: complex numbers, other names and calls, `007`, `1__0`.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

struct PyScalar {
  enum class Kind : std::uint8_t { kNone, kBool, kInt, kBigInt, kFloat, kSet };

  Kind kind = Kind::kNone;
  std::int64_t integer = 0;     // kInt, kBool
  double real = 0;              // kFloat; kBigInt: nearest to the integer
  std::size_t size = 0;         // bytes of source
  bool touches_end = false;     // more of it might follow behind the text
  std::string_view error = {};  // static text; empty: none
};

// The scalar at the front of `text`.
PyScalar ReadPyScalar(std::string_view text);

}  // namespace rlrun
