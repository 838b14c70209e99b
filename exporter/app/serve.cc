// The command `serve`: signals around a Service.

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "exporter/app/command.h"
#include "exporter/app/log.h"
#include "exporter/app/service.h"
#include "exporter/app/service_manager.h"
#include "exporter/config/web_config.h"
#include "exporter/tail/real_file_source.h"
#include "exporter/web/server.h"

namespace rlrun {
namespace {

sigset_t HandledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, s);
  return set;
}

// Waits for signals in a thread of its own, so that nothing ever runs inside a
// signal handler.
void SignalLoop(const std::stop_token& own, const sigset_t& set,
                std::stop_source* stop, Service* service) {
  while (!own.stop_requested()) {
    const timespec tick{0, 200000000};
    const int signal = sigtimedwait(&set, nullptr, &tick);
    if (signal == SIGHUP) {
      service->Reload();
    } else if (signal == SIGTERM || signal == SIGINT) {
      Log(LogLevel::kInfo, "stopping",
          {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
      stop->request_stop();
      return;
    }
  }
}

// With a standard stream closed, the next socket would take its number, and log
// lines would be written to it.
void HoldStandardStreams() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

// Answers of some megabytes, made by many threads, would each leave their size
// behind in the heap of their thread; as mappings they are gone when sent.
void KeepLargeBlocksOutOfHeaps() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);  // else it would fall to 128 KiB
}

}  // namespace

int Serve(const CommandOptions& options) {
  HoldStandardStreams();
  KeepLargeBlocksOutOfHeaps();
  Config config;
  std::vector<std::string> errors = MakeConfig(options, &config);
  if (std::string wrong = CheckWebOptions(options.web); !wrong.empty()) {
    errors.push_back(std::move(wrong));
  }
  if (AccessOptions access; !options.web.config_file.empty()) {
    for (std::string& e : LoadWebConfig(options.web.config_file, &access)) {
      errors.push_back(std::move(e));
    }
  }
  for (const std::string& e : errors) {
    std::cerr << "rlrun_exporter: " << e << "\n";
  }
  if (!errors.empty()) return kExitUsage;

  // Every thread inherits this mask; only SignalLoop takes the signals.
  const sigset_t set = HandledSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);

  // Never destroyed: a thread that waits for a dead mount may still use it.
  static RealFileSource* const source = new RealFileSource;
  Log(LogLevel::kInfo, "starting",
      {{"version", RLRUN_VERSION}, {"revision", RLRUN_REVISION}});
  if (!options.shard.all()) {
    Log(LogLevel::kInfo, "runs of other shards are left to them",
        {{"shard", std::to_string(options.shard.index)},
         {"of", std::to_string(options.shard.count)}});
  }
  Service service(options, std::move(config), source,
                  ServiceManager::FromEnvironment());
  const std::string error = service.Start();
  if (!error.empty()) {
    std::cerr << "rlrun_exporter: " << error << "\n";
    return kExitFailure;
  }
  std::stop_source stop;
  std::jthread signals([&](const std::stop_token& own) {
    SignalLoop(own, set, &stop, &service);
  });
  if (!service.Run(stop.get_token())) {
    Log(LogLevel::kWarn, "a file system does not answer; leaving it behind");
    std::_Exit(0);
  }
  return 0;
}

}  // namespace rlrun
