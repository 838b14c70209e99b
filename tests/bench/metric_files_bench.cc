// What W&B and TensorBoard keep of a run: checksums, records, and facts of
// files that hold what such files hold, in pieces as a tailer reads them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "parsers/blocks/block_records.h"
#include "parsers/blocks/crc32.h"
#include "parsers/formats/event_file.h"
#include "parsers/formats/wandb_file.h"
#include "tests/bench/figures.h"
#include "tests/support/metric_files.h"

namespace rlrun {
namespace {

constexpr std::size_t kKeys = 94;
constexpr int kSteps = 100;
constexpr std::size_t kPiece = 64u << 10;  // bytes

std::string KeyOf(std::size_t i) {
  return "critic/measure_" + std::to_string(i) + "/mean";
}

// Per step: console lines, system metrics, a summary and a row of all keys.
const std::string& WandbText() {
  static const std::string text = [] {
    WandbFileWriter file;
    for (int step = 1; step <= kSteps; ++step) {
      WandbItems items;
      for (std::size_t i = 0; i < kKeys; ++i) {
        char value[32];
        std::snprintf(value, sizeof value, "%.17g",
                      std::sin(static_cast<double>(i) + step) * 1000);
        items.emplace_back(KeyOf(i), value);
      }
      for (int i = 0; i < 8; ++i) file.Add(WandbOutput(std::string(300, 'o')));
      file.Add(WandbSummary(items));
      file.Add(WandbHistory(step, items));
    }
    return file.text();
  }();
  return text;
}

const std::string& EventText() {
  static const std::string text = [] {
    std::string out = EventRecord(FileVersionEvent(1.7e9));
    for (int step = 1; step <= kSteps; ++step) {
      for (std::size_t i = 0; i < kKeys; ++i) {
        const double value = std::sin(static_cast<double>(i) + step) * 1000;
        out += EventRecord(Event(
            1.7e9 + step, step,
            {i % 2 == 0
                 ? SimpleValue(KeyOf(i), static_cast<float>(value))
                 : TensorValue(KeyOf(i), value, TensorForm::kContent, true)}));
      }
    }
    return out;
  }();
  return text;
}

template <typename Format>
std::size_t ParseAll(const std::string& text) {
  Format format;
  LogFacts facts;
  for (std::size_t at = 0, taken = 1; taken != 0; at += taken) {
    taken = format.Feed(std::string_view(text).substr(at, kPiece), &facts);
  }
  format.Finish(&facts);
  return facts.steps.size();
}

template <typename Format>
void ParseFile(benchmark::State& state, const std::string& text) {
  Require(ParseAll<Format>(text) == kSteps, "every step once");
  for (auto _ : state) benchmark::DoNotOptimize(ParseAll<Format>(text));
  GigabytesPerSecond(state, text.size());
}
void ParseWandbFile(benchmark::State& state) {
  ParseFile<WandbFile>(state, WandbText());
}
BENCHMARK(ParseWandbFile);
void ParseEventFile(benchmark::State& state) {
  ParseFile<EventFile>(state, EventText());
}
BENCHMARK(ParseEventFile);

void ReadBlocks(benchmark::State& state) {
  const std::string& text = WandbText();
  for (auto _ : state) {
    BlockRecords reader;
    std::size_t bytes = 0;
    for (std::size_t at = 0, taken = 1; taken != 0; at += taken) {
      taken =
          reader.Feed(std::string_view(text).substr(at, kPiece),
                      [&](const RecordBytes& r) { bytes += r.bytes.size(); });
    }
    Require(bytes != 0, "records");
  }
  GigabytesPerSecond(state, text.size());
}
BENCHMARK(ReadBlocks);

template <std::uint32_t (*kCrc)(std::string_view)>
void Checksum(benchmark::State& state) {
  const std::string bytes(kPiece, 'x');
  for (auto _ : state) benchmark::DoNotOptimize(kCrc(bytes));
  GigabytesPerSecond(state, bytes.size());
}
BENCHMARK_TEMPLATE(Checksum, Crc32)->Name("Crc32");
BENCHMARK_TEMPLATE(Checksum, Crc32c)->Name("Crc32c");
BENCHMARK_TEMPLATE(Checksum, Crc32cByTable)->Name("Crc32cByTable");

}  // namespace
}  // namespace rlrun
