#include "exporter/web/server.h"

#include <unistd.h>

#include <exception>
#include <utility>

#include "exporter/web/connection_loop.h"
#include "exporter/web/http_engine.h"
#include "exporter/web/listener.h"
#include "exporter/web/router.h"

namespace rlrun {
namespace {

// A scrape is processor time only; more threads than this would not be faster
// where the exporter shares a node with a trainer.
constexpr int kWorkers = 4;

}  // namespace

struct Server::Impl {
  Impl(WebOptions o, WebCallbacks c)
      : addresses(o.listen_addresses), router(std::move(o), std::move(c)) {}

  const std::vector<std::string> addresses;
  Router router;
  std::vector<std::string> urls;
  std::unique_ptr<ConnectionLoop> loop;
};

Server::Server(WebOptions options, WebCallbacks callbacks)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(callbacks))) {}

Server::~Server() { Stop(); }

std::string Server::Start() {
  if (std::string wrong = impl_->router.Check(); !wrong.empty()) return wrong;
  std::vector<int> fds;
  std::string wrong;
  if (impl_->addresses.empty()) wrong = "no listen address";
  for (const std::string& address : impl_->addresses) {
    Listener listener;
    wrong = OpenListener(address, &listener);
    if (!wrong.empty()) break;
    fds.push_back(listener.fd);
    impl_->urls.push_back(std::move(listener.url));
  }
  if (wrong.empty()) {
    const LoopLimits limits;
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(limits.request_timeout)
            .count();
    std::vector<std::unique_ptr<RequestHandler>> handlers;
    for (int i = 0; i < kWorkers; ++i) {
      handlers.push_back(MakeHttpEngine(
          &impl_->router, static_cast<int>(seconds), limits.max_requests));
    }
    try {
      impl_->loop = std::make_unique<ConnectionLoop>(
          std::exchange(fds, {}), std::move(handlers), limits);
      if (impl_->loop->ok()) {
        impl_->loop->Start();
      } else {
        wrong = "web server: no file descriptor left";
      }
    } catch (const std::exception& e) {  // no thread left
      wrong = std::string("web server: ") + e.what();
    }
  }
  if (!wrong.empty()) {
    for (const int fd : fds) ::close(fd);
    impl_->urls.clear();
    impl_->loop.reset();
  }
  return wrong;
}

std::vector<std::string> Server::urls() const { return impl_->urls; }

void Server::Stop() { impl_->loop.reset(); }

}  // namespace rlrun
