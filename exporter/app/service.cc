#include "exporter/app/service.h"

#include <chrono>
#include <thread>
#include <utility>

#include "exporter/app/log.h"

namespace rlrun {
namespace {

using Seconds = std::chrono::duration<double>;

// Shortest time between two Ticks.
constexpr Seconds kLeastGap{0.05};
// Longest time between two Ticks: ages and silent mounts are looked at.
constexpr Seconds kMostGap{1};
// Longest time that a page waits for a Tick; it shows older reports then.
constexpr std::chrono::milliseconds kReportWait{3000};

}  // namespace

Service::Service(const CommandOptions& options, Config config,
                 FileSource* source, ServiceManager manager)
    : options_(options),
      manager_(std::move(manager)),
      app_(std::move(config),
           {true,
            {RLRUN_VERSION, RLRUN_REVISION, false},
            options.only_processes,
            options.shard,
            options.web.show_log_text},
           source) {}

Service::~Service() = default;

std::string Service::Start() {
  WebCallbacks callbacks;
  callbacks.snapshot = [this] { return app_.snapshot(); };
  callbacks.self_metrics = [this](std::string* out, TextFormat format) {
    app_.AppendSelf(out, format);
  };
  callbacks.reload = [this] { return Reload(); };
  callbacks.scrape_failed = [this] { app_.self().CountScrapeError(); };
  callbacks.reports = [this] { return board_.Get(kReportWait); };
  callbacks.version = RLRUN_VERSION;
  if (const auto wrong = web_.Load(); !wrong.empty()) return wrong.front();
  server_ = std::make_unique<Server>(options_.web, std::move(callbacks),
                                     web_.access());
  std::string error = server_->Start();
  if (!error.empty()) return error;
  for (const std::string& url : server_->urls()) {
    Log(LogLevel::kInfo, "Listening", {{"url", url}});
  }
  NoteReload();
  web_.Start(
      [this](const std::shared_ptr<Access>& a) { server_->SetAccess(a); },
      [this](bool good) {
        web_good_ = good;
        NoteReload();
      });
  threads_.Match(app_.readers(), app_.config().tail.use_inotify);
  trials_.Match(app_.trial_readers());
  records_.Match(app_.record_readers());
  processes_.Start(app_.config().processes);
  if (!manager_.Ready()) {
    Log(LogLevel::kWarn, "the service manager cannot be told of the start");
  }
  return "";
}

std::vector<std::string> Service::urls() const { return server_->urls(); }

bool Service::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(signal_->mutex);
      signal_->wake.wait_for(lock, stop, kMostGap,
                             [this] { return signal_->news; });
      signal_->news = false;
    }
    if (stop.stop_requested()) break;
    AnswerReload();
    Tick();
    manager_.Alive(ReadClocks().steady);
    std::this_thread::sleep_for(kLeastGap);
  }
  manager_.Stopping();
  {
    const std::scoped_lock lock(reload_mutex_);
    stopped_ = true;
  }
  reload_done_.notify_all();
  threads_.RequestStop();
  trials_.RequestStop();
  records_.RequestStop();
  processes_.RequestStop();
  web_.Stop();
  server_->Stop();
  bool all = processes_.Join();
  all = trials_.Join() && all;
  all = records_.Join() && all;
  return threads_.Join() && all;
}

void Service::Tick() {
  if (const auto report = processes_.Take()) app_.TakeProcesses(*report);
  app_.Tick(ReadClocks());
  if (app_.trial_generation() != planned_trials_) {
    planned_trials_ = app_.trial_generation();
    trials_.Wake();
  }
  if (app_.record_generation() != planned_records_) {
    planned_records_ = app_.record_generation();
    records_.Wake();
  }
  if (board_.wanted()) board_.Publish(app_.Pages(ReadClocks()));
  if (app_.run_generation() == watched_runs_) return;
  watched_runs_ = app_.run_generation();
  processes_.SetRuns(app_.RunKeys());
}

std::string Service::Reload() {
  std::unique_lock lock(reload_mutex_);
  const std::uint64_t mine = ++reloads_wanted_;
  signal_->Notify();
  reload_done_.wait(lock,
                    [&] { return stopped_ || reloads_answered_ >= mine; });
  return reloads_answered_ >= mine ? reload_result_
                                   : "the exporter is stopping";
}

void Service::AnswerReload() {
  std::uint64_t wanted = 0;
  {
    const std::scoped_lock lock(reload_mutex_);
    if (reloads_answered_ == reloads_wanted_) return;
    wanted = reloads_wanted_;
  }
  manager_.Reloading();
  std::string result = DoReload();
  manager_.Ready();
  {
    const std::scoped_lock lock(reload_mutex_);
    reloads_answered_ = wanted;
    reload_result_ = std::move(result);
  }
  reload_done_.notify_all();
}

std::string Service::DoReload() {
  std::string text = ReloadRuns();
  const std::string web = web_.Check();
  NoteReload();
  if (!text.empty() && !web.empty()) text += "\n";
  return text + web;
}

void Service::NoteReload() {
  app_.self().SetReload(config_good_ && web_good_, ReadClocks().wall);
}

std::string Service::ReloadRuns() {
  Config config;
  std::string text;
  for (const std::string& error : MakeConfig(options_, &config)) {
    if (!text.empty()) text += "\n";
    text += error;
  }
  config_good_ = text.empty();
  if (!text.empty()) {
    Log(LogLevel::kError, "reload failed, the old configuration stays",
        {{"error", text}});
    return text;
  }
  app_.Reload(std::move(config));
  threads_.Match(app_.readers(), app_.config().tail.use_inotify);
  trials_.Match(app_.trial_readers());
  records_.Match(app_.record_readers());
  processes_.Start(app_.config().processes);
  watched_runs_ = 0;  // tells it the runs again
  Log(LogLevel::kInfo, "configuration reloaded", {});
  return "";
}

}  // namespace rlrun
