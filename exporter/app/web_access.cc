#include "exporter/app/web_access.h"

#include <chrono>
#include <utility>

#include "exporter/app/log.h"
#include "exporter/config/web_config.h"

namespace rlrun {
namespace {

constexpr std::chrono::seconds kCheckInterval{1};

void NoteHttp2(const AccessOptions& options) {
  if (!options.http2) return;
  Log(LogLevel::kInfo,
      "http2 is asked for and not served; clients are answered in HTTP/1.1",
      {});
}

std::string Lines(const std::vector<std::string>& errors) {
  std::string text;
  for (const std::string& e : errors) text += (text.empty() ? "" : "\n") + e;
  return text;
}

}  // namespace

WebAccess::~WebAccess() { Stop(); }

std::vector<std::string> WebAccess::Load() {
  const std::scoped_lock lock(mutex_);
  if (!file_.empty()) {
    std::vector<std::string> errors = LoadWebConfig(file_, &options_);
    if (!errors.empty()) return errors;
    NoteHttp2(options_);
  }
  const std::string wrong = MakeAccess(options_, &access_);
  return wrong.empty() ? std::vector<std::string>() : std::vector{wrong};
}

std::shared_ptr<Access> WebAccess::access() const {
  const std::scoped_lock lock(mutex_);
  return access_;
}

void WebAccess::Start(std::function<void(std::shared_ptr<Access>)> use,
                      std::function<void(bool good)> result) {
  use_ = std::move(use);
  result_ = std::move(result);
  if (file_.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(sleeping_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, kCheckInterval, [] { return false; });
      if (!stop.stop_requested()) Check();
    }
  });
}

void WebAccess::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

std::string WebAccess::Check() {
  if (file_.empty()) return "";
  const std::scoped_lock lock(mutex_);
  AccessOptions next;
  std::string wrong = Lines(LoadWebConfig(file_, &next));
  if (wrong.empty() && next == options_) {
    if (!error_.empty()) {
      error_.clear();
      Log(LogLevel::kInfo, "web configuration is as it was again",
          {{"file", file_}});
      result_(true);
    }
    return "";
  }
  if (wrong.empty()) wrong = CheckAccessChange(options_, next);
  std::shared_ptr<Access> access;
  if (wrong.empty()) wrong = MakeAccess(next, &access);
  if (!wrong.empty()) {
    if (wrong == error_) return wrong;
    error_ = wrong;
    Log(LogLevel::kError, "web configuration cannot be used, the old one stays",
        {{"file", file_}, {"error", wrong}});
    result_(false);
    return wrong;
  }
  error_.clear();
  options_ = std::move(next);
  access_ = std::move(access);
  NoteHttp2(options_);
  Log(LogLevel::kInfo, "web configuration reloaded", {{"file", file_}});
  use_(access_);
  result_(true);
  return "";
}

}  // namespace rlrun
