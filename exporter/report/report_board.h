// Where the thread that runs Tick leaves reports for the threads that serve
// pages. Reports are only made while somebody asks: a scrape never pays for
// them, and a page never waits for a file.
// Safe from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "exporter/report/run_page.h"

namespace rlrun {

struct ReportSet {
  double made_at = 0;  // Unix seconds
  std::vector<std::shared_ptr<const RunPage>> runs;
};

class ReportBoard {
 public:
  // `wake`: makes the thread of Tick look at wanted() soon; may be empty.
  explicit ReportBoard(std::function<void()> wake = nullptr)
      : wake_(std::move(wake)) {}

  // Reports not older than a second; waits for them up to `most`, then takes
  // the newest there are. Null: there are none.
  std::shared_ptr<const ReportSet> Get(std::chrono::milliseconds most);

  // For the thread of Tick: somebody waits.
  bool wanted() const;
  void Publish(std::shared_ptr<const ReportSet> set);

 private:
  using Clock = std::chrono::steady_clock;
  bool Fresh() const;

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable published_;
  bool wanted_ = false;
  Clock::time_point at_{};
  std::shared_ptr<const ReportSet> set_;
};

}  // namespace rlrun
