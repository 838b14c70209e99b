// Listening sockets: from `host:port` to a bound, listening file descriptor.
// What arrives on it is the business of http_listener.h.
// Safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

struct ListenAddress {
  std::string host;  // empty: all interfaces; IPv6 without brackets
  std::string port;  // decimal, 0..65535
};

// `:10190`, `host:port`, `[v6]:port`. Returns an empty string, or what is
// wrong with `text` (without naming it).
std::string ParseListenAddress(std::string_view text, ListenAddress* address);

struct Listener {
  int fd = -1;
  std::string url;  // `http://127.0.0.1:43121`, with the real port
};

// Binds and listens. An address on which anybody else listens is an error,
// never a silent share. All interfaces means IPv6 and IPv4 on one socket, IPv4
// alone where the kernel has no IPv6. Returns an empty string and fills
// *listener (whose fd the caller closes), or one line such as
// `listen on 127.0.0.1:10190: address already in use`.
std::string OpenListener(const std::string& text, Listener* listener);

}  // namespace rlrun
