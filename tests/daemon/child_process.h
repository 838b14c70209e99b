// A process that a test starts, watches and is sure to end, and the two helpers
// that go with it: polling with a deadline, a folder that vanishes.
// Not thread-safe; the kernel kills the child when the thread that started it
// ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlrun::daemon {

// Asks every few milliseconds until `condition` holds. False: it did not within
// `seconds` (generous: machines under sanitizers are slow).
bool WaitUntil(const std::function<bool()>& condition, double seconds = 60);

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;  // path() + "/" + name

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);  // empty where there is none
void WriteFile(const std::string& path, std::string_view text);
void AppendFile(const std::string& path, std::string_view text);

class ChildProcess {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  // Starts argv[0] with output in two files of an own folder, and no input.
  explicit ChildProcess(const std::vector<std::string>& argv,
                        const Environment& environment = {});
  ~ChildProcess();  // kills it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  std::string Out() const { return ReadFile(dir_.File("out")); }
  std::string Err() const { return ReadFile(dir_.File("err")); }
  pid_t pid() const { return pid_; }
  bool Running();
  void Signal(int signal);
  // The exit status, or 128 + the signal that ended it; empty: still running
  // after `seconds`.
  std::optional<int> Wait(double seconds = 60);

 private:
  TempDir dir_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace rlrun::daemon
