#include "exporter/app/command.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <utility>

#include "exporter/app/app.h"
#include "exporter/app/cache_dir.h"
#include "exporter/app/descriptors.h"
#include "exporter/app/log.h"
#include "exporter/config/web_config.h"
#include "exporter/exposition/exposition.h"
#include "exporter/process/process_scanner.h"
#include "exporter/tail/real_file_source.h"
#include "parsers/values/iso_time.h"

namespace rlrun {
namespace {

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
  const std::optional<double> civil = ParseIsoTime(text);
  if (civil) *unix_seconds = *civil;
  return civil.has_value();
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
  if (options.only_processes && !config->processes.enabled) {
    errors.push_back("--export=processes: the configuration turns them off");
  }
  if (!options.cache_dir.empty()) config->trials.cache_dir = options.cache_dir;
  if (std::string wrong = CheckCacheDir(*config); !wrong.empty()) {
    errors.push_back(std::move(wrong));
  }
  config->tail.max_open_files =
      FilesPerRoot(RaiseDescriptorLimit(), config->roots.size(),
                   config->tail.max_open_files);
  return errors;
}

int CheckConfig(const std::string& file, const std::string& web_file) {
  Config config;
  AccessOptions access;
  std::vector<std::string> errors;
  if (!file.empty()) errors = LoadConfig(file, &config);
  std::vector<std::string> web;
  if (!web_file.empty()) web = LoadWebConfig(web_file, &access);
  for (const auto* all : {&errors, &web}) {
    for (const std::string& e : *all) std::cerr << e << "\n";
  }
  if (!errors.empty() || !web.empty()) return kExitUsage;
  if (!file.empty()) {
    std::cout << file << ": ok, " << config.roots.size() << " root"
              << (config.roots.size() == 1 ? "" : "s") << "\n";
  }
  if (!web_file.empty()) {
    std::cout << web_file << ": ok, " << (access.tls ? "TLS, " : "no TLS, ")
              << access.users.size() << " user"
              << (access.users.size() == 1 ? "" : "s") << "\n";
  }
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
  app_options.only_processes = options.only_processes;
  app_options.shard = options.shard;
  app_options.self = {RLRUN_VERSION, RLRUN_REVISION, false};
  App app(std::move(config), app_options, &source);
  app.ReadInline(now);
  if (options.only_processes) {
    ProcessScanner scanner(app.config().processes);
    app.TakeProcesses(scanner.Scan(app.RunKeys(), WallClock()));
    app.Tick(now);
  }
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
