// The file of `--web.config.file` and what it names, kept up with while the
// exporter serves: a change is taken over within about a second, a file that
// cannot be used leaves what was before.
// Start, the destructor and Access: one thread; Check: any.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "exporter/web/access.h"

namespace rlrun {

class WebAccess {
 public:
  // `file` empty: for everybody, in plain HTTP, for ever.
  explicit WebAccess(std::string file) : file_(std::move(file)) {}
  ~WebAccess();
  WebAccess(const WebAccess&) = delete;
  WebAccess& operator=(const WebAccess&) = delete;

  // Reads for the first time. Every error, as `file:line: text`; empty: it is
  // in force.
  std::vector<std::string> Load();
  // What is in force; not null after Load.
  std::shared_ptr<Access> access() const;

  // Checks every second on a thread of its own. `use` is told what is in force
  // from now on, `result` whether the newest content of the file is.
  void Start(std::function<void(std::shared_ptr<Access>)> use,
             std::function<void(bool good)> result);
  void Stop();
  // Looks now. Empty: what the file says is in force; else what is wrong.
  std::string Check();

 private:
  const std::string file_;
  std::function<void(std::shared_ptr<Access>)> use_;
  std::function<void(bool)> result_;
  mutable std::mutex mutex_;
  AccessOptions options_;           // in force; guarded by mutex_
  std::shared_ptr<Access> access_;  // in force; guarded by mutex_
  std::string error_;               // as it was logged last; guarded by mutex_
  std::mutex sleeping_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace rlrun
