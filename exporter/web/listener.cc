#include "exporter/web/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <vector>

namespace rlrun {
namespace {

constexpr int kBacklog = 128;

// "Address already in use" -> "address already in use".
std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) {
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

// 0, or the errno that says why no socket of this address listens.
int OpenOne(const addrinfo& info, bool both_families, int* fd) {
  *fd = ::socket(info.ai_family, info.ai_socktype | SOCK_CLOEXEC,
                 info.ai_protocol);
  if (*fd < 0) return errno;
  // SO_REUSEADDR lets a restart bind beside connections in TIME_WAIT; on Linux
  // it does not let two sockets listen on one port (SO_REUSEPORT, which would,
  // stays off). Accepted connections inherit TCP_NODELAY.
  const int on = 1;
  const int v6_only = both_families ? 0 : 1;
  bool ok = ::setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
  ok = ok && ::setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
  if (info.ai_family == AF_INET6) {
    ok = ok && ::setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only,
                            sizeof v6_only) == 0;
  }
  ok = ok && ::bind(*fd, info.ai_addr, info.ai_addrlen) == 0 &&
       ::listen(*fd, kBacklog) == 0;
  if (ok) return 0;
  const int error = errno;
  ::close(*fd);
  *fd = -1;
  return error;
}

// The address family is missing on this machine: another one may do.
bool IsFamilyMissing(int error) {
  return error == EAFNOSUPPORT || error == EADDRNOTAVAIL ||
         error == EPROTONOSUPPORT;
}

// The local end of a socket in digits; empty for anything else.
struct LocalName {
  explicit LocalName(int fd) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    if (::getsockname(fd, address, &size) != 0 ||
        storage.ss_family == AF_UNIX) {
      return;
    }
    ::getnameinfo(address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV);
  }
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
};

std::string UrlOf(int fd) {
  const LocalName name(fd);
  std::string host = name.host;
  if (host == "::" || host == "0.0.0.0") host = "127.0.0.1";
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return "http://" + host + ":" + name.port;
}

// All interfaces: the IPv6 socket (which serves IPv4 too) first. A name: its
// IPv4 address first, as other Prometheus programs do.
std::vector<const addrinfo*> InOrder(const addrinfo* list, bool all) {
  std::vector<const addrinfo*> order;
  for (; list != nullptr; list = list->ai_next) order.push_back(list);
  const int first = all ? AF_INET6 : AF_INET;
  std::stable_partition(order.begin(), order.end(), [first](const addrinfo* a) {
    return a->ai_family == first;
  });
  return order;
}

}  // namespace

std::string ParseListenAddress(std::string_view text, ListenAddress* address) {
  const std::size_t colon = text.rfind(':');
  const bool bracket = text.starts_with('[');
  const std::size_t close = text.find(']');
  if (colon == text.npos || (bracket && close != text.npos && colon < close)) {
    return "no port; write host:port or :port";
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (bracket) {
    if (close == text.npos || close + 1 != colon || close == 1) {
      return "brackets do not match; write [IPv6 address]:port";
    }
    host = host.substr(1, host.size() - 2);
    in6_addr ignored;
    if (::inet_pton(AF_INET6, std::string(host).c_str(), &ignored) != 1) {
      return "no IPv6 address in brackets";
    }
  } else if (host.find(':') != host.npos) {
    return "an IPv6 address stands in brackets; write [IPv6 address]:port";
  }
  unsigned number = 0;
  const auto [end, error] =
      std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() ||
      number > 65535) {
    return "the port must be a number from 0 to 65535";
  }
  address->host = host;
  address->port = std::to_string(number);
  return "";
}

std::string OpenListener(const std::string& text, Listener* listener) {
  const std::string prefix = "listen on " + text + ": ";
  ListenAddress address;
  if (std::string wrong = ParseListenAddress(text, &address); !wrong.empty()) {
    return prefix + wrong;
  }
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const bool all = address.host.empty();
  const int code = ::getaddrinfo(all ? nullptr : address.host.c_str(),
                                 address.port.c_str(), &hints, &found);
  if (code != 0) {
    return prefix +
           (code == EAI_SYSTEM ? ErrnoText(errno) : ::gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(
      found, &::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* info : InOrder(found, all)) {
    const bool both = all || address.host == "::";
    error = OpenOne(*info, both, &listener->fd);
    if (error == 0) {
      listener->url = UrlOf(listener->fd);
      return "";
    }
    if (!IsFamilyMissing(error)) break;
  }
  return prefix + ErrnoText(error);
}

}  // namespace rlrun
