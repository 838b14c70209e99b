// One quoted string of python source -> its characters. What may stand around
// strings, and that neighbours are one string, is left to python_literal.
//
//   'it\'s \u00e9'   r'C:\temp'   b"\x00"
//
// Accepts: the prefixes b, r, u, br, rb in any case; single and tripled quotes;
//   every escape of python but \N{..}; an unknown escape stays as it is.
// Rejects: f-strings, a line end inside single quotes, damaged escapes.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlrun {

struct PyString {
  std::size_t size = 0;  // bytes of source; where error is set: up to it
  bool is_bytes = false;
  bool cut = false;             // the text ends inside the string
  std::string_view error = {};  // static text; empty: none
};

// Whether a string, with or without prefix, begins at the front of `text`.
bool IsPyStringFront(std::string_view text);

// Reads the string at the front of `text`, for which IsPyStringFront holds, and
// appends its characters (UTF-8; a lone surrogate becomes U+FFFD) to *out.
PyString ReadPyString(std::string_view text, std::string* out);

}  // namespace rlrun
