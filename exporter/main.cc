// Arguments -> options -> a command of app. Nothing else.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "exporter/app/command.h"
#include "exporter/app/log.h"
#include "exporter/app/shard.h"
#include "exporter/config/duration.h"

namespace {

constexpr const char* kAbout =
    "Prometheus exporter for reinforcement-learning training runs.\n"
    "PATH is a log file (of any name), a directory of logs, a trials root, a "
    "store of run records or a glob.";

struct Arguments {
  rlrun::CommandOptions command;
  std::string log_level = "info";
  std::string log_format = "logfmt";
  std::string check_file;
  std::string exported = "all";
  std::string watch;
};

// `I/N` into *shard; the text of what is wrong is CLI11's to print.
void AddShard(CLI::App* app, rlrun::Shard* shard) {
  app->add_option(
         "--shard",
         [shard](const CLI::results_t& given) {
           const std::string wrong = rlrun::ParseShard(given.back(), shard);
           if (!wrong.empty()) throw CLI::ValidationError("--shard", wrong);
           return true;
         },
         "I/N: publish only the runs of shard I, counted from 0, of N; I may "
         "be a name that ends in a number, as a pod's does")
      ->type_name("I/N")
      ->expected(1);
}

void AddPaths(CLI::App* app, Arguments* a) {
  app->add_option("PATH", a->command.paths, "Where to look for runs");
  app->add_option("--config.file", a->command.config_file,
                  "YAML configuration; config.example.yaml explains it");
  app->add_option("--export", a->exported,
                  "all, or processes: of the runs only their processes on this "
                  "host, beside an exporter that reads the shared volume")
      ->check(CLI::IsMember({"all", "processes"}))
      ->capture_default_str();
  app->add_option("--log.level", a->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app->add_option("--log.format", a->log_format, "logfmt or json")
      ->check(CLI::IsMember({"logfmt", "json"}))
      ->capture_default_str();
}

void AddWeb(CLI::App* app, Arguments* a) {
  rlrun::WebOptions& web = a->command.web;
  app->add_option("--web.listen-address", web.listen_addresses,
                  "Address to listen on; may be given several times")
      ->capture_default_str()
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--web.telemetry-path", web.telemetry_path,
                  "Path of the metrics")
      ->capture_default_str();
  app->add_option("--web.external-url", web.external_url,
                  "URL under which a browser reaches the exporter");
  app->add_option("--web.config.file", web.config_file,
                  "TLS, users and headers, in the format of Prometheus' "
                  "exporter-toolkit; read again when it changes");
  app->add_option("--web.runbook-url", web.runbook_url,
                  "URL below which pages link to runbooks, NAME.md behind it "
                  "(default: the exporter's own copies)");
  app->add_option("--web.grafana-url", web.grafana_url,
                  "URL of the Grafana that has the dashboards: pages of runs "
                  "link to theirs");
  app->add_option("--web.show-log-text", web.show_log_text,
                  "false: no line of a log on pages and in the API")
      ->capture_default_str();
  app->add_flag("--web.enable-lifecycle", web.enable_lifecycle,
                "Serve POST /-/reload");
}

void AddCache(CLI::App* app, Arguments* a) {
  app->add_option("--cache.dir", a->command.cache_dir,
                  "Folder of the exporter's own in which finished trials are "
                  "remembered, so that a restart does not read them again");
}

void AddStatus(CLI::App* app, Arguments* a) {
  AddPaths(app, a);
  rlrun::CommandOptions& c = a->command;
  app->add_option("--run", c.run,
                  "[PROJECT/]NAME, or the begin or a part of it; default: the "
                  "runs that live")
      ->check(CLI::Validator(
          [](const std::string& name) {
            return name.empty() ? std::string("is empty") : std::string();
          },
          ""));
  app->add_option("--url", c.url,
                  "Ask the exporter that runs there (http://host:10190) "
                  "instead of reading a PATH");
  app->add_option("--http.config.file", c.http_config_file,
                  "With --url: user and password, certificates, authorities "
                  "to trust, in the format of Prometheus' http_config");
  app->add_option("--at", c.at,
                  "Time to judge by: RFC 3339 or Unix seconds (default now)");
  app->add_option("--format", c.format, "text, markdown or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  app->add_option("--tail", c.tail, "Show the last N lines of the log")
      ->check(CLI::Range(0, 1'000'000));
  app->add_option("--watch", a->watch, "Report again, every 30m if not told");
  app->footer(
      "Exit codes: 0, 1, 2 for healthy, at risk, critical, the worst of the "
      "runs shown;\n3 nothing found or ambiguous, 64 usage or configuration "
      "error.");
}

// A bare word that is no file: `staus`. With a slash or a glob character in it
// it is a path that may come to be.
bool IsMistypedCommand(const std::string& word) {
  std::error_code error;
  return word.find_first_of("/*?[.") == std::string::npos &&
         !std::filesystem::exists(word, error);
}

// `--watch` alone means `--watch=30m`; a PATH behind it is no duration.
std::vector<std::string> Words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word == "--watch") word = "--watch=30m";
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  CLI::App app(kAbout, "rlrun_exporter");
  app.set_version_flag("--version", rlrun::VersionText());
  app.footer("Exit codes: 3 nothing found, 64 usage or configuration error.");
  app.require_subcommand(0, 1);

  CLI::App* serve =
      app.add_subcommand("serve", "Serve /metrics (the default command)");
  AddPaths(serve, &a);
  AddWeb(serve, &a);
  AddCache(serve, &a);
  AddShard(serve, &a.command.shard);
  CLI::App* once =
      app.add_subcommand("once", "Read to the end, print the exposition, exit");
  AddPaths(once, &a);
  once->add_option("--at", a.command.at,
                   "Time to judge by: RFC 3339 or Unix seconds (default now)");
  AddShard(once, &a.command.shard);
  CLI::App* status = app.add_subcommand(
      "status", "Print a health report of the runs that live, or of one run");
  AddStatus(status, &a);
  CLI::App* check = app.add_subcommand(
      "check-config", "Print every error of a configuration file");
  check->add_option("FILE", a.check_file, "The file");
  check->add_option("--web.config.file", a.command.web.config_file,
                    "A file of TLS and users as well, or alone");
  // `rlrun_exporter PATH...` is `rlrun_exporter serve PATH...`.
  AddPaths(&app, &a);
  AddWeb(&app, &a);
  AddCache(&app, &a);
  AddShard(&app, &a.command.shard);

  try {
    app.parse(Words(argc, argv));
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "rlrun_exporter: " << e.what()
              << "\nRun with --help for more information.\n";
    return rlrun::kExitUsage;
  }
  if (!rlrun::SetupLog(a.log_level, a.log_format)) {
    std::cerr << "rlrun_exporter: --log.level is debug, info, warn or error; "
                 "--log.format is logfmt or json\n";
    return rlrun::kExitUsage;
  }
  a.command.only_processes = a.exported == "processes";
  if (*check) {
    if (a.check_file.empty() && a.command.web.config_file.empty()) {
      std::cerr << "rlrun_exporter: check-config: FILE is required\n"
                   "Run with --help for more information.\n";
      return rlrun::kExitUsage;
    }
    return rlrun::CheckConfig(a.check_file, a.command.web.config_file);
  }
  if (*status) {
    if (!a.watch.empty()) {
      a.command.watch = rlrun::ParseDuration(a.watch);
      if (!a.command.watch || *a.command.watch < 1) {
        std::cerr << "rlrun_exporter: --watch: not a duration of a second or "
                     "more: "
                  << a.watch << "\n";
        return rlrun::kExitUsage;
      }
    }
    return rlrun::Status(a.command);
  }
  if (*once) return rlrun::Once(a.command);
  if (!*serve) {
    for (const std::string& path : a.command.paths) {
      if (!IsMistypedCommand(path)) continue;
      std::cerr << "rlrun_exporter: " << path
                << " is neither a path nor a command; serve " << path
                << " waits for such a path\nRun with --help for more "
                   "information.\n";
      return rlrun::kExitUsage;
    }
  }
  return rlrun::Serve(a.command);
}
