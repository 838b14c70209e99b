#include "exporter/app/status.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <iostream>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "exporter/app/app.h"
#include "exporter/app/command.h"
#include "exporter/app/run_processes.h"
#include "exporter/exposition/text.h"
#include "exporter/process/process_scanner.h"
#include "exporter/report/report_json.h"
#include "exporter/report/run_match.h"
#include "exporter/tail/real_file_source.h"
#include "parsers/values/redact.h"

namespace rlrun {
namespace {

constexpr std::size_t kNearestNames = 5;
constexpr std::size_t kTailBytes = 1u << 20;
constexpr std::size_t kTailLineBytes = 200;

bool Lives(const RunReport& report) { return !IsEnded(report.state); }

std::vector<RunName> Names(const std::vector<RunReport>& reports) {
  std::vector<RunName> names;
  names.reserve(reports.size());
  for (const RunReport& r : reports) names.push_back({r.project, r.run});
  return names;
}

std::string ListOf(const std::vector<std::size_t>& indices,
                   const std::vector<RunName>& names) {
  std::string out;
  for (const std::size_t i : indices) out += "\n  " + FullName(names[i]);
  return out;
}

// The worst first; of equal ones in the order of their names.
void SortWorstFirst(const std::vector<RunReport>& reports,
                    std::vector<std::size_t>* indices) {
  std::stable_sort(indices->begin(), indices->end(),
                   [&](std::size_t a, std::size_t b) {
                     return reports[a].health > reports[b].health;
                   });
}

bool IsAskedFor(const RunReport& report,
                const std::vector<std::string>& paths) {
  return std::any_of(
      report.sources.begin(), report.sources.end(), [&](const auto& source) {
        return std::find(paths.begin(), paths.end(), source.path) !=
               paths.end();
      });
}

StatusChoice ChooseByName(const std::vector<RunReport>& reports,
                          std::string_view run) {
  StatusChoice choice;
  const std::vector<RunName> names = Names(reports);
  choice.full = MatchRuns(run, names);
  if (choice.full.size() == 1) return choice;
  choice.error = choice.full.empty() ? "no run is called " : "ambiguous: ";
  choice.error += std::string(run);
  const std::vector<std::size_t> near =
      choice.full.empty() ? NearestRuns(run, names, kNearestNames)
                          : choice.full;
  if (!near.empty()) {
    choice.error += choice.full.empty() ? "; there are" : " may be";
    choice.error += ListOf(near, names);
  }
  choice.full.clear();
  return choice;
}

volatile std::sig_atomic_t stop_watching = 0;
void StopWatching(int) { stop_watching = 1; }

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
    if (options_.format == "json") {
      std::vector<RunReport> shown;
      for (const std::size_t i : choice.full) shown.push_back(reports[i]);
      for (const std::size_t i : choice.listed) shown.push_back(reports[i]);
      return ReportsJson(shown, now.wall);
    }
    std::vector<std::string> tails;
    if (options_.tail != 0) {
      for (const std::size_t i : choice.full) {
        tails.push_back(LastLines(source_, reports[i].path, options_.tail));
      }
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

StatusChoice ChooseRuns(const std::vector<RunReport>& reports,
                        std::string_view run,
                        const std::vector<std::string>& paths) {
  if (!run.empty()) return ChooseByName(reports, run);
  StatusChoice choice;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const bool full = Lives(reports[i]) || IsAskedFor(reports[i], paths);
    (full ? choice.full : choice.listed).push_back(i);
  }
  const bool any_lives = std::any_of(reports.begin(), reports.end(), Lives);
  if (choice.full.empty()) {
    // Of those that have ended, the finished ones come first.
    const auto last = std::max_element(
        choice.listed.begin(), choice.listed.end(),
        [&](std::size_t a, std::size_t b) {
          const auto key = [&](std::size_t i) {
            return std::pair(reports[i].state == RunState::kFinished,
                             reports[i].modified_time);
          };
          return key(a) < key(b);
        });
    const bool finished = reports[*last].state == RunState::kFinished;
    choice.full.push_back(*last);
    choice.listed.erase(last);
    choice.note = finished ? "No run is live; the last finished run:"
                           : "No run is live; the last one:";
  } else if (!any_lives) {
    choice.note = "No run is live.";
  }
  SortWorstFirst(reports, &choice.full);
  SortWorstFirst(reports, &choice.listed);
  return choice;
}

std::string StatusText(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, ReportStyle style,
                       const std::vector<std::string>& tails) {
  std::string out;
  if (!choice.note.empty()) out += choice.note + "\n\n";
  for (std::size_t n = 0; n < choice.full.size(); ++n) {
    if (n != 0) out += "\n";
    AppendReport(reports[choice.full[n]], style, &out);
    if (n >= tails.size() || tails[n].empty()) continue;
    const bool markdown = style == ReportStyle::kMarkdown;
    out += "\n**Log**\n";
    if (markdown) out += "~~~~~~\n";
    out += tails[n];
    if (markdown) out += "~~~~~~\n";
  }
  if (!choice.listed.empty()) {
    out += "\nOther runs (--run=NAME shows one):\n";
    for (const std::size_t i : choice.listed) {
      out += "- " + ReportSummary(reports[i]) + "\n";
    }
  }
  return out;
}

int StatusExitCode(const std::vector<RunReport>& reports,
                   const StatusChoice& choice) {
  int worst = 0;
  for (const std::size_t i : choice.full) {
    worst = std::max(worst, ReportExitCode(reports[i]));
  }
  return worst;
}

std::string LastLines(FileSource& source, const std::string& path,
                      std::size_t lines) {
  std::unique_ptr<OpenFile> file;
  FileStat stat;
  if (!source.Open(path, &file).ok() || !file->Stat(&stat).ok()) return "";
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(stat.size, kTailBytes));
  std::string text(size, '\0');
  std::size_t done = 0, got = 1;
  while (
      done < size && got != 0 &&
      file->Read(stat.size - size + done, text.data() + done, size - done, &got)
          .ok()) {
    done += got;
  }
  text.resize(done);
  if (text.ends_with('\n')) text.pop_back();
  std::vector<std::string_view> parts;
  std::string_view rest = text;
  while (!rest.empty() && parts.size() < lines) {
    const std::size_t end = rest.rfind('\n');
    parts.push_back(end == std::string_view::npos ? rest
                                                  : rest.substr(end + 1));
    rest = end == std::string_view::npos ? std::string_view()
                                         : rest.substr(0, end);
  }
  std::string out;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
    std::string line = RepairUtf8(RedactFront(*it, kTailLineBytes));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) {
          return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        },
        ' ');
    out += line + "\n";
  }
  return out;
}

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
  std::signal(SIGINT, StopWatching);
  std::signal(SIGTERM, StopWatching);
  for (double steady = 1;; steady += options.watch.value_or(0)) {
    const double wall = options.at.empty() ? WallClock() : at;
    const int code = run.Print({steady, wall});
    if (!options.watch || code == kExitFailure) return code;
    std::cout << "\nNext report at " << ClockText(wall + *options.watch)
              << "\n\n"
              << std::flush;
    if (!WaitSeconds(*options.watch)) return code;
  }
}

}  // namespace rlrun
