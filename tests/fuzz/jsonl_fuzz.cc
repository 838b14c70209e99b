// Any bytes as a JSONL log: each line has one outcome, a record that is taken
// has a step and keys that are whole, a line that is refused counts no value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/formats/log_format.h"
#include "parsers/formats/verl_jsonl.h"
#include "parsers/lines/line_splitter.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

void CheckLine(std::string_view text) {
  StepRecord r;
  SkipCounts skipped{};
  if (!ParseJsonRecord(text, &r, &skipped)) {
    RLRUN_CHECK(skipped == SkipCounts{} && r.pairs.empty());
    return;
  }
  RLRUN_CHECK(r.step >= 0 && r.step <= (std::int64_t{1} << 53));
  RLRUN_CHECK(text.find("data") != std::string_view::npos ||
              text.find('\\') != std::string_view::npos);
  std::size_t end = 0;
  for (const StepRecord::Pair& p : r.pairs) {
    RLRUN_CHECK(p.begin == end && p.size != 0);
    end += p.size;
  }
  RLRUN_CHECK(end == r.key_text.size());
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MakeLogFormat(SniffFormat(bytes));
  const auto format = MakeLogFormat(FormatKind::kVerlJsonl);
  LogFacts facts;
  std::uint64_t lines = 0;
  LineSplitter splitter;
  splitter.Feed(bytes, [&](std::span<const Line> batch) {
    for (const Line& l : batch) CheckLine(l.text);
    format->ParseLines(batch, &facts);
    lines += batch.size();
  });
  std::uint64_t counted = 0;
  for (const std::uint64_t n : facts.lines) counted += n;
  RLRUN_CHECK(counted == lines);
  return 0;
}
