#include "exporter/app/process_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "exporter/process/process_scanner.h"

namespace rlrun {
namespace {

constexpr std::chrono::seconds kStopPatience{1};

bool Same(const ProcessOptions& a, const ProcessOptions& b) {
  return a.enabled == b.enabled && a.interval == b.interval &&
         a.proc_root == b.proc_root && a.nvml_library == b.nvml_library;
}

}  // namespace

// Outlives whoever started the thread where the system does not let it go.
struct ProcessWatch::Shared {
  Shared(ProcessOptions o, std::shared_ptr<TickSignal> s)
      : options(std::move(o)), signal(std::move(s)) {}

  const ProcessOptions options;
  const std::shared_ptr<TickSignal> signal;
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<RunKey> runs;             // guarded by mutex
  std::optional<ProcessReport> report;  // guarded by mutex
  bool stop = false;                    // guarded by mutex
  bool ended = false;                   // guarded by mutex
};

ProcessWatch::~ProcessWatch() {
  RequestStop();
  Join();
}

void ProcessWatch::Start(const ProcessOptions& options) {
  if (shared_ != nullptr && Same(shared_->options, options)) return;
  std::vector<RunKey> runs;
  if (shared_ != nullptr) {
    const std::scoped_lock lock(shared_->mutex);
    runs = shared_->runs;
  }
  RequestStop();
  Join();
  if (!options.enabled) return;
  shared_ = std::make_shared<Shared>(options, signal_);
  shared_->runs = std::move(runs);
  std::thread([shared = shared_] { Loop(shared); }).detach();
}

void ProcessWatch::SetRuns(std::vector<RunKey> runs) {
  if (shared_ == nullptr) return;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->runs = std::move(runs);
  }
  shared_->wake.notify_all();
}

std::optional<ProcessReport> ProcessWatch::Take() {
  if (shared_ == nullptr) return std::nullopt;
  const std::scoped_lock lock(shared_->mutex);
  return std::exchange(shared_->report, std::nullopt);
}

void ProcessWatch::Loop(const std::shared_ptr<Shared>& shared) {
  ProcessScanner scanner(shared->options);
  double last = 0;  // the scanner's time never goes back
  std::unique_lock lock(shared->mutex);
  while (!shared->stop) {
    if (shared->runs.empty()) {
      shared->wake.wait(lock,
                        [&] { return shared->stop || !shared->runs.empty(); });
      continue;
    }
    const std::vector<RunKey> runs = shared->runs;
    lock.unlock();
    last = std::max(last, ReadClocks().wall);
    ProcessReport report = scanner.Scan(runs, last);
    lock.lock();
    shared->report = std::move(report);
    if (shared->stop) break;
    lock.unlock();
    shared->signal->Notify();
    lock.lock();
    shared->wake.wait_for(
        lock, std::chrono::duration<double>(shared->options.interval),
        [&] { return shared->stop; });
  }
  shared->ended = true;
  shared->wake.notify_all();
}

void ProcessWatch::RequestStop() {
  if (shared_ == nullptr) return;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->wake.notify_all();
}

bool ProcessWatch::Join() {
  if (shared_ != nullptr) {
    std::unique_lock lock(shared_->mutex);
    const bool ended = shared_->wake.wait_for(
        lock, kStopPatience, [this] { return shared_->ended; });
    left_behind_ = left_behind_ || !ended;
  }
  shared_.reset();
  return !left_behind_;
}

}  // namespace rlrun
