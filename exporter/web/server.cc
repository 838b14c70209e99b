#include "exporter/web/server.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "exporter/web/http_listener.h"
#include "exporter/web/listener.h"
#include "exporter/web/router.h"

namespace rlrun {
namespace {

// What answers in hand may still take when the server stops.
constexpr std::chrono::milliseconds kStopGrace{500};
constexpr std::chrono::milliseconds kStopPause{2};
constexpr std::size_t kLeastConnections = 16;

// Files need descriptors as well.
HttpLimits LimitsFor(std::size_t listeners) {
  HttpLimits limits;
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    limits.connections = std::clamp(
        static_cast<std::size_t>(descriptors.rlim_cur / 8) / listeners,
        kLeastConnections, limits.connections);
  }
  return limits;
}

}  // namespace

struct Server::Impl {
  Impl(WebOptions o, WebCallbacks c, std::shared_ptr<Access> a)
      : addresses(o.listen_addresses),
        router(std::move(o), std::move(c)),
        access(a == nullptr ? std::make_shared<Access>() : std::move(a)) {}

  std::string Serve(std::vector<Listener>* sockets) {
    if (addresses.empty()) return "no listen address";
    for (const std::string& address : addresses) {
      Listener& socket = sockets->emplace_back();
      std::string wrong = OpenListener(address, &socket);
      if (!wrong.empty()) return wrong;
    }
    try {
      for (Listener& socket : *sockets) {
        listeners.push_back(std::make_unique<HttpListener>(
            socket.fd, &router, access, LimitsFor(addresses.size())));
        socket.fd = -1;  // the listener's now
      }
    } catch (const std::exception& e) {  // no thread left
      return std::string("web server: ") + e.what();
    }
    const std::string scheme = access->tls() == nullptr ? "http" : "https";
    for (const Listener& socket : *sockets) {
      urls.push_back(scheme + socket.url.substr(socket.url.find(':')));
    }
    return "";
  }

  const std::vector<std::string> addresses;
  Router router;
  const std::shared_ptr<Access> access;  // at the start
  std::vector<std::string> urls;
  std::vector<std::unique_ptr<HttpListener>> listeners;
};

Server::Server(WebOptions options, WebCallbacks callbacks,
               std::shared_ptr<Access> access)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(callbacks),
                                   std::move(access))) {}

Server::~Server() { Stop(); }

std::string CheckWebOptions(const WebOptions& options) {
  if (options.listen_addresses.empty()) return "no listen address";
  for (const std::string& text : options.listen_addresses) {
    ListenAddress address;
    const std::string wrong = ParseListenAddress(text, &address);
    if (!wrong.empty()) return "listen on " + text + ": " + wrong;
  }
  return Router(options, {}).Check();
}

std::string Server::Start() {
  std::string wrong = impl_->router.Check();
  if (!wrong.empty()) return wrong;
  std::vector<Listener> sockets;
  wrong = impl_->Serve(&sockets);
  if (!wrong.empty()) Stop();
  for (const Listener& socket : sockets) {
    if (socket.fd >= 0) ::close(socket.fd);
  }
  return wrong;
}

std::vector<std::string> Server::urls() const { return impl_->urls; }

void Server::SetAccess(const std::shared_ptr<Access>& access) {
  for (const auto& listener : impl_->listeners) listener->SetAccess(access);
}

void Server::Stop() {
  auto& listeners = impl_->listeners;
  for (const auto& listener : listeners) listener->StopAccepting();
  const auto until = std::chrono::steady_clock::now() + kStopGrace;
  const auto busy = [](const auto& listener) { return listener->busy(); };
  while (std::any_of(listeners.begin(), listeners.end(), busy) &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kStopPause);
  }
  listeners.clear();
}

}  // namespace rlrun
