// A process file system made of ordinary files, in a folder of its own. Process
// 1 is there from the start; the boot was at kBoot.
// Not thread-safe.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "exporter/process/options.h"
#include "tests/support/temp_folder.h"

namespace rlrun {

class FakeProc {
 public:
  static constexpr std::int64_t kBoot = 1700000000;

  struct Process {
    std::vector<std::string> arguments = {};
    std::vector<std::string> environment = {};
    std::map<int, std::string> descriptors = {};  // number to path
    std::int64_t parent = 1;
    std::int64_t group = 0;    // 0: the pid
    std::int64_t session = 0;  // 0: the pid
    double started = 1000;     // seconds after boot
    char state = 'S';
    std::string comm = "x";
  };

  FakeProc() {
    std::filesystem::create_directory(root());
    Write("stat", "cpu  1 2 3\nintr 5 0\nctxt 9\nbtime " +
                      std::to_string(kBoot) + "\nprocesses 7\n");
    Put(1, {.arguments = {"/sbin/init"}, .parent = 0, .started = 1});
  }

  std::string root() const { return folder_ / "proc"; }
  std::string Of(std::int64_t pid, const std::string& file = "") const {
    return root() + "/" + std::to_string(pid) + "/" + file;
  }
  ProcessOptions options() const {
    ProcessOptions options;
    options.proc_root = root();
    options.nvml_library.clear();
    return options;
  }

  // Adds it, or replaces what was there under this pid.
  void Put(std::int64_t pid, const Process& process) {
    const std::string name = std::to_string(pid);
    std::filesystem::create_directories(Of(pid, "fd"));
    PutStat(pid, process);
    Write(name + "/cmdline", Joined(process.arguments));
    Write(name + "/environ", Joined(process.environment));
    for (const auto& entry :
         std::filesystem::directory_iterator(Of(pid, "fd"))) {
      std::filesystem::remove(entry);
    }
    for (const auto& [number, path] : process.descriptors) {
      std::filesystem::create_symlink(path,
                                      Of(pid, "fd/" + std::to_string(number)));
    }
  }
  void PutStat(std::int64_t pid, const Process& process) {
    const auto ticks = static_cast<std::int64_t>(
        process.started * static_cast<double>(::sysconf(_SC_CLK_TCK)));
    const auto or_pid = [pid](std::int64_t id) { return id == 0 ? pid : id; };
    std::string text = std::to_string(pid) + " (" + process.comm + ") ";
    text += process.state;
    for (const std::int64_t id :
         {process.parent, or_pid(process.group), or_pid(process.session)}) {
      text += ' ' + std::to_string(id);
    }
    text += " 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 " + std::to_string(ticks) +
            " 1000 10 18446744073709551615\n";
    Write(std::to_string(pid) + "/stat", text);
  }
  // As cheap as a process can be: it reads as `like` does.
  void PutLike(std::int64_t pid, std::int64_t like) {
    std::filesystem::create_symlink(std::to_string(like),
                                    root() + "/" + std::to_string(pid));
  }
  void Remove(std::int64_t pid) { std::filesystem::remove_all(Of(pid)); }
  // `file` of it, "" for all, is closed to us (and to root without its rights).
  void Deny(std::int64_t pid, const std::string& file) {
    ::chmod(Of(pid, file).c_str(), 0);
  }

  // A regular file of any content, beside the tree.
  std::string File(const std::string& name) {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::app) << "x\n";
    return path;
  }
  std::string Pipe(const std::string& name) {
    const std::string path = folder_ / name;
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    return path;
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root() + "/" + name, std::ios::trunc | std::ios::binary)
        << text;
  }

 private:
  static std::string Joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part + '\0';
    return text;
  }

  TempFolder folder_;
};

}  // namespace rlrun
