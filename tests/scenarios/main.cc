// rlrun_scenario: writes sick and healthy runs by name (commands.h), a sample
// run to a file, or a large log for benchmarks.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "tests/scenarios/bulk.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/sample_run.h"

namespace {

using rlrun::scenarios::BulkStats;
using rlrun::scenarios::Chunk;
using rlrun::scenarios::RunOptions;
using rlrun::scenarios::SampleRun;

constexpr int kUsage = 64;
constexpr char kHelp[] =
    "usage: rlrun_scenario --out=FILE [--kind=sync|async|sft] [--steps=60]\n"
    "                      [--seed=1] [--interval=0]\n"
    "       rlrun_scenario --out=FILE --bulk=500MB [--seed=1]\n"
    "\n"
    "Writes the log of an invented run. --interval waits that many seconds\n"
    "behind each step; --bulk takes bytes, kB, MB or GB.\n";

struct Arguments {
  RunOptions run;
  std::string out;
  double interval = 0;     // seconds
  std::uint64_t bulk = 0;  // bytes; 0: a run
};

template <typename T>
bool ParseNumber(std::string_view text, T* value, std::string_view* rest) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  if (result.ec != std::errc()) return false;
  *rest = {result.ptr, static_cast<std::size_t>(end - result.ptr)};
  return true;
}

template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  std::string_view rest;
  return ParseNumber(text, value, &rest) && rest.empty();
}

bool ParseBytes(std::string_view text, std::uint64_t* bytes) {
  std::string_view unit;
  if (!ParseNumber(text, bytes, &unit)) return false;
  const std::uint64_t factor = unit.empty()   ? 1
                               : unit == "kB" ? 1'000
                               : unit == "MB" ? 1'000'000
                               : unit == "GB" ? 1'000'000'000
                                              : 0;
  *bytes *= factor;
  return *bytes > 0;
}

bool ParseArgument(std::string_view argument, Arguments* out) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  if (name == "--out") {
    out->out = value;
    return !value.empty();
  }
  if (name == "--kind") {
    const auto kind = rlrun::scenarios::KindFromName(value);
    if (kind) out->run.kind = *kind;
    return kind.has_value();
  }
  if (name == "--steps") {
    return ParseNumber(value, &out->run.steps) && out->run.steps > 0;
  }
  if (name == "--seed") return ParseNumber(value, &out->run.seed);
  if (name == "--interval") {
    return ParseNumber(value, &out->interval) && out->interval >= 0 &&
           out->interval <= 3600;
  }
  if (name == "--bulk") return ParseBytes(value, &out->bulk);
  return false;
}

void Wait(double seconds) {
  if (seconds > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
}

bool WriteAll(std::FILE* file, std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

// Each line, and each half of a line, reaches the file on its own.
bool WriteLines(std::FILE* file, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t size =
        end == std::string_view::npos ? bytes.size() : end + 1;
    if (!WriteAll(file, bytes.substr(0, size)) || std::fflush(file) != 0) {
      return false;
    }
    bytes.remove_prefix(size);
  }
  return true;
}

bool WriteRun(const Arguments& arguments, std::FILE* file) {
  const SampleRun run = rlrun::scenarios::MakeSampleRun(arguments.run);
  for (const Chunk& chunk : run.chunks) {
    if (!WriteLines(file, chunk.bytes)) return false;
    // A twentieth between the pieces of one step, the rest behind it.
    Wait(chunk.ends_step ? arguments.interval : arguments.interval / 20);
  }
  return true;
}

bool WriteBulkLog(const Arguments& arguments, std::FILE* file) {
  bool good = true;
  const BulkStats stats = rlrun::scenarios::WriteBulk(
      arguments.bulk, arguments.run.seed, [&](std::string_view piece) {
        good = WriteAll(file, piece);
        return good;
      });
  std::printf("bytes=%llu lines=%llu step_lines=%llu keys=%zu\n",
              static_cast<unsigned long long>(stats.bytes),
              static_cast<unsigned long long>(stats.lines),
              static_cast<unsigned long long>(stats.step_lines),
              rlrun::scenarios::kBulkKeys);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && rlrun::scenarios::IsCommand(argv[1])) {
    return rlrun::scenarios::RunCommand({argv + 1, argv + argc});
  }
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(rlrun::scenarios::kCommandHelp, stdout);
      std::fputs(kHelp, stdout);
      return EXIT_SUCCESS;
    }
    if (!ParseArgument(argument, &arguments)) {
      std::fprintf(stderr, "rlrun_scenario: bad argument: %s\n%s", argv[i],
                   kHelp);
      return kUsage;
    }
  }
  if (arguments.out.empty()) {
    std::fprintf(stderr, "rlrun_scenario: --out is missing\n%s", kHelp);
    return kUsage;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(arguments.out.c_str(), "wb"), &std::fclose);
  bool good = file != nullptr;
  if (good) {
    good = arguments.bulk > 0 ? WriteBulkLog(arguments, file.get())
                              : WriteRun(arguments, file.get());
    good = std::fclose(file.release()) == 0 && good;
  }
  if (!good) {
    std::perror(("rlrun_scenario: " + arguments.out).c_str());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
