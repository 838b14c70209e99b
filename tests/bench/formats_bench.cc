// Lines to facts: step lines of 251 keys with colours and a prefix around
// them, lines of which nothing is taken, dicts, JSONL records, numbers.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/formats/dict_line.h"
#include "parsers/formats/log_format.h"
#include "parsers/formats/step_line.h"
#include "parsers/formats/verl_jsonl.h"
#include "parsers/lines/line_splitter.h"
#include "parsers/values/number.h"
#include "tests/bench/figures.h"
#include "tests/scenarios/bulk.h"

namespace rlrun {
namespace {

// The lines of a bulk log, those with a step or the others.
std::vector<Line> Lines(bool with_step) {
  static const std::string text = [] {
    std::string out;
    scenarios::WriteBulk(8u << 20, 1, [&out](std::string_view piece) {
      out += piece;
      return true;
    });
    return out;
  }();
  std::vector<Line> lines;
  LineSplitter splitter;
  splitter.Feed(text, [&](std::span<const Line> batch) {
    for (const Line& line : batch) {
      if (line.may_have_step == with_step) lines.push_back(line);
    }
  });
  Require(!lines.empty(), "lines of the wanted kind");
  return lines;
}

LogFacts ParseAll(const std::vector<Line>& lines) {
  LogFacts facts;
  MakeLogFormat(FormatKind::kVerlConsole)->ParseLines(lines, &facts);
  return facts;
}

void ParseStepLines(benchmark::State& state) {
  const std::vector<Line> lines = Lines(true);
  std::size_t pairs = 0;
  for (const StepRecord& record : ParseAll(lines).steps) {
    pairs += record.pairs.size();
  }
  Require(pairs == lines.size() * scenarios::kBulkKeys, "251 pairs each");
  const auto format = MakeLogFormat(FormatKind::kVerlConsole);
  for (auto _ : state) {
    LogFacts facts;
    format->ParseLines(lines, &facts);
    benchmark::DoNotOptimize(facts);
  }
  NanosecondsPer(state, "pair", pairs);
}
BENCHMARK(ParseStepLines);

void ParseOtherLines(benchmark::State& state) {
  const std::vector<Line> lines = Lines(false);
  const auto format = MakeLogFormat(FormatKind::kVerlConsole);
  LogFacts facts;
  for (auto _ : state) {
    format->ParseLines(lines, &facts);
    benchmark::DoNotOptimize(facts);
  }
  Require(facts.steps.empty(), "no step in them");
  NanosecondsPer(state, "line", lines.size());
}
BENCHMARK(ParseOtherLines);

// A dict of as many keys as a step line of verl has.
std::string BulkDict(const char* quote) {
  std::string text = "{";
  for (std::size_t i = 0; i < scenarios::kBulkKeys; ++i) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g",
                  std::sin(static_cast<double>(i)) * 1000);
    text += (i ? ", 'rollout/measure_" : "'rollout/measure_") +
            std::to_string(i) + "/mean': " + quote + number + quote;
  }
  return text + "}";
}

// Metric lines of slime, each with another number: none is a copy.
void ParseSlimeLines(benchmark::State& state) {
  constexpr std::size_t kLines = 64;
  const std::string dict = BulkDict("");
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) {
    text +=
        "(MegatronTrainRayActor pid=7) [2026-08-21 10:00:00] data.py:193 - "
        "rollout " +
        std::to_string(i) + ": " + dict + "\n";
  }
  std::vector<Line> lines;
  LineSplitter splitter;
  splitter.Feed(text, [&lines](std::span<const Line> batch) {
    lines.insert(lines.end(), batch.begin(), batch.end());
  });
  for (auto _ : state) {
    LogFacts facts;
    MakeLogFormat(FormatKind::kSlimeConsole)->ParseLines(lines, &facts);
    Require(facts.steps.size() == kLines, "a record per line");
    benchmark::DoNotOptimize(facts);
  }
  NanosecondsPer(state, "pair", kLines * scenarios::kBulkKeys);
}
BENCHMARK(ParseSlimeLines);

void ParseQuotedDict(benchmark::State& state) {
  const std::string dict = BulkDict("'");
  SkipCounts skipped{};
  for (auto _ : state) {
    StepRecord record;
    Require(ReadDictPairs(dict, &record, &skipped).closed, "a dict");
    benchmark::DoNotOptimize(record);
  }
  NanosecondsPer(state, "pair", scenarios::kBulkKeys);
}
BENCHMARK(ParseQuotedDict);

// Lines of which nothing is taken, in a text that nobody has claimed yet.
void SniffOtherLines(benchmark::State& state) {
  const std::vector<Line> all = Lines(false);
  std::vector<Line> lines;
  for (const Line& line : all) {
    if (line.text.find("TaskRunner") == std::string_view::npos) {
      lines.push_back(line);
    }
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(SniffConsole(lines));
  }
  NanosecondsPer(state, "line", lines.size());
}
BENCHMARK(SniffOtherLines);

void ParseJsonlRecord(benchmark::State& state) {
  std::string text = "{\"step\": 7, \"data\": {";
  for (std::size_t i = 0; i < scenarios::kBulkKeys; ++i) {
    text +=
        (i ? ", \"critic/measure_" : "\"critic/measure_") + std::to_string(i) +
        "/mean\": " + std::to_string(std::sin(static_cast<double>(i)) * 1000);
  }
  text += "}}";
  SkipCounts skipped{};
  for (auto _ : state) {
    StepRecord record;
    Require(ParseJsonRecord(text, &record, &skipped), "a record");
    benchmark::DoNotOptimize(record);
  }
  NanosecondsPer(state, "pair", scenarios::kBulkKeys);
}
BENCHMARK(ParseJsonlRecord);

void ParseNumbers(benchmark::State& state) {
  std::vector<std::string> numbers;
  for (int i = 1; i < 200; ++i) {
    const double value = std::sin(i) * std::pow(10, i % 9 - 4);
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, i % 10 ? "%.17g" : "np.float64(%.17g)",
                  value);
    numbers.emplace_back(buffer);
    Require(ParseNumber(numbers.back()) == value, "the number");
  }
  for (auto _ : state) {
    for (const std::string& number : numbers) {
      benchmark::DoNotOptimize(ParseNumber(number));
    }
  }
  NanosecondsPer(state, "number", numbers.size());
}
BENCHMARK(ParseNumbers);

}  // namespace
}  // namespace rlrun
