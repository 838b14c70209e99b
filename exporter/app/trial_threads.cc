#include "exporter/app/trial_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace rlrun {
namespace {

constexpr std::chrono::seconds kStopPatience{1};
// A slice of a walk: so long a reader keeps the others of its thread waiting,
// and news from Tick.
constexpr double kSlice = 0.2;
constexpr double kLongestWait = 3600;

}  // namespace

// Outlives whoever started the thread where the system does not let it go.
struct TrialThreads::Shared {
  explicit Shared(std::shared_ptr<TickSignal> s) : signal(std::move(s)) {}

  const std::shared_ptr<TickSignal> signal;
  const std::shared_ptr<std::atomic<double>> waiting =
      std::make_shared<std::atomic<double>>(0);
  std::atomic<bool> stop{false};  // written under mutex
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::shared_ptr<SliceReader>> readers;  // guarded by mutex
  bool woken = false;                                 // guarded by mutex
  bool ended = false;                                 // guarded by mutex

  bool Has(const std::shared_ptr<SliceReader>& reader) {
    const std::scoped_lock lock(mutex);
    return std::find(readers.begin(), readers.end(), reader) != readers.end();
  }
};

TrialThreads::~TrialThreads() {
  RequestStop();
  Join();
}

void TrialThreads::Match(
    const std::vector<std::shared_ptr<SliceReader>>& readers) {
  for (auto it = threads_.begin(); it != threads_.end();) {
    Shared& shared = **it;
    bool empty = false;
    {
      const std::scoped_lock lock(shared.mutex);
      std::erase_if(shared.readers, [&](const auto& reader) {
        return std::find(readers.begin(), readers.end(), reader) ==
               readers.end();
      });
      empty = shared.readers.empty();
    }
    if (!empty) {
      ++it;
      continue;
    }
    Stop(&shared);
    leaving_.push_back(std::move(*it));
    it = threads_.erase(it);
  }
  std::size_t next = 0;
  for (const auto& reader : readers) {
    if (std::any_of(threads_.begin(), threads_.end(),
                    [&](const auto& t) { return t->Has(reader); })) {
      continue;
    }
    const bool fresh = threads_.size() < kMost;
    if (fresh) threads_.push_back(std::make_shared<Shared>(signal_));
    const auto& shared =
        fresh ? threads_.back() : threads_[next++ % threads_.size()];
    reader->ShareWait(shared->waiting);
    {
      const std::scoped_lock lock(shared->mutex);
      shared->readers.push_back(reader);
    }
    if (fresh) std::thread([shared] { Loop(shared); }).detach();
  }
  Wake();
}

void TrialThreads::Wake() {
  for (const auto& shared : threads_) {
    {
      const std::scoped_lock lock(shared->mutex);
      shared->woken = true;
    }
    shared->wake.notify_all();
  }
}

void TrialThreads::Loop(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (!shared->stop) {
    const auto readers = shared->readers;
    shared->woken = false;
    lock.unlock();
    double wait = kLongestWait;
    for (const auto& reader : readers) {
      const Now now = ReadClocks();
      const auto go_on = [&] {
        return !shared->stop && ReadClocks().steady - now.steady < kSlice;
      };
      wait = std::min(wait, reader->Pass(now, go_on));
      if (reader->HasNews()) shared->signal->Notify();
    }
    lock.lock();
    if (wait == 0) continue;
    shared->wake.wait_for(lock, std::chrono::duration<double>(wait),
                          [&] { return shared->stop || shared->woken; });
  }
  shared->ended = true;
  shared->wake.notify_all();
}

void TrialThreads::Stop(Shared* shared) {
  {
    const std::scoped_lock lock(shared->mutex);
    shared->stop = true;
  }
  shared->wake.notify_all();
}

void TrialThreads::RequestStop() {
  for (const auto& shared : threads_) Stop(shared.get());
}

bool TrialThreads::Join() {
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  leaving_.insert(leaving_.end(), threads_.begin(), threads_.end());
  threads_.clear();
  bool all = true;
  for (const auto& shared : leaving_) {
    std::unique_lock lock(shared->mutex);
    all = shared->wake.wait_until(lock, until, [&] { return shared->ended; }) &&
          all;
  }
  leaving_.clear();
  return all;
}

}  // namespace rlrun
