// A FileSource that notes when a call began, so that a mount that does not
// answer is seen from outside, by a thread that never touches the mount.
// One reader thread makes the calls; `WaitingSince` is for any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

class WatchedSource : public FileSource {
 public:
  explicit WatchedSource(FileSource* source) : source_(source) {}

  // Steady seconds at which the call that is still under way began; 0: none.
  double WaitingSince() const { return since_->load(); }
  // Before the first call: notes begin there too, and those of others that
  // share it, by turns on one thread, count here.
  void ShareWait(std::shared_ptr<std::atomic<double>> since) {
    since_ = std::move(since);
  }

  IoStatus Stat(const std::string& path, FileStat* stat) override;
  IoStatus List(const std::string& directory,
                std::vector<DirEntry>* entries) override;
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override;
  std::string Canonical(const std::string& path) override;
  bool IsNetwork(const std::string& path) override;

 private:
  FileSource* source_;
  std::shared_ptr<std::atomic<double>> since_ =
      std::make_shared<std::atomic<double>>(0);
};

}  // namespace rlrun
