// A folder of trials as it really lies on shared storage: two projects, six
// runs. One on three nodes with a folder each, one launched by hand with only
// an `.out`, one relaunched with the same name (its log is truncated), one
// crashed, one deadlocked in its first validation, one killed. Written event by
// event through a Sink, each event with what must be true behind it.
// Deterministic; RunTree is not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {

// Where the bytes go: real files (files.h), or a file system in memory.
class Sink {
 public:
  virtual ~Sink() = default;
  // Creates the file, and its folders, where they are missing.
  virtual void Append(const std::string& path, std::string_view bytes) = 0;
  // To nothing; the file stays the same one.
  virtual void Truncate(const std::string& path) = 0;
  // Whatever the file held.
  virtual void Replace(const std::string& path, std::string_view bytes) {
    Truncate(path);
    Append(path, bytes);
  }
  // Unix time of what is written from now on.
  virtual void SetTime(double /*at*/) {}
};

// What must be true of a run when all bytes so far have been read.
struct RunTruth {
  std::string project, run;
  std::string log;          // path
  std::string state;        // as the files alone tell it
  std::string state_seen;   // where its process has been seen here as well
  std::string phase;        // empty: none was shown
  std::optional<int> step;  // newest training line; absent: none yet
  int total_steps = 0;
  std::optional<int> rewinds = 0;  // to who has read all; absent: not said
  bool process_up = true;
  int trials_running = 0, trials_finished = 0, trials_scored = 0;
  std::string signature;  // that is active; empty: none
};

struct TreeEvent {
  double at = 0;               // Unix time
  std::string what;            // for the message of a failing test
  std::vector<RunTruth> runs;  // those that have a log
};

struct TreeOptions {
  std::string root = "/trials";  // of all paths
  std::uint64_t seed = 1;
  std::int64_t start = kScenarioStart;
  double clock_speed = 1;
};

// One event as it was put together; internal.
struct TreeStep {
  struct Change {
    std::string path;
    std::string bytes;
    bool truncates = false;
  };
  double at = 0;
  std::string what;
  std::vector<Change> changes;
  RunTruth truth;  // of the run that it belongs to
};

class RunTree {
 public:
  explicit RunTree(const TreeOptions& options = {});

  // Hands the bytes of the next event to `sink`; false: there is none left.
  bool Next(Sink* sink, TreeEvent* event);
  // The same without handing out: when the next event is; absent: none left.
  std::optional<double> NextAt() const;

 private:
  std::vector<TreeStep> steps_;
  std::size_t next_ = 0;
  std::vector<RunTruth> truths_;     // of the runs that have a log
  std::vector<double> last_writes_;  // of the same
};

// Of the tree when all events are through.
std::vector<Expectation> TreeLedger(const TreeOptions& options);

}  // namespace rlrun::scenarios
