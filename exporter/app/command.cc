#include "exporter/app/command.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>
#include <string_view>
#include <utility>

#include "exporter/app/app.h"
#include "exporter/app/descriptors.h"
#include "exporter/app/log.h"
#include "exporter/exposition/exposition.h"
#include "exporter/tail/real_file_source.h"

namespace rlrun {
namespace {

// Reads `digits` decimal digits at the front of *text.
bool TakeDigits(std::string_view* text, std::size_t digits, int* value) {
  if (text->size() < digits) return false;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + digits, *value);
  if (error != std::errc() || end != text->data() + digits) return false;
  if (text->front() == '-') return false;
  text->remove_prefix(digits);
  return true;
}

bool TakeChar(std::string_view* text, std::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == std::string_view::npos) {
    return false;
  }
  text->remove_prefix(1);
  return true;
}

// `Z`, `+02:00`, `-0700` or nothing (UTC), in seconds.
bool TakeZone(std::string_view* text, int* seconds) {
  *seconds = 0;
  if (text->empty() || TakeChar(text, "Zz")) return true;
  const bool minus = text->front() == '-';
  int hours = 0, minutes = 0;
  if (!TakeChar(text, "+-") || !TakeDigits(text, 2, &hours)) return false;
  TakeChar(text, ":");
  if (!TakeDigits(text, 2, &minutes) || hours > 15 || minutes > 59) {
    return false;
  }
  *seconds = (hours * 60 + minutes) * 60 * (minus ? -1 : 1);
  return true;
}

bool ParseCivilTime(std::string_view text, double* unix_seconds) {
  std::tm tm{};
  int zone = 0;
  double fraction = 0;
  if (!TakeDigits(&text, 4, &tm.tm_year) || !TakeChar(&text, "-") ||
      !TakeDigits(&text, 2, &tm.tm_mon) || !TakeChar(&text, "-") ||
      !TakeDigits(&text, 2, &tm.tm_mday) || !TakeChar(&text, "Tt ") ||
      !TakeDigits(&text, 2, &tm.tm_hour) || !TakeChar(&text, ":") ||
      !TakeDigits(&text, 2, &tm.tm_min)) {
    return false;
  }
  if (TakeChar(&text, ":") && !TakeDigits(&text, 2, &tm.tm_sec)) return false;
  if (!text.empty() && text.front() == '.') {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), fraction,
                        std::chars_format::fixed);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!TakeZone(&text, &zone) || !text.empty()) return false;
  const std::chrono::year_month_day day{
      std::chrono::year(tm.tm_year),
      std::chrono::month(static_cast<unsigned>(tm.tm_mon)),
      std::chrono::day(static_cast<unsigned>(tm.tm_mday))};
  if (!day.ok() || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60) {
    return false;
  }
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  *unix_seconds = static_cast<double>(days) * 86400 + tm.tm_hour * 3600 +
                  tm.tm_min * 60 + tm.tm_sec + fraction - zone;
  return true;
}

double WallClock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int UsageError(const std::vector<std::string>& errors) {
  for (const std::string& e : errors) {
    std::cerr << "rlrun_exporter: " << e << "\n";
  }
  return kExitUsage;
}

}  // namespace

std::string VersionText() {
  return std::string("rlrun_exporter ") + RLRUN_VERSION + " (revision " +
         RLRUN_REVISION + ")";
}

bool ParseTime(const std::string& text, double* unix_seconds) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() &&
      std::isfinite(value)) {
    *unix_seconds = value;
    return true;
  }
  return ParseCivilTime(text, unix_seconds);
}

std::vector<std::string> MakeConfig(const CommandOptions& options,
                                    Config* config) {
  std::vector<std::string> errors;
  if (!options.config_file.empty()) {
    errors = LoadConfig(options.config_file, config);
  }
  for (const std::string& path : options.paths) {
    if (path.empty()) {
      errors.emplace_back("PATH is empty");
      continue;
    }
    RootOptions root;
    root.path = path;
    config->roots.push_back(std::move(root));
  }
  if (errors.empty() && config->roots.empty()) {
    errors.push_back(
        "nothing to read: give a PATH, or roots: in --config.file");
  }
  config->tail.max_open_files =
      FilesPerRoot(RaiseDescriptorLimit(), config->roots.size(),
                   config->tail.max_open_files);
  return errors;
}

int CheckConfig(const std::string& file) {
  Config config;
  const std::vector<std::string> errors = LoadConfig(file, &config);
  for (const std::string& e : errors) std::cerr << e << "\n";
  if (!errors.empty()) return kExitUsage;
  std::cout << file << ": ok, " << config.roots.size() << " root"
            << (config.roots.size() == 1 ? "" : "s") << "\n";
  return 0;
}

int Once(const CommandOptions& options) {
  Config config;
  std::vector<std::string> errors = MakeConfig(options, &config);
  Now now;
  now.steady = 1;
  now.wall = WallClock();
  if (!options.at.empty() && !ParseTime(options.at, &now.wall)) {
    errors.push_back("--at: not a time: " + options.at +
                     " (RFC 3339 or Unix seconds)");
  }
  if (!errors.empty()) return UsageError(errors);
  RealFileSource source;
  AppOptions app_options;
  app_options.age_limits = false;
  app_options.self = {RLRUN_VERSION, RLRUN_REVISION, false};
  App app(std::move(config), app_options, &source);
  app.ReadInline(now);
  const std::shared_ptr<const Snapshot> snapshot = app.snapshot();
  std::string text;
  AppendBlocks(&text, snapshot->blocks, TextFormat::kText004);
  app.AppendSelf(&text, TextFormat::kText004);
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "rlrun_exporter: cannot write to standard output\n";
    return kExitFailure;
  }
  if (snapshot->runs.empty()) {
    std::cerr << "rlrun_exporter: no run found\n";
    return kExitNothingFound;
  }
  return 0;
}

}  // namespace rlrun
