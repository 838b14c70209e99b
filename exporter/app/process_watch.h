// The thread that looks at the processes of this host at an interval. Finds
// them for the runs it was told of last, and keeps the newest report until it
// is taken. Decides nothing.
// Start, SetRuns, Take, RequestStop and Join belong to one thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exporter/app/reader_threads.h"
#include "exporter/process/options.h"
#include "exporter/process/process_report.h"

namespace rlrun {

class ProcessWatch {
 public:
  // `signal` is notified of each report.
  explicit ProcessWatch(std::shared_ptr<TickSignal> signal)
      : signal_(std::move(signal)) {}
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  // Looks from now on as `options` say, or no longer. What was seen before is
  // forgotten where they say anything else than before.
  void Start(const ProcessOptions& options);
  // The first runs are looked at once, later changes at the next look.
  void SetRuns(std::vector<RunKey> runs);
  // The newest report, once.
  std::optional<ProcessReport> Take();

  void RequestStop();
  // Waits a second for the thread to end after RequestStop. False: it waits for
  // the system and was left behind.
  bool Join();

 private:
  struct Shared;
  static void Loop(const std::shared_ptr<Shared>& shared);

  const std::shared_ptr<TickSignal> signal_;
  std::shared_ptr<Shared> shared_;  // null: nothing is watched
  bool left_behind_ = false;
};

}  // namespace rlrun
