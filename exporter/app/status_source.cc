#include "exporter/app/status_source.h"

#include <utility>

#include "exporter/config/client_config.h"
#include "exporter/web/api_client.h"

namespace rlrun {

std::vector<std::string> CheckUrlOptions(const CommandOptions& options) {
  std::vector<std::string> errors;
  if (std::string wrong = CheckApiUrl(options.url); !wrong.empty()) {
    errors.push_back(std::move(wrong));
  }
  if (!options.http_config_file.empty()) {
    ApiAccess access;
    for (std::string& error :
         LoadClientConfig(options.http_config_file, &access)) {
      errors.push_back(std::move(error));
    }
  }
  if (!options.paths.empty() || !options.config_file.empty()) {
    errors.emplace_back(
        "--url: neither PATH nor --config.file goes with it; the exporter "
        "there has its own");
  }
  if (!options.at.empty()) {
    errors.emplace_back(
        "--url: the exporter there judges by its clock, not "
        "by --at");
  }
  if (options.tail != 0) {
    errors.emplace_back(
        "--url: an exporter serves no logs; for --tail give a "
        "PATH on the host that has them");
  }
  return errors;
}

std::string FetchReports(const CommandOptions& options, ReadReports* reports) {
  ApiAccess access;
  if (!options.http_config_file.empty()) {
    // Anew for every report: a password may have changed.
    const std::vector<std::string> errors =
        LoadClientConfig(options.http_config_file, &access);
    if (!errors.empty()) return errors.front();
  }
  std::string body;
  std::string wrong =
      GetFromApi(options.url, "/api/v1/runs", access, {}, &body);
  if (!wrong.empty()) return wrong;
  if (!ReadStatusJson(body, reports, &wrong)) {
    return options.url + ": does not answer as an rlrun_exporter does (" +
           wrong + ")";
  }
  return "";
}

}  // namespace rlrun
