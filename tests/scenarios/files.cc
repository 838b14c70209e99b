#include "tests/scenarios/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace rlrun::scenarios {
namespace {

bool Put(const std::string& path, std::string_view bytes, const char* mode) {
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) {
    errno = error.value();
    return false;
  }
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool good =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && good;
}

}  // namespace

bool WriteFile(const std::string& path, std::string_view bytes) {
  return Put(path, bytes, "wb");
}

bool AppendFile(const std::string& path, std::string_view bytes) {
  return Put(path, bytes, "ab");
}

bool SetModified(const std::string& path, double at) {
  timespec time{};
  time.tv_sec = static_cast<std::time_t>(std::floor(at));
  time.tv_nsec = static_cast<long>((at - std::floor(at)) * 1e9);
  const timespec both[2] = {time, time};
  return utimensat(AT_FDCWD, path.c_str(), both, 0) == 0;
}

void FileSink::Append(const std::string& path, std::string_view bytes) {
  if (!failed_.empty()) return;
  const bool is_ours = written_.count(path) != 0;
  Note(path, is_ours ? AppendFile(path, bytes) : WriteFile(path, bytes));
}

void FileSink::Truncate(const std::string& path) {
  if (failed_.empty()) Note(path, WriteFile(path, ""));
}

void FileSink::Replace(const std::string& path, std::string_view bytes) {
  if (failed_.empty()) Note(path, WriteFile(path, bytes));
}

void FileSink::Note(const std::string& path, bool good) {
  written_[path] = at_;
  if (!good) failed_ = path;
}

bool FileSink::StampAll() {
  for (const auto& [path, at] : written_) {
    if (failed_.empty() && !SetModified(path, at)) failed_ = path;
  }
  return failed_.empty();
}

}  // namespace rlrun::scenarios
