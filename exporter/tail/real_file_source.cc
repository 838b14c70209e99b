#include "exporter/tail/real_file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <cerrno>
#include <exception>

namespace rlrun {
namespace {

namespace fs = boost::filesystem;

// Repeats a system call that a signal interrupted.
template <typename Call>
auto Retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileKind KindOf(fs::file_type type) {
  switch (type) {
    case fs::regular_file:
      return FileKind::kRegular;
    case fs::directory_file:
      return FileKind::kDirectory;
    case fs::symlink_file:
      return FileKind::kSymlink;
    case fs::status_error:
    case fs::file_not_found:
    case fs::type_unknown:
      return FileKind::kUnknown;
    default:
      return FileKind::kOther;
  }
}

FileStat Translate(const struct stat& raw) {
  FileStat stat;
  stat.id = {raw.st_dev, raw.st_ino};
  stat.kind = KindOf(raw.st_mode);
  stat.size = static_cast<std::uint64_t>(raw.st_size);
  stat.mtime_ns = static_cast<std::int64_t>(raw.st_mtim.tv_sec) * 1000000000 +
                  raw.st_mtim.tv_nsec;
  stat.links = raw.st_nlink;
  return stat;
}

class RealOpenFile : public OpenFile {
 public:
  explicit RealOpenFile(int fd) : fd_(fd) {}
  ~RealOpenFile() override { ::close(fd_); }
  RealOpenFile(const RealOpenFile&) = delete;
  RealOpenFile& operator=(const RealOpenFile&) = delete;

  IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                std::size_t* got) override {
    *got = 0;
    const ssize_t n = Retry(
        [&] { return ::pread(fd_, buffer, size, static_cast<off_t>(offset)); });
    if (n < 0) return IoStatus::FromErrno(errno);
    *got = static_cast<std::size_t>(n);
    return IoStatus::Ok();
  }

  IoStatus Stat(FileStat* stat) override {
    struct stat raw;
    if (Retry([&] { return ::fstat(fd_, &raw); }) != 0) {
      return IoStatus::FromErrno(errno);
    }
    *stat = Translate(raw);
    return IoStatus::Ok();
  }

 private:
  const int fd_;
};

// O_NONBLOCK: a FIFO without a writer must not hold us. O_NOATIME is refused
// with EPERM on files of other users.
int OpenForReading(const char* path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const int fd = Retry([&] { return ::open(path, kFlags | O_NOATIME); });
  if (fd >= 0 || errno != EPERM) return fd;
  return Retry([&] { return ::open(path, kFlags); });
}

}  // namespace

IoStatus RealFileSource::Stat(const std::string& path, FileStat* stat) {
  struct stat raw;
  if (Retry([&] { return ::stat(path.c_str(), &raw); }) != 0) {
    return IoStatus::FromErrno(errno);
  }
  *stat = Translate(raw);
  return IoStatus::Ok();
}

IoStatus RealFileSource::List(const std::string& directory,
                              std::vector<DirEntry>* entries) {
  entries->clear();
  try {
    boost::system::error_code error;
    fs::directory_iterator it(fs::path(directory), error);
    const fs::directory_iterator end;
    while (!error && it != end) {
      // Of the entry itself; where readdir does not tell, this asks lstat.
      boost::system::error_code unknown;
      const fs::file_status status = it->symlink_status(unknown);
      entries->push_back(
          {it->path().filename().native(), KindOf(status.type())});
      it.increment(error);
    }
    return error ? IoStatus::FromErrno(error.value()) : IoStatus::Ok();
  } catch (const std::exception&) {
    return IoStatus::FromErrno(EIO);
  }
}

IoStatus RealFileSource::Open(const std::string& path,
                              std::unique_ptr<OpenFile>* file) {
  file->reset();
  const int fd = OpenForReading(path.c_str());
  if (fd < 0) {
    // A socket, or a device without a driver.
    return IoStatus::FromErrno(errno == ENXIO ? ESPIPE : errno);
  }
  auto opened = std::make_unique<RealOpenFile>(fd);
  FileStat stat;
  const IoStatus status = opened->Stat(&stat);
  if (!status.ok()) return status;
  if (stat.kind == FileKind::kDirectory) return IoStatus::FromErrno(EISDIR);
  if (stat.kind != FileKind::kRegular) return IoStatus::FromErrno(ESPIPE);
  *file = std::move(opened);
  return IoStatus::Ok();
}

std::string RealFileSource::Canonical(const std::string& path) {
  try {
    boost::system::error_code error;
    const fs::path real = fs::canonical(fs::path(path), error);
    return error ? path : real.native();
  } catch (const std::exception&) {
    return path;
  }
}

bool RealFileSource::IsNetwork(const std::string& path) {
  struct statfs raw;
  if (Retry([&] { return ::statfs(path.c_str(), &raw); }) != 0) return false;
  return IsNetworkFileSystem(static_cast<unsigned long>(raw.f_type));
}

bool IsNetworkFileSystem(unsigned long magic) {
  switch (magic & 0xFFFFFFFFul) {
    case 0x6969:      // NFS
    case 0x0BD00BD0:  // Lustre
    case 0x65735546:  // FUSE: sshfs, s3fs, GlusterFS, JuiceFS, ...
    case 0xFF534D42:  // CIFS
    case 0xFE534D42:  // SMB2
    case 0x517B:      // SMB
    case 0x01021997:  // 9p
    case 0x19830326:  // BeeGFS
    case 0x47504653:  // GPFS
    case 0x00C36400:  // CephFS
    case 0x5346414F:  // AFS
    case 0x013111A8:  // IBRIX
    case 0x61636673:  // ACFS
    case 0x7461636F:  // OCFS2
    case 0x01161970:  // GFS2
    case 0xAAD7AAEA:  // PanFS
    case 0x786F4256:  // VirtualBox shared folders
      return true;
    default:
      return false;
  }
}

}  // namespace rlrun
