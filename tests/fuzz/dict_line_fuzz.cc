// Any bytes as a dict, as a log of slime and as one of a Hugging Face trainer:
// what is read lies inside the text, every pair has a key, a closed dict ends
// with its brace; each line has one outcome, and the cut of the input into
// chunks changes nothing. The first byte of the input chooses the chunks.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "parsers/formats/dict_line.h"
#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

bool SameValue(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

void CheckPairs(const StepRecord& r) {
  for (const StepRecord::Pair& p : r.pairs) {
    RLRUN_CHECK(p.size != 0 && p.begin + p.size <= r.key_text.size());
  }
}

LogFacts Run(FormatKind kind, std::string_view bytes, std::size_t chunk) {
  LineSplitter splitter;
  const auto format = MakeLogFormat(kind);
  LogFacts facts;
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    const std::string copy(bytes.substr(at, chunk));
    splitter.Feed(copy, [&](std::span<const Line> batch) {
      SniffConsole(batch);
      format->ParseLines(batch, &facts);
      lines += batch.size();
    });
  }
  format->Finish(&facts);
  RLRUN_CHECK(std::accumulate(facts.lines.begin(), facts.lines.end(),
                              std::uint64_t{0}) == lines);
  // A line that was there before is a step line without a record.
  RLRUN_CHECK(facts.steps.size() <=
              facts.lines[static_cast<std::size_t>(LineOutcome::kStep)]);
  for (const StepRecord& r : facts.steps) {
    RLRUN_CHECK(r.begin_offset < r.end_offset && r.end_offset <= bytes.size());
    RLRUN_CHECK(!r.pairs.empty() && r.step >= 0);
    CheckPairs(r);
  }
  return facts;
}

void CheckSame(const LogFacts& a, const LogFacts& b) {
  RLRUN_CHECK(a.lines == b.lines && a.values_skipped == b.values_skipped);
  RLRUN_CHECK(a.steps.size() == b.steps.size());
  RLRUN_CHECK(a.events.errors == b.events.errors);
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const StepRecord& x = a.steps[i];
    const StepRecord& y = b.steps[i];
    RLRUN_CHECK(x.step == y.step && x.key_text == y.key_text &&
                x.cut == y.cut && x.line_class == y.line_class &&
                x.pairs.size() == y.pairs.size());
    for (std::size_t p = 0; p < x.pairs.size(); ++p) {
      RLRUN_CHECK(SameValue(x.pairs[p].value, y.pairs[p].value));
    }
  }
}

void CheckDict(std::string_view text) {
  if (!text.starts_with('{')) return;
  StepRecord record;
  SkipCounts skipped{};
  const DictLine dict = ReadDictPairs(text, &record, &skipped);
  RLRUN_CHECK(dict.size <= text.size());
  if (dict.closed) RLRUN_CHECK(text[dict.size - 1] == '}');
  CheckPairs(record);
  // What stands behind a closed dict is not looked at.
  if (!dict.closed) return;
  StepRecord again;
  SkipCounts skipped_again{};
  ReadDictPairs(std::string(text.substr(0, dict.size)) + "}, 'a': 1}", &again,
                &skipped_again);
  RLRUN_CHECK(again.key_text == record.key_text && skipped == skipped_again);
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const std::size_t chunk = data[0] % 64u + 1;
  CheckDict(bytes);
  for (const FormatKind kind :
       {FormatKind::kSlimeConsole, FormatKind::kTrlConsole}) {
    CheckSame(Run(kind, bytes, bytes.size() + 1), Run(kind, bytes, chunk));
  }
  return 0;
}
