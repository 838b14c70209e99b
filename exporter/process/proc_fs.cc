#include "exporter/process/proc_fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace rlrun {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

ProcCode FromErrno(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
    case ENOTDIR:
      return ProcCode::kGone;
    case EACCES:
    case EPERM:
      return ProcCode::kDenied;
    default:
      return ProcCode::kFailed;
  }
}

// A name that is a number from 0 up; other entries are no processes.
template <typename Number>
bool ParseName(const char* name, Number* value) {
  const char* end = name + std::strlen(name);
  const auto result = std::from_chars(name, end, *value);
  return result.ec == std::errc() && result.ptr == end && *value >= 0;
}

}  // namespace

ProcFs::ProcFs(const ProcessOptions& options) : options_(options) {}

std::string ProcFs::Path(std::int64_t pid, std::string_view file) const {
  std::string path = options_.proc_root;
  path += '/';
  path += std::to_string(pid);
  path += '/';
  path += file;
  return path;
}

ProcCode ProcFs::Read(const std::string& path, std::size_t limit,
                      std::string* text, bool* cut) {
  ++counts_.reads;
  text->clear();
  *cut = false;
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FromErrno(errno);
  int error = 0;
  std::array<char, 4096> block;
  while (text->size() <= limit) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    text->append(block.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (text->size() > limit) {
    text->resize(limit);
    *cut = true;
  }
  return error == 0 ? ProcCode::kOk : FromErrno(error);
}

ProcCode ProcFs::List(std::vector<Pid>* pids) {
  ++counts_.listings;
  pids->clear();
  // The link tells our number as this mount counts processes.
  ++counts_.links;
  std::array<char, 32> self{};
  const std::string link = options_.proc_root + "/self";
  std::int64_t own = -1;
  if (::readlink(link.c_str(), self.data(), self.size() - 1) <= 0 ||
      !ParseName(self.data(), &own)) {
    own = -1;
  }
  const Directory directory(::opendir(options_.proc_root.c_str()));
  if (!directory) return FromErrno(errno);
  saw_first_ = own == 1;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    Pid pid;
    if (ParseName(entry->d_name, &pid.pid) && pid.pid != own) {
      pid.inode = entry->d_ino;
      saw_first_ = saw_first_ || pid.pid == 1;
      pids->push_back(pid);
    }
    errno = 0;
  }
  return errno == 0 ? ProcCode::kOk : FromErrno(errno);
}

ProcCode ProcFs::Stat(std::int64_t pid, PidStat* stat) {
  bool cut = false;
  const ProcCode code = Read(Path(pid, "stat"), 4096, &buffer_, &cut);
  if (code != ProcCode::kOk) return code;
  std::optional<PidStat> parsed = ParsePidStat(buffer_);
  if (!parsed) return ProcCode::kFailed;
  *stat = std::move(*parsed);
  return ProcCode::kOk;
}

ProcCode ProcFs::Command(std::int64_t pid,
                         std::vector<std::string>* arguments) {
  arguments->clear();
  bool cut = false;
  const ProcCode code =
      Read(Path(pid, "cmdline"), options_.max_command_bytes, &buffer_, &cut);
  if (code == ProcCode::kOk) *arguments = SplitArguments(buffer_, cut);
  return code;
}

ProcCode ProcFs::Environment(
    std::int64_t pid, const std::vector<std::string_view>& names,
    std::vector<std::pair<std::string, std::string>>* variables) {
  variables->clear();
  bool cut = false;
  const ProcCode code = Read(Path(pid, "environ"),
                             options_.max_environment_bytes, &buffer_, &cut);
  if (code != ProcCode::kOk) return code;
  for (const std::string_view name : names) {
    if (auto value = FindVariable(buffer_, name, cut)) {
      variables->emplace_back(name, std::move(*value));
    }
  }
  // Nothing else of an environment is kept: it holds secrets.
  buffer_.assign(buffer_.size(), '\0');
  return ProcCode::kOk;
}

ProcCode ProcFs::Descriptor(std::int64_t pid, int number,
                            std::optional<OpenDescriptor>* descriptor) {
  ++counts_.links;
  descriptor->reset();
  struct statx raw;
  const std::string path = Path(pid, "fd/" + std::to_string(number));
  // No question to a file server: it may be the one that does not answer.
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC,
              STATX_TYPE | STATX_INO, &raw) != 0) {
    return FromErrno(errno);
  }
  OpenDescriptor open;
  open.number = number;
  open.file = {makedev(raw.stx_dev_major, raw.stx_dev_minor), raw.stx_ino};
  if (S_ISFIFO(raw.stx_mode)) open.kind = OpenDescriptor::Kind::kPipe;
  if (S_ISFIFO(raw.stx_mode) || S_ISREG(raw.stx_mode)) *descriptor = open;
  return ProcCode::kOk;
}

ProcCode ProcFs::Descriptors(std::int64_t pid,
                             std::vector<OpenDescriptor>* descriptors,
                             bool* cut) {
  ++counts_.listings;
  descriptors->clear();
  *cut = false;
  const Directory directory(::opendir(Path(pid, "fd").c_str()));
  if (!directory) return FromErrno(errno);
  std::size_t seen = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    int number = 0;
    if (!ParseName(entry->d_name, &number)) continue;
    if (++seen > options_.max_fds) {
      *cut = true;
      break;
    }
    std::optional<OpenDescriptor> descriptor;
    const ProcCode code = Descriptor(pid, number, &descriptor);
    if (code == ProcCode::kDenied) return code;
    if (descriptor) descriptors->push_back(*descriptor);  // else closed since
  }
  return ProcCode::kOk;
}

std::optional<std::uint64_t> ProcFs::BootTime() {
  bool cut = false;
  const std::string path = options_.proc_root + "/stat";
  if (Read(path, 4u << 20, &buffer_, &cut) != ProcCode::kOk) {
    return std::nullopt;
  }
  return ParseBtime(buffer_);
}

}  // namespace rlrun
