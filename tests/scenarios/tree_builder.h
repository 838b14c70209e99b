// Puts the events of a RunTree together, run by run. Internal to run_tree.
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "tests/scenarios/run_tree.h"
#include "tests/scenarios/trial_files.h"

namespace rlrun::scenarios {

// One launch: where it writes, besides what its scenario says.
struct Launch {
  Scenario scenario;
  double after = 0;                  // seconds behind the start of the tree
  std::string log;                   // below the root; so are the others
  std::string engine_log;            // gets the engine lines too; empty: none
  std::string launch_log;            // gets everything, behind a banner
  std::vector<std::string> folders;  // of trials, in turn; empty: no trials
  bool is_killed = false;            // its process ends with its last line
  bool is_relaunch = false;  // truncates what the launch before it wrote
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const TreeOptions& options) : options_(options) {}

  void Add(const Launch& launch);
  // A file that another node of a launch writes, once.
  void AddFile(double after, const std::string& path, std::string bytes);
  std::vector<TreeStep> Take();  // in the order of time

 private:
  TreeStep& NewStep(double at, std::string what);
  void Truncate(const Launch& launch, double at);
  void AddPiece(const Launch& launch, const Piece& piece);
  void StartTrials(const Launch& launch, double at, int group);
  void FinishTrials(double at);
  std::string Path(const std::string& path) const {
    return options_.root + "/" + path;
  }

  TreeOptions options_;
  std::vector<TreeStep> steps_;
  RunTruth truth_;  // of the launch that is being added
  int trials_ = 0;  // so far, of all launches
  struct OpenTrial {
    std::string folder;
    Trial trial;
  };
  std::vector<OpenTrial> open_;
};

}  // namespace rlrun::scenarios
