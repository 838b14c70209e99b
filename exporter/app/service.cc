#include "exporter/app/service.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "exporter/app/log.h"
#include "exporter/tail/change_hints.h"

namespace rlrun {
namespace {

using Seconds = std::chrono::duration<double>;

// Shortest time between two Ticks, and between two passes that a hint caused.
constexpr Seconds kLeastGap{0.05};
// A hint makes the reader look at each file of a directory; with many of them
// hints are followed less often.
constexpr Seconds kGapPerFile{0.0005};
constexpr std::size_t kMaxWatches = 4096;
// Longest time between two Ticks: ages and silent mounts are looked at.
constexpr Seconds kMostGap{1};
// How long a reader that is ahead waits for Tick to take its news.
constexpr Seconds kFullPause{0.01};
// How long a stop waits for a reader before it leaves it behind.
constexpr Seconds kStopPatience{1};

Now ReadClocks() {
  return {Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(),
          Seconds(std::chrono::system_clock::now().time_since_epoch()).count()};
}

// All that a reader thread touches, owned by it and by the Service together.
struct ReaderParts {
  explicit ReaderParts(bool use_inotify) : hints(use_inotify) {}
  std::shared_ptr<RootReader> reader;
  std::shared_ptr<TickSignal> signal;
  ChangeHints hints;
  std::atomic<bool> done{false};
};

void Notify(TickSignal* signal) {
  {
    const std::scoped_lock lock(signal->mutex);
    signal->news = true;
  }
  signal->wake.notify_one();
}

void WatchDirectories(ReaderParts& parts) {
  if (!parts.hints.available()) return;
  std::size_t n = 0;
  for (const std::string& directory : parts.reader->directories()) {
    if (++n > kMaxWatches) break;
    parts.hints.Watch(directory);
  }
}

void ReadLoop(const std::stop_token& stop,
              const std::shared_ptr<ReaderParts>& parts) {
  double watched = 0;  // the listing whose directories are watched
  while (!stop.stop_requested()) {
    const auto begin = std::chrono::steady_clock::now();
    const double wait = parts->reader->Pass(ReadClocks());
    if (parts->reader->HasNews()) Notify(parts->signal.get());
    if (wait == 0) {
      if (parts->reader->Full()) std::this_thread::sleep_for(kFullPause);
      continue;
    }
    if (watched != parts->reader->last_listing()) {
      watched = parts->reader->last_listing();
      WatchDirectories(*parts);
    }
    const ChangeHints::Changes changes = parts->hints.Wait(wait);
    if (!changes.everything && changes.directories.empty()) continue;
    const Seconds gap =
        std::max(kLeastGap,
                 kGapPerFile * static_cast<double>(parts->reader->followed()));
    std::this_thread::sleep_until(
        begin + std::chrono::duration_cast<std::chrono::nanoseconds>(gap));
    parts->reader->Wake(changes.everything ? nullptr : &changes.directories);
  }
  parts->done = true;
}

}  // namespace

class Service::ReaderThread {
 public:
  ReaderThread(std::shared_ptr<RootReader> reader,
               std::shared_ptr<TickSignal> signal, bool use_inotify)
      : parts_(std::make_shared<ReaderParts>(use_inotify)) {
    parts_->reader = std::move(reader);
    parts_->signal = std::move(signal);
    thread_ = std::jthread([parts = parts_](const std::stop_token& stop) {
      ReadLoop(stop, parts);
    });
  }

  const RootReader* reader() const { return parts_->reader.get(); }

  void RequestStop() {
    thread_.request_stop();
    parts_->hints.Interrupt();
  }

  // False: it did not end in time and was left behind.
  bool Join(std::chrono::steady_clock::time_point until) {
    while (!parts_->done && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (parts_->done) {
      thread_.join();
      return true;
    }
    thread_.detach();
    return false;
  }

 private:
  std::shared_ptr<ReaderParts> parts_;
  std::jthread thread_;
};

Service::Service(const CommandOptions& options, Config config,
                 FileSource* source)
    : options_(options),
      app_(std::move(config), {true, {RLRUN_VERSION, RLRUN_REVISION, false}},
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
  callbacks.version = RLRUN_VERSION;
  server_ = std::make_unique<Server>(options_.web, std::move(callbacks));
  std::string error = server_->Start();
  if (!error.empty()) return error;
  for (const std::string& url : server_->urls()) {
    Log(LogLevel::kInfo, "Listening", {{"url", url}});
  }
  app_.self().SetReload(true, ReadClocks().wall);
  MatchThreadsToReaders();
  return "";
}

void Service::MatchThreadsToReaders() {
  const auto until =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(kStopPatience);
  for (auto it = threads_.begin(); it != threads_.end();) {
    const bool kept = std::any_of(
        app_.readers().begin(), app_.readers().end(),
        [&](const auto& reader) { return reader.get() == (*it)->reader(); });
    if (kept) {
      ++it;
      continue;
    }
    (*it)->RequestStop();
    left_behind_ = !(*it)->Join(until) || left_behind_;
    it = threads_.erase(it);
  }
  for (const auto& reader : app_.readers()) {
    const bool runs = std::any_of(
        threads_.begin(), threads_.end(),
        [&](const auto& thread) { return thread->reader() == reader.get(); });
    if (!runs) {
      threads_.push_back(std::make_unique<ReaderThread>(
          reader, signal_, app_.config().tail.use_inotify));
    }
  }
}

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
    app_.Tick(ReadClocks());
    std::this_thread::sleep_for(kLeastGap);
  }
  {
    const std::scoped_lock lock(reload_mutex_);
    stopped_ = true;
  }
  reload_done_.notify_all();
  for (const auto& thread : threads_) thread->RequestStop();
  server_->Stop();
  const auto until =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(kStopPatience);
  for (const auto& thread : threads_) {
    left_behind_ = !thread->Join(until) || left_behind_;
  }
  return !left_behind_;
}

std::string Service::Reload() {
  std::unique_lock lock(reload_mutex_);
  const std::uint64_t mine = ++reloads_wanted_;
  Notify(signal_.get());
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
  std::string result = DoReload();
  {
    const std::scoped_lock lock(reload_mutex_);
    reloads_answered_ = wanted;
    reload_result_ = std::move(result);
  }
  reload_done_.notify_all();
}

std::string Service::DoReload() {
  Config config;
  std::string text;
  for (const std::string& error : MakeConfig(options_, &config)) {
    if (!text.empty()) text += "\n";
    text += error;
  }
  app_.self().SetReload(text.empty(), ReadClocks().wall);
  if (!text.empty()) {
    Log(LogLevel::kError, "reload failed, the old configuration stays",
        {{"error", text}});
    return text;
  }
  app_.Reload(std::move(config));
  MatchThreadsToReaders();
  Log(LogLevel::kInfo, "configuration reloaded", {});
  return "";
}

}  // namespace rlrun
