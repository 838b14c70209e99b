// A folder that a test changes as writers, logrotate and people do, either in
// the file system in memory or in a real one. Paths are relative to it.
// Not thread-safe.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "exporter/tail/real_file_source.h"
#include "tests/support/in_memory_file_source.h"
#include "tests/support/root_rights.h"
#include "tests/support/temp_folder.h"

namespace rlrun {

enum class Place { kMemory, kDisk, kTmpfs };

class World {
 public:
  virtual ~World() = default;
  virtual FileSource* source() = 0;
  virtual std::string root() const = 0;
  virtual double start() const = 0;     // Unix seconds of time 0
  virtual void SetTime(double t) = 0;   // of the changes from now on
  virtual std::size_t OpenFiles() = 0;  // held open by the reader
  virtual void Mkdir(const std::string& path) = 0;
  virtual void Append(const std::string& path, std::string_view text) = 0;
  // Truncates first; the file stays the same.
  virtual void Write(const std::string& path, std::string_view text) = 0;
  virtual void Truncate(const std::string& path, std::size_t size) = 0;
  virtual void Rename(const std::string& from, const std::string& to) = 0;
  virtual void Remove(const std::string& path) = 0;  // with all below
  virtual void Copy(const std::string& from, const std::string& to) = 0;
  virtual void Symlink(const std::string& target, const std::string& path) = 0;
  virtual void SetReadable(const std::string& path, bool readable) = 0;

  void CopyTruncate(const std::string& path, const std::string& copy) {
    Copy(path, copy);
    Truncate(path, 0);
  }
};

class MemoryWorld : public World {
 public:
  MemoryWorld() {
    files_.Mkdir("/r");
    files_.ReuseInodes(true);
    SetTime(0);
  }
  FileSource* source() override { return &files_; }
  std::string root() const override { return "/r"; }
  double start() const override { return kStart; }
  void SetTime(double t) override {
    files_.SetClock((kStart + static_cast<std::int64_t>(t)) * 1000000000);
  }
  std::size_t OpenFiles() override { return files_.open_files(); }
  void Mkdir(const std::string& path) override { files_.Mkdir(At(path)); }
  void Append(const std::string& path, std::string_view text) override {
    files_.Append(At(path), text);
  }
  void Write(const std::string& path, std::string_view text) override {
    files_.Write(At(path), text);
  }
  void Truncate(const std::string& path, std::size_t size) override {
    files_.Truncate(At(path), size);
  }
  void Rename(const std::string& from, const std::string& to) override {
    files_.Rename(At(from), At(to));
  }
  void Remove(const std::string& path) override { files_.Remove(At(path)); }
  void Copy(const std::string& from, const std::string& to) override {
    files_.Write(At(to), files_.Content(At(from)));
  }
  void Symlink(const std::string& target, const std::string& path) override {
    files_.Symlink(target, At(path));
  }
  void SetReadable(const std::string& path, bool readable) override {
    if (readable) {
      files_.ClearFaults(At(path));
    } else {
      files_.Fail(InMemoryFileSource::Call::kOpen, At(path), EACCES);
    }
  }

 private:
  static constexpr std::int64_t kStart = 1767323045;
  static std::string At(const std::string& path) { return "/r/" + path; }
  InMemoryFileSource files_;
};

class RealWorld : public World {
 public:
  explicit RealWorld(const std::string& parent) : folder_(parent) {}
  FileSource* source() override { return &source_; }
  std::string root() const override { return folder_.path(); }
  double start() const override { return start_; }
  void SetTime(double) override {}  // the machine has its own
  std::size_t OpenFiles() override {
    std::size_t n = 0;
    for (const auto& fd :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const auto file = std::filesystem::read_symlink(fd.path(), gone);
      if (!gone && file.native().starts_with(folder_.path())) ++n;
    }
    return n;
  }
  void Mkdir(const std::string& path) override {
    std::filesystem::create_directories(At(path));
  }
  void Append(const std::string& path, std::string_view text) override {
    Put(path, text, std::ios::app);
  }
  void Write(const std::string& path, std::string_view text) override {
    Put(path, text, std::ios::trunc);
  }
  void Truncate(const std::string& path, std::size_t size) override {
    std::filesystem::resize_file(At(path), size);
  }
  void Rename(const std::string& from, const std::string& to) override {
    std::filesystem::rename(At(from), At(to));
  }
  void Remove(const std::string& path) override {
    std::filesystem::remove_all(At(path));
  }
  void Copy(const std::string& from, const std::string& to) override {
    std::filesystem::copy_file(
        At(from), At(to), std::filesystem::copy_options::overwrite_existing);
  }
  void Symlink(const std::string& target, const std::string& path) override {
    std::filesystem::create_symlink(target, At(path));
  }
  void SetReadable(const std::string& path, bool readable) override {
    if (::chmod(At(path).c_str(), readable ? 0600 : 0) != 0) {
      throw std::runtime_error("chmod " + path);
    }
  }

 private:
  std::string At(const std::string& path) const { return folder_ / path; }
  void Put(const std::string& path, std::string_view text,
           std::ios::openmode mode) {
    std::filesystem::create_directories(
        std::filesystem::path(At(path)).parent_path());
    std::ofstream out(At(path), std::ios::binary | mode);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }
  TempFolder folder_;
  RealFileSource source_;
  const double start_ = std::chrono::duration<double>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
};

// Null where the machine has no such place; *why_not says so then.
inline std::unique_ptr<World> MakeWorld(Place place, std::string* why_not) {
  if (place == Place::kMemory) return std::make_unique<MemoryWorld>();
  const std::string parent =
      place == Place::kDisk ? std::filesystem::temp_directory_path().string()
                            : "/dev/shm";
  if (::access(parent.c_str(), W_OK) != 0) {
    *why_not = parent + " cannot be written to";
    return nullptr;
  }
  return std::make_unique<RealWorld>(parent);
}

}  // namespace rlrun
