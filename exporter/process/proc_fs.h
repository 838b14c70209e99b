// The process file system below a root given by path: what is there, read only.
// Leaves the meaning of what it reads to proc_text.h and process_table.h.
// Processes vanish at any moment, and files of other users are closed to us:
// both are ordinary results here, and two different ones.
// Not thread-safe. Calls may block. Nothing throws but for want of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/process/options.h"
#include "exporter/process/proc_text.h"

namespace rlrun {

enum class ProcCode : std::uint8_t {
  kOk = 0,
  kGone,    // no such process any more
  kDenied,  // not permitted: it says nothing about the process
  kFailed,  // unreadable for another reason, or not understood
};

// A file by what it is, not by its name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

struct OpenDescriptor {
  enum class Kind : std::uint8_t { kRegular, kPipe };
  int number = 0;
  Kind kind = Kind::kRegular;
  FileIdentity file;
};

class ProcFs {
 public:
  struct Pid {
    std::int64_t pid = 0;
    // Of the directory of this process. The kernel never gives the number of a
    // process to a later one with the same pid, so it shows a reused pid
    // without a look inside. It may change while the process lives.
    std::uint64_t inode = 0;
  };
  // Calls made so far.
  struct Counts {
    std::uint64_t listings = 0;  // of directories
    std::uint64_t reads = 0;     // files opened
    std::uint64_t links = 0;     // descriptors and links looked at
    std::uint64_t all() const { return listings + reads + links; }
  };

  explicit ProcFs(const ProcessOptions& options);

  // All processes but ourselves, in no order.
  [[nodiscard]] ProcCode List(std::vector<Pid>* pids);
  // Whether the last list had process 1, which every host and every container
  // has: without it, processes of other users are hidden from us.
  bool saw_first() const { return saw_first_; }
  [[nodiscard]] ProcCode Stat(std::int64_t pid, PidStat* stat);
  // Empty: a kernel thread, a zombie, or a process that has just begun.
  [[nodiscard]] ProcCode Command(std::int64_t pid,
                                 std::vector<std::string>* arguments);
  // Those of `names` that were set when the process began its program.
  // kDenied is usual for processes of other users.
  [[nodiscard]] ProcCode Environment(
      std::int64_t pid, const std::vector<std::string_view>& names,
      std::vector<std::pair<std::string, std::string>>* variables);
  // Regular files and pipes that it has open, at most `max_fds` descriptors.
  // *cut: it has more.
  [[nodiscard]] ProcCode Descriptors(std::int64_t pid,
                                     std::vector<OpenDescriptor>* descriptors,
                                     bool* cut);
  // One descriptor; kGone: it is not open, kOk with an absent result: it is
  // neither a regular file nor a pipe.
  [[nodiscard]] ProcCode Descriptor(std::int64_t pid, int number,
                                    std::optional<OpenDescriptor>* descriptor);
  // Unix seconds; absent: unreadable.
  std::optional<std::uint64_t> BootTime();

  const Counts& counts() const { return counts_; }

 private:
  std::string Path(std::int64_t pid, std::string_view file) const;
  // At most `limit` bytes; *cut: there are more.
  ProcCode Read(const std::string& path, std::size_t limit, std::string* text,
                bool* cut);

  const ProcessOptions options_;
  Counts counts_;
  bool saw_first_ = false;
  std::string buffer_;
};

}  // namespace rlrun
