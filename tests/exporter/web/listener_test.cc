#include "exporter/web/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rlrun {
namespace {

std::string Wrong(const std::string& text) {
  ListenAddress ignored;
  return ParseListenAddress(text, &ignored);
}

TEST(ListenAddress, HostAndPort) {
  ListenAddress a;
  EXPECT_EQ(ParseListenAddress(":10190", &a), "");
  EXPECT_EQ(a.host, "");
  EXPECT_EQ(a.port, "10190");
  EXPECT_EQ(ParseListenAddress("node7:0", &a), "");
  EXPECT_EQ(a.host, "node7");
  EXPECT_EQ(a.port, "0");
  EXPECT_EQ(ParseListenAddress("[::1]:65535", &a), "");
  EXPECT_EQ(a.host, "::1");
  EXPECT_EQ(a.port, "65535");
}

TEST(ListenAddress, EachWrongForm) {
  EXPECT_EQ(Wrong(""), "no port; write host:port or :port");
  EXPECT_EQ(Wrong("localhost"), "no port; write host:port or :port");
  EXPECT_EQ(Wrong("[::1]"), "no port; write host:port or :port");
  const std::string number = "the port must be a number from 0 to 65535";
  EXPECT_EQ(Wrong(":"), number);
  EXPECT_EQ(Wrong(":http"), number);
  EXPECT_EQ(Wrong(":65536"), number);
  EXPECT_EQ(Wrong(":-1"), number);
  EXPECT_EQ(Wrong(":80 "), number);
  EXPECT_EQ(Wrong("::1:80"),
            "an IPv6 address stands in brackets; write [IPv6 address]:port");
  EXPECT_EQ(Wrong("[::1:80"),
            "brackets do not match; write [IPv6 address]:port");
  EXPECT_EQ(Wrong("[]:80"), "brackets do not match; write [IPv6 address]:port");
  EXPECT_EQ(Wrong("[nonsense]:80"), "no IPv6 address in brackets");
}

TEST(Listener, PortZeroTellsTheRealPort) {
  Listener listener;
  ASSERT_EQ(OpenListener("127.0.0.1:0", &listener), "");
  EXPECT_TRUE(listener.url.starts_with("http://127.0.0.1:"));
  EXPECT_FALSE(listener.url.ends_with(":0"));
  ::close(listener.fd);
}

bool Connects(const sockaddr* address, socklen_t size) {
  const int fd = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool ok = ::connect(fd, address, size) == 0;
  ::close(fd);
  return ok;
}

TEST(Listener, AllInterfacesAreThoseOfBothFamilies) {
  Listener listener;
  ASSERT_EQ(OpenListener(":0", &listener), "");
  ASSERT_TRUE(listener.url.starts_with("http://127.0.0.1:")) << listener.url;
  const auto port = htons(static_cast<std::uint16_t>(
      std::stoi(listener.url.substr(listener.url.rfind(':') + 1))));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = port;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_TRUE(Connects(reinterpret_cast<sockaddr*>(&v4), sizeof v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  Listener probe;
  if (OpenListener("[::1]:0", &probe).empty()) {
    EXPECT_TRUE(probe.url.starts_with("http://[::1]:")) << probe.url;
    ::close(probe.fd);
    v6.sin6_port = port;
    EXPECT_TRUE(Connects(reinterpret_cast<sockaddr*>(&v6), sizeof v6));
  }
  ::close(listener.fd);
}

TEST(Listener, PortInUseIsAnError) {
  Listener first;
  ASSERT_EQ(OpenListener("127.0.0.1:0", &first), "");
  const std::string address = first.url.substr(7);
  Listener second;
  EXPECT_EQ(OpenListener(address, &second),
            "listen on " + address + ": address already in use");
  EXPECT_EQ(second.fd, -1);
  ::close(first.fd);
}

TEST(Listener, PortThatAllowsReuseIsStillInUse) {
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(other, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(other, generic, size), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  ASSERT_EQ(::getsockname(other, generic, &size), 0);
  const std::string text =
      "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  Listener listener;
  EXPECT_EQ(OpenListener(text, &listener),
            "listen on " + text + ": address already in use");
  ::close(other);
}

TEST(Listener, AddressOfAnotherMachineIsAnError) {
  Listener listener;
  EXPECT_EQ(OpenListener("192.0.2.1:0", &listener),
            "listen on 192.0.2.1:0: cannot assign requested address");
}

TEST(Listener, ParseErrorNamesTheAddress) {
  Listener listener;
  EXPECT_EQ(OpenListener("nowhere", &listener),
            "listen on nowhere: no port; write host:port or :port");
}

}  // namespace
}  // namespace rlrun
