// App with threads: those that read, one that runs Tick, and a web server.
// Starts and stops them; decides nothing about runs. Start, Run and the
// destructor are called by one thread; Reload by any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/command.h"
#include "exporter/app/process_watch.h"
#include "exporter/app/reader_threads.h"
#include "exporter/app/service_manager.h"
#include "exporter/app/trial_threads.h"
#include "exporter/app/web_access.h"
#include "exporter/web/server.h"

namespace rlrun {

class Service {
 public:
  // `source` outlives the process.
  Service(const CommandOptions& options, Config config, FileSource* source,
          ServiceManager manager = ServiceManager());
  ~Service();

  // Starts everything. Empty, or one line that says what is wrong.
  std::string Start();
  // One per listener, after Start.
  std::vector<std::string> urls() const;
  // Runs Tick until `stop` is requested, then stops the rest within about two
  // seconds. False: a thread had to be left behind, waiting for a file system
  // that does not answer; end the process without destructors then.
  bool Run(const std::stop_token& stop);
  // Reads the configuration file again. Waits for the result: empty, or what is
  // wrong and the old configuration stays.
  std::string Reload();

 private:
  std::string DoReload();
  std::string ReloadRuns();
  void NoteReload();
  void AnswerReload();
  void Tick();

  const CommandOptions options_;
  ServiceManager manager_;
  App app_;
  std::unique_ptr<Server> server_;
  // What the newest content of each file is good for.
  std::atomic<bool> config_good_{true};
  std::atomic<bool> web_good_{true};
  WebAccess web_{options_.web.config_file};
  const std::shared_ptr<TickSignal> signal_ = std::make_shared<TickSignal>();
  ReaderThreads threads_{signal_};
  TrialThreads trials_{signal_};
  TrialThreads records_{signal_};
  ProcessWatch processes_{signal_};
  ReportBoard board_{[this] { signal_->Notify(); }};
  std::uint64_t watched_runs_ = 0;     // generation of the runs that it knows
  std::uint64_t planned_records_ = 0;  // of the stores of records_
  std::uint64_t planned_trials_ = 0;   // the same of the plans of trials_

  std::mutex reload_mutex_;
  std::condition_variable reload_done_;
  std::uint64_t reloads_wanted_ = 0;    // guarded by reload_mutex_
  std::uint64_t reloads_answered_ = 0;  // guarded by reload_mutex_
  bool stopped_ = false;                // guarded by reload_mutex_
  std::string reload_result_;           // guarded by reload_mutex_
};

}  // namespace rlrun
