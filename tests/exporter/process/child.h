// A real process with the command line of anything, which does nothing.
// Running when the constructor returns; killed and reaped with its object, and
// by the kernel if the test dies.
// Not thread-safe.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace rlrun {

class Child {
 public:
  struct Options {
    std::vector<std::string> arguments;
    std::vector<std::string> environment = {};
    std::string open = {};  // a file that it keeps open
    int in = -1;            // descriptors that become 0 and 1; -1: /dev/null
    int out = -1;
  };

  explicit Child(const Options& options) {
    int ready[2];
    int idle[2];  // its standard input, which never ends while we live
    if (::pipe2(ready, O_CLOEXEC) != 0 || ::pipe2(idle, O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe2");
    }
    idle_ = idle[1];
    pid_ = ::fork();
    if (pid_ == 0)
      Exec(options, options.in >= 0 ? options.in : idle[0], ready[1]);
    ::close(ready[1]);
    ::close(idle[0]);
    char byte = 0;
    const bool running = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    if (!running) throw std::runtime_error("the child did not begin");
  }
  ~Child() {
    Kill();
    Reap();
    ::close(idle_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // Returns when it has ended and is a zombie.
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void Reap() {
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  [[noreturn]] static void Exec(const Options& options, int in, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int null = ::open("/dev/null", O_RDWR);
    const int kept = ::dup(ready);  // without O_CLOEXEC
    ::dup2(in, 0);
    ::dup2(options.out >= 0 ? options.out : null, 1);
    std::vector<std::string> environment = options.environment;
    environment.push_back("STAND_IN_READY=" + std::to_string(kept));
    if (!options.open.empty()) {
      environment.push_back("STAND_IN_OPEN=" + options.open);
    }
    std::vector<char*> argv = Pointers(options.arguments);
    std::vector<char*> envp = Pointers(environment);
    ::execve(STAND_IN, argv.data(), envp.data());
    ::_exit(127);
  }
  static std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) {
      pointers.push_back(const_cast<char*>(text.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
  }

  pid_t pid_ = -1;
  int idle_ = -1;
};

}  // namespace rlrun
