// The file system as the exporter sees it: list, stat, open, read; nothing that
// writes. The real one is in real_file_source.h, the in-memory twin with fault
// injection in tests/support/in_memory_file_source.h.
// Implementations are safe for concurrent calls on different paths and files;
// one OpenFile is used by one thread at a time. Calls may block (that is why
// only reader threads make them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rlrun {

// "Not there" is not "broken": each value asks for another reaction.
enum class IoCode {
  kOk,
  kNotFound,      // ENOENT, ENOTDIR: not there (yet, or any more)
  kDenied,        // EACCES, EPERM
  kStale,         // ESTALE: reopen at the saved offset
  kTooManyFiles,  // EMFILE, ENFILE
  kLoop,          // ELOOP
  kError,         // EIO and the rest; see `error`
};

struct [[nodiscard]] IoStatus {
  IoCode code = IoCode::kOk;
  int error = 0;  // errno, 0 with kOk

  bool ok() const { return code == IoCode::kOk; }
  static IoStatus Ok() { return {}; }
  static IoStatus FromErrno(int error);
  std::string Message() const;  // "permission denied", as strerror has it
};

struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

enum class FileKind { kRegular, kDirectory, kSymlink, kOther, kUnknown };

struct FileStat {
  FileId id;
  FileKind kind = FileKind::kUnknown;
  std::uint64_t size = 0;     // bytes
  std::int64_t mtime_ns = 0;  // Unix time, nanoseconds
  std::uint64_t links = 1;    // 0: unlinked while we hold it open
};

struct DirEntry {
  std::string name;                    // bytes as the file system has them
  FileKind kind = FileKind::kUnknown;  // of the entry itself, where known
};

class OpenFile {
 public:
  virtual ~OpenFile() = default;
  // Reads up to `size` bytes at `offset`. *got = 0 with kOk is the end of file.
  // May return less than asked for at any time.
  virtual IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                        std::size_t* got) = 0;
  virtual IoStatus Stat(FileStat* stat) = 0;
};

class FileSource {
 public:
  virtual ~FileSource() = default;
  // Follows symbolic links.
  virtual IoStatus Stat(const std::string& path, FileStat* stat) = 0;
  // Entries of a directory in no order, without "." and "..".
  virtual IoStatus List(const std::string& directory,
                        std::vector<DirEntry>* entries) = 0;
  virtual IoStatus Open(const std::string& path,
                        std::unique_ptr<OpenFile>* file) = 0;
  // Absolute path without symbolic links; the path itself where that fails.
  virtual std::string Canonical(const std::string& path) = 0;
  // True on NFS, Lustre, FUSE and other file systems that a network carries.
  virtual bool IsNetwork(const std::string& path) = 0;
};

}  // namespace rlrun
