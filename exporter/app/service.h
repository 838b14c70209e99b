// App with threads: one reader thread per root, one thread that runs Tick, a
// web server, and signals. Read-only towards the runs, like everything here.
// One object per process; called by the main thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/command.h"
#include "exporter/tail/change_hints.h"
#include "exporter/web/server.h"

namespace rlrun {

class Service {
 public:
  Service(const CommandOptions& options, Config config, FileSource* source);
  ~Service();

  // Starts everything. Empty, or one line that says what is wrong.
  std::string Start();
  // Serves until `stop` is requested, then stops what can be stopped. A thread
  // that waits for a file system which does not answer is left behind.
  void Run(std::stop_token stop);
  // Asks for a reload and waits for its result; empty: done. From any thread.
  std::string Reload();

 private:
  struct ReaderThread;

  void StartReaders();
  void TickLoop(std::stop_token stop);
  std::string DoReload();

  CommandOptions options_;
  App app_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<ReaderThread>> threads_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool news_ = false;               // guarded by mutex_
  bool reload_wanted_ = false;      // guarded by mutex_
  std::uint64_t reloads_done_ = 0;  // guarded by mutex_
  std::string reload_result_;       // guarded by mutex_
};

}  // namespace rlrun
