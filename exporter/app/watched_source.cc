#include "exporter/app/watched_source.h"

#include <chrono>

namespace rlrun {
namespace {

class Mark {
 public:
  explicit Mark(std::atomic<double>* since) : since_(since) {
    since_->store(std::chrono::duration<double>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
  }
  ~Mark() { since_->store(0); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

 private:
  std::atomic<double>* since_;
};

class WatchedFile : public OpenFile {
 public:
  WatchedFile(std::unique_ptr<OpenFile> file,
              std::shared_ptr<std::atomic<double>> since)
      : file_(std::move(file)), since_(std::move(since)) {}

  IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                std::size_t* got) override {
    const Mark mark(since_.get());
    return file_->Read(offset, buffer, size, got);
  }
  IoStatus Stat(FileStat* stat) override {
    const Mark mark(since_.get());
    return file_->Stat(stat);
  }

 private:
  std::unique_ptr<OpenFile> file_;
  std::shared_ptr<std::atomic<double>> since_;
};

}  // namespace

IoStatus WatchedSource::Stat(const std::string& path, FileStat* stat) {
  const Mark mark(since_.get());
  return source_->Stat(path, stat);
}

IoStatus WatchedSource::List(const std::string& directory,
                             std::vector<DirEntry>* entries) {
  const Mark mark(since_.get());
  return source_->List(directory, entries);
}

IoStatus WatchedSource::Open(const std::string& path,
                             std::unique_ptr<OpenFile>* file) {
  const Mark mark(since_.get());
  const IoStatus status = source_->Open(path, file);
  if (status.ok()) {
    *file = std::make_unique<WatchedFile>(std::move(*file), since_);
  }
  return status;
}

std::string WatchedSource::Canonical(const std::string& path) {
  const Mark mark(since_.get());
  return source_->Canonical(path);
}

bool WatchedSource::IsNetwork(const std::string& path) {
  const Mark mark(since_.get());
  return source_->IsNetwork(path);
}

}  // namespace rlrun
