// Any bytes as a console log: each line has one outcome; every pair stands in
// its line as key, colon and a text that is its value; the cut of the input
// into chunks changes nothing; events keep their bounds. The first byte of the
// input chooses the chunks.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"
#include "parsers/lines/payload.h"
#include "parsers/values/number.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

LogFacts Run(std::string_view bytes, std::size_t chunk) {
  LineSplitter splitter;
  const auto format = MakeLogFormat(FormatKind::kVerlConsole);
  LogFacts facts;
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    const std::string copy(bytes.substr(at, chunk));
    splitter.Feed(copy, [&](std::span<const Line> batch) {
      format->ParseLines(batch, &facts);
      lines += batch.size();
    });
  }
  format->Finish(&facts);
  RLRUN_CHECK(std::accumulate(facts.lines.begin(), facts.lines.end(),
                              std::uint64_t{0}) == lines);
  RLRUN_CHECK(facts.steps.size() ==
              facts.lines[static_cast<std::size_t>(LineOutcome::kStep)]);
  return facts;
}

bool SameValue(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// `text` holds key, optional blanks, a colon and a number of this value.
bool HoldsPair(std::string_view text, std::string_view key, double value) {
  for (std::size_t at = text.find(key); at != std::string_view::npos;
       at = text.find(key, at + 1)) {
    std::string_view rest = text.substr(at + key.size());
    while (rest.starts_with(' ') || rest.starts_with('\t')) {
      rest.remove_prefix(1);
    }
    if (!rest.starts_with(':')) continue;
    const NumberFront number = ParseNumberFront(rest.substr(1));
    if (number.size != 0 && SameValue(number.value, value)) return true;
  }
  return false;
}

void CheckRecord(const StepRecord& r, std::string_view bytes) {
  RLRUN_CHECK(r.begin_offset < r.end_offset && r.end_offset <= bytes.size());
  std::string line;
  for (const char c :
       bytes.substr(r.begin_offset, r.end_offset - r.begin_offset)) {
    if (c != '\0') line += c;
  }
  std::string scratch;
  const std::string_view text = StripEscapes(line, &scratch);
  RLRUN_CHECK(r.step >= 0);
  RLRUN_CHECK(text.find("step:") != std::string_view::npos);
  for (const StepRecord::Pair& p : r.pairs) {
    RLRUN_CHECK(p.size != 0 && p.begin + p.size <= r.key_text.size());
    RLRUN_CHECK(HoldsPair(text, r.Key(p), p.value));
  }
}

void CheckSame(const LogFacts& a, const LogFacts& b) {
  RLRUN_CHECK(a.lines == b.lines);
  RLRUN_CHECK(a.values_skipped == b.values_skipped);
  RLRUN_CHECK(a.total_steps == b.total_steps && a.mode == b.mode);
  RLRUN_CHECK(a.first_stamp == b.first_stamp && a.last_stamp == b.last_stamp);
  RLRUN_CHECK(a.steps.size() == b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const StepRecord& x = a.steps[i];
    const StepRecord& y = b.steps[i];
    RLRUN_CHECK(x.step == y.step && x.line_class == y.line_class);
    RLRUN_CHECK(x.cut == y.cut && x.key_text == y.key_text);
    RLRUN_CHECK(x.begin_offset == y.begin_offset);
    RLRUN_CHECK(x.stamp_before == y.stamp_before);
    RLRUN_CHECK(x.stamp_behind == y.stamp_behind);
    RLRUN_CHECK(x.pairs.size() == y.pairs.size());
    for (std::size_t k = 0; k < x.pairs.size(); ++k) {
      RLRUN_CHECK(SameValue(x.pairs[k].value, y.pairs[k].value));
    }
  }
}

void CheckBurst(const std::optional<ErrorBurst>& burst, std::size_t size) {
  if (!burst) return;
  RLRUN_CHECK(burst->errors != 0 && burst->has(burst->first.kind));
  RLRUN_CHECK(burst->first.at.offset <= burst->newest.offset);
  RLRUN_CHECK(burst->newest.offset < size);
  RLRUN_CHECK(burst->first.text.size() <= kMaxEventText);
  RLRUN_CHECK(burst->evidence().text.size() <= kMaxEventText);
}

void CheckEvents(const LogEvents& e, std::size_t size) {
  CheckBurst(e.first_burst, size);
  CheckBurst(e.newest_burst, size);
  RLRUN_CHECK(e.engines.size() <= kMaxEngines);
  if (e.queue) RLRUN_CHECK(e.queue->values.size() <= kMaxQueueValues);
  if (e.samples) RLRUN_CHECK(e.samples->required > 0);
  if (e.last_activity) {
    RLRUN_CHECK(e.last_activity->text.size() <= kMaxEventText);
  }
}

void CheckSameBurst(const std::optional<ErrorBurst>& a,
                    const std::optional<ErrorBurst>& b) {
  RLRUN_CHECK(a.has_value() == b.has_value());
  if (!a) return;
  RLRUN_CHECK(a->first.at.offset == b->first.at.offset);
  RLRUN_CHECK(a->errors == b->errors && a->kinds == b->kinds);
  RLRUN_CHECK(a->evidence().text == b->evidence().text);
}

// But for the last activity, which is looked for in the batches.
void CheckSameEvents(const LogEvents& a, const LogEvents& b) {
  RLRUN_CHECK(a.errors == b.errors && a.trial_lines == b.trial_lines);
  RLRUN_CHECK(a.phase == b.phase);
  CheckSameBurst(a.first_burst, b.first_burst);
  CheckSameBurst(a.newest_burst, b.newest_burst);
  RLRUN_CHECK(a.engines.size() == b.engines.size());
  for (std::size_t i = 0; i < a.engines.size(); ++i) {
    RLRUN_CHECK(a.engines[i].engine == b.engines[i].engine);
    RLRUN_CHECK(a.engines[i].at.offset == b.engines[i].at.offset);
  }
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const LogFacts whole = Run(bytes, bytes.size());
  for (const StepRecord& r : whole.steps) CheckRecord(r, bytes);
  CheckEvents(whole.events, bytes.size());
  const LogFacts pieces = Run(bytes, 1u + data[0]);
  CheckSame(whole, pieces);
  CheckSameEvents(whole.events, pieces.events);
  return 0;
}
