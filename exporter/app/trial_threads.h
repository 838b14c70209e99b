// The threads that walk through trial directories, or record stores: one per
// root, at most kMost; further roots share them. Decides nothing about what is
// read.
// Match, Wake, RequestStop and Join belong to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exporter/app/reader_threads.h"
#include "exporter/app/slice_reader.h"

namespace rlrun {

class TrialThreads {
 public:
  static constexpr std::size_t kMost = 16;

  // `signal` is notified of news.
  explicit TrialThreads(std::shared_ptr<TickSignal> signal)
      : signal_(std::move(signal)) {}
  ~TrialThreads();
  TrialThreads(const TrialThreads&) = delete;
  TrialThreads& operator=(const TrialThreads&) = delete;

  // Gives each reader that has none a thread, and takes the others away.
  void Match(const std::vector<std::shared_ptr<SliceReader>>& readers);
  template <class Reader>
  void Match(const std::vector<std::shared_ptr<Reader>>& readers) {
    Match(std::vector<std::shared_ptr<SliceReader>>(readers.begin(),
                                                    readers.end()));
  }
  // Readers have another plan.
  void Wake();

  void RequestStop();
  // Waits a second for the threads to end after RequestStop. False: one waits
  // for a file system and was left behind.
  bool Join();

  std::size_t size() const { return threads_.size(); }

 private:
  struct Shared;
  static void Loop(const std::shared_ptr<Shared>& shared);
  static void Stop(Shared* shared);

  const std::shared_ptr<TickSignal> signal_;
  std::vector<std::shared_ptr<Shared>> threads_;
  // Told to stop because their roots are gone.
  std::vector<std::shared_ptr<Shared>> leaving_;
};

}  // namespace rlrun
