// Runs of a run-record store, sick and healthy, and what must be said of each:
// the record, and, where the scenario has one, the log beside it. The run is
// called `calm-otter-0a1b` in project `lab`.
// Texts are made for the time of the look. Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rlrun::scenarios {

struct RecordFile {
  std::string path;  // below the folder of all runs
  std::string text;
  double age = 0;  // seconds since it was last written
};

struct RecordScenario {
  std::string name, summary;
  std::string signature;  // that must be found; empty: none
  std::string level;
  std::vector<std::string> companions;  // that may stand beside it
  std::string state = "running";
  std::vector<RecordFile> files;
};

// `at`: Unix time of the look.
std::vector<RecordScenario> RecordScenarios(std::int64_t at);

}  // namespace rlrun::scenarios
