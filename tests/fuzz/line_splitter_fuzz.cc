// Any bytes, cut into chunks anywhere, scanned with any instruction set, give
// the same lines; these lie in the source one behind the other; memory is
// bounded. The first byte of the input chooses the chunks, the second the line
// limit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/line_splitter.h"
#include "parsers/lines/payload.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

struct Got {
  std::string text;
  std::uint64_t offset;
  std::uint64_t end_offset;
  bool may_have_step;
  bool continues_line;
  bool operator==(const Got&) const = default;
};

struct Split {
  std::vector<Got> lines;
  std::uint64_t too_long = 0;
  std::size_t held = 0;
};

Split Run(std::string_view bytes, std::size_t limit, std::uint32_t chunks,
          ScanLevel level) {
  LineSplitter splitter(limit, level);
  Split split;
  std::uint32_t state = chunks;
  for (std::size_t at = 0; at < bytes.size();) {
    state = state * 1664525u + 1013904223u;
    const std::size_t size =
        chunks == 0 ? bytes.size() : 1 + (state >> 24) % 37;
    const std::string copy(bytes.substr(at, size));  // found by the sanitizer
    splitter.Feed(copy, [&](std::span<const Line> lines) {
      for (const Line& l : lines) {
        split.lines.push_back({std::string(l.text), l.offset, l.end_offset,
                               l.may_have_step, l.continues_line});
      }
    });
    RLRUN_CHECK(splitter.held_bytes() <= limit);
    at += copy.size();
  }
  RLRUN_CHECK(splitter.offset() == bytes.size());
  split.too_long = splitter.too_long_lines();
  split.held = splitter.held_bytes();
  return split;
}

void CheckLines(const Split& split, std::string_view bytes, std::size_t limit) {
  std::uint64_t end = 0;
  for (const Got& g : split.lines) {
    RLRUN_CHECK(g.offset >= end && g.offset < g.end_offset);
    RLRUN_CHECK(g.end_offset <= bytes.size());
    RLRUN_CHECK(g.text.size() <= limit);
    RLRUN_CHECK(g.text.find_first_of(std::string_view("\n\r\0", 3)) ==
                std::string::npos);
    RLRUN_CHECK(g.may_have_step == (g.text.find("step:") != std::string::npos));
    end = g.end_offset;
  }
}

// Views stay inside the line; stripping twice changes nothing more than once.
void CheckPayload(const std::string& text) {
  std::string scratch;
  const std::string plain(StripEscapes(text, &scratch));
  RLRUN_CHECK(plain.size() <= text.size());
  ActorPrefix prefix;
  const std::string_view payload = SkipFrontAndPrefixes(text, &prefix);
  RLRUN_CHECK(text.ends_with(payload));
  RLRUN_CHECK(DropRepeatedSuffix(plain).size() <= plain.size());
}

// The LF of a CRLF may come after its line was given out.
void DropLateLf(std::vector<Got>* lines, std::string_view bytes) {
  for (Got& g : *lines) {
    const std::uint64_t last = g.end_offset - 1;
    if (last > g.offset && bytes[last] == '\n' && bytes[last - 1] == '\r') {
      --g.end_offset;
    }
  }
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2,
                               size - 2);
  const std::size_t limit = 8 + data[1];
  Split whole = Run(bytes, limit, 0, ScanLevel::kBytes);
  CheckLines(whole, bytes, limit);
  for (const Got& g : whole.lines) CheckPayload(g.text);
  for (const ScanLevel level : {ScanLevel::kSse2, ScanLevel::kAvx2}) {
    if (!HasScanLevel(level)) continue;
    RLRUN_CHECK(Run(bytes, limit, 0, level).lines == whole.lines);
  }
  Split chunked = Run(bytes, limit, 1u + data[0], BestScanLevel());
  CheckLines(chunked, bytes, limit);
  DropLateLf(&whole.lines, bytes);
  DropLateLf(&chunked.lines, bytes);
  RLRUN_CHECK(chunked.lines == whole.lines);
  RLRUN_CHECK(chunked.too_long == whole.too_long);
  RLRUN_CHECK(chunked.held == whole.held);
  return 0;
}
