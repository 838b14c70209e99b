// One complete line (or CR-separated fragment) of a source, without its
// terminator. The text lives only until the next call of whoever gave it.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlrun {

struct Line {
  std::string_view text;         // no LF, CR, NUL or leading BOM inside
  std::uint64_t offset = 0;      // of the first byte, in the source
  std::uint64_t end_offset = 0;  // behind the terminator
  // False: "step:" certainly does not occur in text. A hint that the splitter
  // gets for free, so that nobody searches each line again.
  bool may_have_step = false;
  // True: the fragment follows a CR inside the same LF-terminated line, so a
  // prefix printed in front of the CR belongs to it too.
  bool continues_line = false;
};

}  // namespace rlrun
