// The command `status`: options in, a report on standard output, diagnostics on
// standard error. What is shown is decided in report/.

#include <chrono>
#include <csignal>
#include <ctime>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "exporter/app/app.h"
#include "exporter/app/command.h"
#include "exporter/app/log_tail.h"
#include "exporter/app/run_processes.h"
#include "exporter/app/status_source.h"
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

std::string TextOf(const CommandOptions& options,
                   const std::vector<RunReport>& reports,
                   const StatusChoice& choice, const LogTails& tails,
                   double now, bool partial) {
  if (options.format == "json") {
    return StatusJson(reports, choice, tails, now, partial);
  }
  return StatusText(reports, choice,
                    options.format == "markdown" ? ReportStyle::kMarkdown
                                                 : ReportStyle::kText,
                    tails);
}

constexpr std::string_view kPartial =
    "The exporter there is in its first pass over the files: more runs may "
    "follow.";

// Writes what is chosen of them; the exit code, absent where standard output
// takes no more. `partial`: another exporter has not read all runs yet.
// `tails_of` reads the ends of logs.
template <typename TailsOf>
std::optional<int> Show(const CommandOptions& options,
                        const std::vector<RunReport>& reports,
                        const std::vector<std::string>& paths, double now,
                        bool partial, const TailsOf& tails_of) {
  if (reports.empty()) {
    std::cerr << "rlrun_exporter: no run found\n";
    return kExitNothingFound;
  }
  StatusChoice choice = ChooseRuns(reports, options.run, paths);
  if (!choice.error.empty()) {
    std::cerr << "rlrun_exporter: " << choice.error << "\n";
    if (partial) std::cerr << "rlrun_exporter: " << kPartial << "\n";
    return kExitNothingFound;
  }
  if (partial) {
    choice.note =
        std::string(kPartial) + (choice.note.empty() ? "" : "\n") + choice.note;
  }
  std::cout << TextOf(options, reports, choice, tails_of(choice), now, partial)
            << std::flush;
  if (!std::cout) {
    std::cerr << "rlrun_exporter: cannot write to standard output\n";
    return std::nullopt;
  }
  return StatusExitCode(reports, choice);
}

// A report of what another exporter says.
std::optional<int> PrintOfUrl(const CommandOptions& options) {
  ReadReports read;
  const std::string wrong = FetchReports(options, &read);
  if (!wrong.empty()) {
    std::cerr << "rlrun_exporter: " << wrong << "\n";
    return kExitNothingFound;
  }
  return Show(options, read.runs, {}, read.generated_at, read.partial,
              [](const StatusChoice&) { return LogTails(); });
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

  std::optional<int> Print(Now now) {
    app_.ReadInline(now);
    if (looks_) {
      app_.TakeProcesses(scanner_.Scan(app_.RunKeys(), now.wall));
      app_.Tick(now);
    }
    const std::vector<RunReport> reports = app_.Reports(now);
    return Show(
        options_, reports, paths_, now.wall, false,
        [&](const StatusChoice& choice) { return Tails(reports, choice); });
  }

 private:
  static AppOptions MakeOptions() {
    AppOptions options;
    options.age_limits = false;
    options.self = {RLRUN_VERSION, RLRUN_REVISION, false};
    return options;
  }

  LogTails Tails(const std::vector<RunReport>& reports,
                 const StatusChoice& choice) {
    LogTails tails;
    if (options_.tail == 0) return tails;
    for (const std::size_t i : choice.full) {
      tails.push_back(ReadLogTail(source_, reports[i].path, options_.tail));
    }
    return tails;
  }

  const CommandOptions& options_;
  RealFileSource source_;
  ProcessScanner scanner_;
  bool looks_;
  App app_;
  std::vector<std::string> paths_;
};

}  // namespace

namespace {

int UsageErrors(const std::vector<std::string>& errors) {
  for (const std::string& e : errors) {
    std::cerr << "rlrun_exporter: " << e << "\n";
  }
  return kExitUsage;
}

// Once, or again and again until it cannot be printed: `print` takes the steady
// and the wall clock.
template <typename Print>
int Repeat(const CommandOptions& options, const Print& print) {
  for (double steady = 1;; steady += options.watch.value_or(0)) {
    const double wall = WallClock();
    const std::optional<int> code = print(steady, wall);
    if (!code) return kExitFailure;
    if (!options.watch) return *code;
    AnnounceNext(options, wall + *options.watch);
    WatchSignals();
    if (!WaitSeconds(*options.watch)) return *code;
  }
}

}  // namespace

int Status(const CommandOptions& options) {
  if (!options.url.empty()) {
    const std::vector<std::string> errors = CheckUrlOptions(options);
    if (!errors.empty()) return UsageErrors(errors);
    return Repeat(options, [&](double, double) { return PrintOfUrl(options); });
  }
  Config config;
  std::vector<std::string> errors = MakeConfig(options, &config);
  if (!options.http_config_file.empty()) {
    errors.emplace_back("--http.config.file: belongs to --url");
  }
  std::optional<double> at;
  if (!options.at.empty()) {
    double time = 0;
    if (ParseTime(options.at, &time)) {
      at = time;
    } else {
      errors.push_back("--at: not a time: " + options.at +
                       " (RFC 3339 or Unix seconds)");
    }
  }
  if (options.watch && !options.at.empty()) {
    errors.emplace_back("--watch and --at exclude each other");
  }
  if (!errors.empty()) return UsageErrors(errors);
  StatusRun run(options, std::move(config));
  return Repeat(options, [&](double steady, double wall) {
    return run.Print({steady, at.value_or(wall)});
  });
}

}  // namespace rlrun
