// What trial directories cost on real files: the first walk over many finished
// trials, and the looks behind it. Writes the files below TMPDIR, removes them.
//
//   measure_trials [--trials=100000] [--looks=5]
//
// Prints name, median, least, most and unit, separated by tabs.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/tail/real_file_source.h"
#include "exporter/trials/trial_scanner.h"

namespace {

namespace fs = std::filesystem;
using rlrun::DirEntry;
using rlrun::FileStat;
using rlrun::IoStatus;

constexpr int kTrialsPerStep = 500;

double Clock() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double WallClock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double ResidentBytes() {
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Counts calls; what an open file is asked for is counted too.
class CountingSource : public rlrun::FileSource {
 public:
  class File : public rlrun::OpenFile {
   public:
    File(std::unique_ptr<rlrun::OpenFile> file, std::uint64_t* calls)
        : file_(std::move(file)), calls_(calls) {}
    IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                  std::size_t* got) override {
      ++*calls_;
      return file_->Read(offset, buffer, size, got);
    }
    IoStatus Stat(FileStat* stat) override {
      ++*calls_;
      return file_->Stat(stat);
    }

   private:
    std::unique_ptr<rlrun::OpenFile> file_;
    std::uint64_t* calls_;
  };

  IoStatus Stat(const std::string& path, FileStat* stat) override {
    ++calls;
    return source_.Stat(path, stat);
  }
  IoStatus List(const std::string& path,
                std::vector<DirEntry>* entries) override {
    ++calls;
    return source_.List(path, entries);
  }
  IoStatus Open(const std::string& path,
                std::unique_ptr<rlrun::OpenFile>* file) override {
    ++calls;
    const IoStatus status = source_.Open(path, file);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), &calls);
    return status;
  }
  std::string Canonical(const std::string& path) override {
    return source_.Canonical(path);
  }
  bool IsNetwork(const std::string&) override { return false; }

  std::uint64_t calls = 0;

 private:
  rlrun::RealFileSource source_;
};

// A result of the size that real ones have.
std::string ResultText(int number) {
  std::string text = "{\n    \"task_id\": {\"path\": \"/data/train/" +
                     std::to_string(number / 8) + "\"},\n";
  text += "    \"agent_result\": {\"n_input_tokens\": 48211},\n";
  text += "    \"verifier_result\": {\"rewards\": {\"reward\": " +
          std::to_string(number % 2) + "}},\n    \"config\": {\"note\": \"" +
          std::string(3000, 'x') + "\"},\n";
  text +=
      "    \"started_at\": \"2026-01-02T03:04:05Z\",\n"
      "    \"finished_at\": \"2026-01-02T03:09:05Z\"\n}\n";
  return text;
}

void WriteTrials(const fs::path& folder, int trials) {
  for (int i = 0; i < trials; ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "step_%04d/task-%05d-%08x",
                  i / kTrialsPerStep, i / 8, static_cast<unsigned>(i));
    fs::create_directories(folder / name);
    std::ofstream(folder / name / "result.json") << ResultText(i);
  }
}

void Print(const std::string& name, std::vector<double> values,
           const char* unit) {
  std::sort(values.begin(), values.end());
  std::printf("%s\t%.4g\t%.4g\t%.4g\t%s\n", name.c_str(),
              values[values.size() / 2], values.front(), values.back(), unit);
}

double Walk(rlrun::TrialScanner* scanner, double age) {
  const double begin = Clock();
  while (scanner->Pass(1 + age, WallClock() + age, [] { return true; }) == 0) {
  }
  return Clock() - begin;
}

int Measure(const fs::path& folder, int trials, int looks) {
  WriteTrials(folder, trials);
  CountingSource source;
  const double memory = ResidentBytes();
  rlrun::TrialScanner scanner(folder.string(), {}, &source);
  const double first = Walk(&scanner, 0);
  const rlrun::TrialTotals totals = scanner.totals();
  const auto found = totals.of(rlrun::TrialSplit::kTrain).finished_all();
  if (!totals.complete || found != static_cast<std::uint64_t>(trials)) {
    std::cerr << "measure_trials: counted " << found << " of " << trials
              << "\n";
    return 1;
  }
  const std::string of = std::to_string(trials) + " trials: ";
  Print(of + "first walk", {first}, "s");
  Print(of + "its calls", {static_cast<double>(source.calls)}, "calls");
  Print(of + "memory", {(ResidentBytes() - memory) / 1e6}, "MB");
  std::vector<double> calls, milliseconds;
  for (int i = 1; i <= looks; ++i) {
    source.calls = 0;
    milliseconds.push_back(Walk(&scanner, i * 11) * 1e3);
    calls.push_back(static_cast<double>(source.calls));
  }
  Print(of + "a later look", milliseconds, "ms");
  Print(of + "its calls", calls, "calls");
  return 0;
}

bool ReadNumber(std::string_view argument, std::string_view front, int* value) {
  if (!argument.starts_with(front)) return false;
  argument.remove_prefix(front.size());
  const char* end = argument.data() + argument.size();
  const auto result = std::from_chars(argument.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end && *value > 0;
}

}  // namespace

int main(int argc, char** argv) {
  int trials = 100000, looks = 5;
  for (int i = 1; i < argc; ++i) {
    if (ReadNumber(argv[i], "--trials=", &trials)) continue;
    if (ReadNumber(argv[i], "--looks=", &looks)) continue;
    std::cerr << "usage: measure_trials [--trials=N] [--looks=N]\n";
    return 64;
  }
  std::string folder =
      (fs::temp_directory_path() / "measure_trials.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    std::cerr << "measure_trials: no folder in "
              << fs::temp_directory_path().string() << "\n";
    return 1;
  }
  int code = 1;
  try {
    code = Measure(folder, trials, looks);
  } catch (const std::exception& e) {
    std::cerr << "measure_trials: " << e.what() << "\n";
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return code;
}
