// Bytes to lines, and what stands around a payload: the splitter with each
// level of its scanner, prefix removal.
#include <benchmark/benchmark.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/line_splitter.h"
#include "parsers/lines/payload.h"
#include "parsers/lines/scan.h"
#include "tests/bench/figures.h"
#include "tests/scenarios/bulk.h"

namespace rlrun {
namespace {

// As large as a read of the tailer.
constexpr std::size_t kChunk = 256u << 10;
// Longer than a branch predictor remembers: a short text, read again and again,
// is several times faster than any log.
constexpr std::size_t kText = 16 * kChunk;

const std::string& Text() {
  static const std::string text = [] {
    std::string out;
    scenarios::WriteBulk(kText, 1, [&out](std::string_view piece) {
      out += piece;
      return true;
    });
    out.resize(kText);
    return out;
  }();
  return text;
}

bool HasLevel(benchmark::State& state, ScanLevel level) {
  if (HasScanLevel(level)) return true;
  state.SkipWithError("this CPU lacks the level");
  return false;
}

void SplitLines(benchmark::State& state, ScanLevel level) {
  if (!HasLevel(state, level)) return;
  const std::string& text = Text();
  LineSplitter splitter(LineSplitter::kDefaultMaxLineBytes, level);
  std::size_t lines = 0;
  const LineSplitter::Sink sink = [&lines](std::span<const Line> batch) {
    lines += batch.size();
    benchmark::DoNotOptimize(batch.data());
  };
  for (auto _ : state) {
    for (std::size_t at = 0; at < text.size(); at += kChunk) {
      splitter.Feed(std::string_view(text).substr(at, kChunk), sink);
    }
  }
  Require(lines > 0, "lines come out");
  GigabytesPerSecond(state, text.size());
}
BENCHMARK_CAPTURE(SplitLines, avx2, ScanLevel::kAvx2);
BENCHMARK_CAPTURE(SplitLines, sse2, ScanLevel::kSse2);
BENCHMARK_CAPTURE(SplitLines, bytes, ScanLevel::kBytes);

// Two prefixes and a colour in front of each of most lines.
void RemovePrefixes(benchmark::State& state) {
  std::vector<std::string_view> lines;
  const std::string& text = Text();
  LineSplitter splitter;
  splitter.Feed(text, [&lines](std::span<const Line> batch) {
    for (const Line& line : batch) lines.push_back(line.text);
  });
  ActorPrefix prefix;
  SkipPrefixes(lines.front(), &prefix);
  Require(prefix.present(), "lines have prefixes");
  for (auto _ : state) {
    for (const std::string_view line : lines) {
      benchmark::DoNotOptimize(SkipPrefixes(line, &prefix));
      benchmark::DoNotOptimize(prefix);
    }
  }
  NanosecondsPer(state, "line", lines.size());
}
BENCHMARK(RemovePrefixes);

}  // namespace
}  // namespace rlrun
