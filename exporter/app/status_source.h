// Where the command `status` gets its reports from when it asks a running
// exporter instead of reading files.
// Stateless; safe from any thread.
#pragma once

#include <string>

#include "exporter/app/command.h"
#include "exporter/report/report_read.h"

namespace rlrun {

// What of the options makes no sense with --url, one line each.
std::vector<std::string> CheckUrlOptions(const CommandOptions& options);

// As who the options say. Empty, or what is wrong.
std::string FetchReports(const CommandOptions& options, ReadReports* reports);

}  // namespace rlrun
