// Status reports back from the JSON of report_json.h: what another exporter
// says of its runs. What report_json.h does not write is empty here.
// Pure; safe from any thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/run_report.h"

namespace rlrun {

struct ReadReports {
  double generated_at = 0;  // Unix seconds
  bool partial = false;     // its first pass is under way: more may follow
  std::vector<RunReport> runs;
  // What the views in `runs` point into.
  std::shared_ptr<const std::deque<std::string>> texts;
};

// False: `json` is no such document; `error` says what it is not. Fields that
// are not known here are passed over.
bool ReadStatusJson(std::string_view json, ReadReports* out,
                    std::string* error);

}  // namespace rlrun
