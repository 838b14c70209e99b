// The command `status`: options in, a report on standard output, diagnostics on
// standard error. What is shown is decided in report/.

#include <chrono>
#include <csignal>
#include <ctime>
#include <iostream>
#include <thread>
#include <utility>

#include "exporter/app/app.h"
#include "exporter/app/command.h"
#include "exporter/app/log_tail.h"
#include "exporter/app/run_processes.h"
#include "exporter/process/process_scanner.h"
#include "exporter/report/report_json.h"
#include "exporter/report/status_choice.h"
#include "exporter/tail/real_file_source.h"

namespace rlrun {
namespace {

volatile std::sig_atomic_t stop_watching = 0;
void StopWatching(int) { stop_watching = 1; }

// From the first report on, the first signal ends the watch behind the report
// that is being made, and the second one the process.
void WatchSignals() {
  struct sigaction action {};
  action.sa_handler = StopWatching;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (stop_watching == 0) ::sigaction(signal, &action, nullptr);
  }
}

// False: it was interrupted.
bool WaitSeconds(double seconds) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (stop_watching == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return stop_watching == 0;
}

std::string ClockText(double wall) {
  const auto time = static_cast<std::time_t>(wall);
  std::tm tm{};
  ::localtime_r(&time, &tm);
  char text[64];
  const std::size_t n = std::strftime(text, sizeof text, "%F %T %z", &tm);
  return {text, n};
}

// Standard output of `--format=json` holds reports alone, one per line.
void AnnounceNext(const CommandOptions& options, double wall) {
  if (options.format == "json") {
    std::cerr << "rlrun_exporter: next report at " << ClockText(wall)
              << std::endl;
  } else {
    std::cout << "\nNext report at " << ClockText(wall) << "\n" << std::endl;
  }
}

double WallClock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Everything that one report needs; kept between reports of --watch.
class StatusRun {
 public:
  StatusRun(const CommandOptions& options, Config config)
      : options_(options),
        scanner_(config.processes),
        looks_(config.processes.enabled && options.at.empty()),
        app_(std::move(config), MakeOptions(), &source_) {
    for (const std::string& path : options.paths) {
      paths_.push_back(source_.Canonical(path));
    }
  }

  int Print(Now now) {
    app_.ReadInline(now);
    if (looks_) {
      app_.TakeProcesses(scanner_.Scan(app_.RunKeys(), now.wall));
      app_.Tick(now);
    }
    const std::vector<RunReport> reports = app_.Reports(now);
    if (reports.empty()) {
      std::cerr << "rlrun_exporter: no run found\n";
      return kExitNothingFound;
    }
    const StatusChoice choice = ChooseRuns(reports, options_.run, paths_);
    if (!choice.error.empty()) {
      std::cerr << "rlrun_exporter: " << choice.error << "\n";
      return kExitNothingFound;
    }
    std::cout << Text(reports, choice, now) << std::flush;
    if (!std::cout) {
      std::cerr << "rlrun_exporter: cannot write to standard output\n";
      return kExitFailure;
    }
    return StatusExitCode(reports, choice);
  }

 private:
  static AppOptions MakeOptions() {
    AppOptions options;
    options.age_limits = false;
    options.self = {RLRUN_VERSION, RLRUN_REVISION, false};
    return options;
  }

  std::string Text(const std::vector<RunReport>& reports,
                   const StatusChoice& choice, Now now) {
    LogTails tails;
    if (options_.tail != 0) {
      for (const std::size_t i : choice.full) {
        tails.push_back(ReadLogTail(source_, reports[i].path, options_.tail));
      }
    }
    if (options_.format == "json") {
      return StatusJson(reports, choice, tails, now.wall);
    }
    return StatusText(reports, choice,
                      options_.format == "markdown" ? ReportStyle::kMarkdown
                                                    : ReportStyle::kText,
                      tails);
  }

  const CommandOptions& options_;
  RealFileSource source_;
  ProcessScanner scanner_;
  bool looks_;
  App app_;
  std::vector<std::string> paths_;
};

}  // namespace

int Status(const CommandOptions& options) {
  Config config;
  std::vector<std::string> errors = MakeConfig(options, &config);
  double at = 0;
  if (!options.at.empty() && !ParseTime(options.at, &at)) {
    errors.push_back("--at: not a time: " + options.at +
                     " (RFC 3339 or Unix seconds)");
  }
  if (options.watch && !options.at.empty()) {
    errors.emplace_back("--watch and --at exclude each other");
  }
  if (!errors.empty()) {
    for (const std::string& e : errors) {
      std::cerr << "rlrun_exporter: " << e << "\n";
    }
    return kExitUsage;
  }
  StatusRun run(options, std::move(config));
  for (double steady = 1;; steady += options.watch.value_or(0)) {
    const double wall = options.at.empty() ? WallClock() : at;
    const int code = run.Print({steady, wall});
    if (!options.watch || code == kExitFailure) return code;
    AnnounceNext(options, wall + *options.watch);
    WatchSignals();
    if (!WaitSeconds(*options.watch)) return code;
  }
}

}  // namespace rlrun
