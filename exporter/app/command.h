// What the command line asked for, and the commands themselves. Each returns
// the exit code of the process: 0 done, 3 nothing found, 64 usage or
// configuration error, 1 anything else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exporter/app/shard.h"
#include "exporter/config/config.h"
#include "exporter/web/options.h"

namespace rlrun {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitNothingFound = 3;
inline constexpr int kExitUsage = 64;

struct CommandOptions {
  std::vector<std::string> paths;  // PATH arguments
  std::string config_file;         // empty: none
  WebOptions web;
  bool only_processes = false;  // --export=processes
  std::string cache_dir;        // --cache.dir; empty: as configured
  Shard shard;                  // --shard
  std::string at;               // RFC 3339 or Unix seconds; empty: now
  // `status`:
  std::string url;               // of an exporter to ask; empty: reads files
  std::string http_config_file;  // --http.config.file; empty: none
  std::string run;               // which runs; empty: those that live
  std::string format = "text";   // `text`, `markdown` or `json`
  std::size_t tail = 0;          // lines of the log behind the report
  std::optional<double> watch;   // seconds between reports
};

// `VERSION (REVISION)` as it was built.
std::string VersionText();

// Serves until SIGTERM or SIGINT.
int Serve(const CommandOptions& options);
// Reads to the end, prints the exposition.
int Once(const CommandOptions& options);
// Prints the status report: 0, 1, 2 for healthy, at risk, critical, the worst
// of the runs shown.
int Status(const CommandOptions& options);
// Prints every error of a configuration file and of a file of
// `--web.config.file`; an empty name: none is given.
int CheckConfig(const std::string& file, const std::string& web_file);

// Configuration file and PATH arguments together. Returns errors, one per line
// of text; empty: *config is filled.
std::vector<std::string> MakeConfig(const CommandOptions& options,
                                    Config* config);

// `2026-01-02T03:04:05Z`, `...+02:00`, `2026-01-02 03:04:05` (UTC) or Unix
// seconds. False: none of these.
bool ParseTime(const std::string& text, double* unix_seconds);

}  // namespace rlrun
