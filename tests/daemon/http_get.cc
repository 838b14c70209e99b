#include "tests/daemon/http_get.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <cstdlib>

namespace rlrun::daemon {
namespace {

int Connect(const std::string& host, std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const timeval timeout{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

std::string Exchange(int fd, std::string_view request) {
  while (!request.empty()) {
    const ssize_t sent = send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent <= 0) return "";
    request.remove_prefix(static_cast<std::size_t>(sent));
  }
  std::string answer;
  char buffer[65536];
  for (;;) {
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) return answer;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

HttpAnswer HttpGet(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return {};
  const std::string rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  const std::string authority = rest.substr(0, slash);
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string::npos) return {};
  const int fd = Connect(
      authority.substr(0, colon),
      static_cast<std::uint16_t>(std::atoi(authority.c_str() + colon + 1)));
  if (fd < 0) return {};
  const std::string answer = Exchange(
      fd, "GET " + (slash == std::string::npos ? "/" : rest.substr(slash)) +
              " HTTP/1.0\r\nHost: " + authority +
              "\r\nConnection: close\r\n\r\n");
  close(fd);
  const std::size_t body = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.") || body == std::string::npos) return {};
  return {std::atoi(answer.c_str() + 9), answer.substr(body + 4)};
}

std::string PercentEncode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::optional<double> SampleValue(std::string_view exposition,
                                  std::string_view family,
                                  std::string_view part) {
  while (!exposition.empty()) {
    const std::size_t end = exposition.find('\n');
    const std::string line(exposition.substr(0, end));
    exposition.remove_prefix(end == std::string_view::npos ? exposition.size()
                                                           : end + 1);
    if (!line.starts_with(family) || line.size() == family.size()) continue;
    const char next = line[family.size()];
    if ((next != '{' && next != ' ') || line.find(part) == std::string::npos) {
      continue;
    }
    return std::strtod(line.c_str() + line.rfind(' '), nullptr);
  }
  return std::nullopt;
}

}  // namespace rlrun::daemon
