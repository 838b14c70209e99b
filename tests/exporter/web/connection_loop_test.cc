#include "exporter/web/connection_loop.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <utility>

#include "exporter/web/listener.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// No test waits for a time-out of this size.
constexpr LoopLimits::Duration kNever{3600 * 1000};

// A blocking client that knows no HTTP.
class Client {
 public:
  explicit Client(const std::string& url)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(
        static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address),
                           sizeof address) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // False: the other side is gone.
  bool Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  // Up to the end of the connection.
  std::string ReadAll() {
    std::string out;
    char buffer[65536];
    for (;;) {
      const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) return out;
      out.append(buffer, static_cast<std::size_t>(n));
    }
  }
  // Exactly `size` bytes, less at the end of the connection.
  std::string Read(std::size_t size) {
    std::string out(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t n = ::recv(fd_, out.data() + got, size - got, 0);
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
    out.resize(got);
    return out;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

// Answers with the first word of the path; some paths are special.
class FakeHandler : public RequestHandler {
 public:
  explicit FakeHandler(std::shared_future<void> gate)
      : gate_(std::move(gate)) {}
  Reply Handle(const std::string& head, bool close) override {
    if (head.starts_with("GET /throw")) throw 1;
    if (head.starts_with("GET /gate")) gate_.wait();
    if (head.starts_with("GET /big"))
      return {std::string(64u << 20, 'b'), true};
    return {"[" + head.substr(0, head.find(" HTTP")) + "]",
            close || head.find("close") != head.npos};
  }

 private:
  std::shared_future<void> gate_;
};

class ConnectionLoopTest : public ::testing::Test {
 protected:
  ConnectionLoopTest() {
    limits_.request_timeout = kNever;
    limits_.write_timeout = kNever;
    limits_.stop_grace = LoopLimits::Duration(0);
  }
  ~ConnectionLoopTest() override { Open(); }

  void Start(int workers = 2) {
    Listener listener;
    ASSERT_EQ(OpenListener("127.0.0.1:0", &listener), "");
    url_ = listener.url;
    std::vector<std::unique_ptr<RequestHandler>> handlers;
    for (int i = 0; i < workers; ++i) {
      handlers.push_back(std::make_unique<FakeHandler>(gate_future_));
    }
    loop_ = std::make_unique<ConnectionLoop>(std::vector<int>{listener.fd},
                                             std::move(handlers), limits_);
    ASSERT_TRUE(loop_->ok());
    loop_->Start();
  }
  void Open() {
    if (!std::exchange(open_, true)) gate_.set_value();
  }
  std::string Ask(const std::string& path) {
    Client client(url_);
    client.Send("GET " + path + " HTTP/1.1\r\nConnection: close\r\n\r\n");
    return client.ReadAll();
  }

  LoopLimits limits_;
  std::promise<void> gate_;
  std::shared_future<void> gate_future_ = gate_.get_future().share();
  bool open_ = false;
  std::string url_;
  std::unique_ptr<ConnectionLoop> loop_;
};

TEST_F(ConnectionLoopTest, SilentClientsCostNoWorker) {
  Start(1);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<Client>(url_));
    ASSERT_TRUE(silent.back()->connected());
    if (i % 2 == 0) silent.back()->Send("GET /x HTTP/1.1\r\nHalf: ");
  }
  EXPECT_EQ(Ask("/a"), "[GET /a]");
}

TEST_F(ConnectionLoopTest, ClientsThatNeverReadCostNoWorker) {
  Start(1);
  std::vector<std::unique_ptr<Client>> deaf;
  for (int i = 0; i < 4; ++i) {
    deaf.push_back(std::make_unique<Client>(url_));
    deaf.back()->Send("GET /big HTTP/1.1\r\n\r\n");
  }
  EXPECT_EQ(Ask("/a"), "[GET /a]");
}

TEST_F(ConnectionLoopTest, TooManyRepliesDropTheOldest) {
  limits_.max_pending_bytes = 80u << 20;
  Start(1);
  Client first(url_);
  first.Send("GET /big HTTP/1.1\r\n\r\n");
  EXPECT_EQ(first.Read(1), "b");
  Client second(url_);
  second.Send("GET /big HTTP/1.1\r\n\r\n");
  EXPECT_EQ(second.ReadAll().size(), 64u << 20);
  EXPECT_LT(first.ReadAll().size(), (64u << 20) - 1);
}

TEST_F(ConnectionLoopTest, NewClientTakesThePlaceOfTheOldestIdleOne) {
  limits_.max_connections = 3;
  Start();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 3; ++i) {
    idle.push_back(std::make_unique<Client>(url_));
    idle.back()->Send("GET /x HTTP/1.1\r\n\r\n");
    EXPECT_EQ(idle.back()->Read(8), "[GET /x]");
  }
  EXPECT_EQ(Ask("/a"), "[GET /a]");
  EXPECT_EQ(idle[0]->ReadAll(), "");
}

TEST_F(ConnectionLoopTest, SlowRequestIsClosedAtItsDeadline) {
  limits_.request_timeout = LoopLimits::Duration(20);
  Start();
  Client silent(url_);
  Client half(url_);
  half.Send("GET /x HT");
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
}

TEST_F(ConnectionLoopTest, ReplyThatNobodyReadsIsClosedAtItsDeadline) {
  limits_.write_timeout = LoopLimits::Duration(20);
  limits_.max_connections = 1;
  Start();
  Client deaf(url_);
  deaf.Send("GET /big HTTP/1.1\r\n\r\n");
  EXPECT_EQ(deaf.Read(1), "b");
  EXPECT_LE(deaf.ReadAll().size(), (64u << 20) - 1);
}

TEST_F(ConnectionLoopTest, RequestInManyPieces) {
  Start();
  Client client(url_);
  for (const char c : std::string("GET /a HTTP/1.1\r\nX: close\r\n\r\n")) {
    client.Send(std::string_view(&c, 1));
  }
  EXPECT_EQ(client.ReadAll(), "[GET /a]");
}

TEST_F(ConnectionLoopTest, PipelinedRequestsAreAnsweredInOrder) {
  Start(4);
  Client client(url_);
  client.Send(
      "GET /a HTTP/1.1\r\n\r\n"
      "POST /b HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET "
      "GET /c HTTP/1.1\r\nX: close\r\n\r\n");
  EXPECT_EQ(client.ReadAll(), "[GET /a][POST /b][GET /c]");
}

TEST_F(ConnectionLoopTest, ConnectionEndsAfterItsLastRequest) {
  limits_.max_requests = 2;
  Start();
  Client client(url_);
  for (int i = 0; i < 3; ++i) client.Send("GET /a HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.ReadAll(), "[GET /a][GET /a]");
}

TEST_F(ConnectionLoopTest, HandlerThatThrowsClosesItsConnectionOnly) {
  Start(1);
  EXPECT_EQ(Ask("/throw"), "");
  EXPECT_EQ(Ask("/a"), "[GET /a]");
}

TEST_F(ConnectionLoopTest, RefusedRequestGetsItsStatus) {
  limits_.frame.max_head_bytes = 1000;
  Start();
  const auto ask = [this](std::string_view text) {
    Client client(url_);
    client.Send(text);
    return client.ReadAll();
  };
  EXPECT_THAT(ask("GET / HTTP/1.1\n\n"), StartsWith("HTTP/1.1 400 Bad Reque"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413 Payload Too Large\r\n"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
              HasSubstr("\r\n\r\n411 Length Required\n"));
}

TEST_F(ConnectionLoopTest, RefusalReachesAClientThatStillSends) {
  limits_.linger_timeout = kNever;
  Start();
  Client client(url_);
  // More than socket buffers hold: a closed connection would not take it.
  EXPECT_TRUE(
      client.Send("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" +
                  std::string(32u << 20, 'x')));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ConnectionLoopTest, StopEndsEveryKindOfConnection) {
  limits_.linger_timeout = kNever;
  Start();
  Client silent(url_);
  Client half(url_);
  half.Send("GET /x HTTP/1.1\r\nHalf: ");
  Client idle(url_);
  idle.Send("GET /x HTTP/1.1\r\n\r\n");
  EXPECT_EQ(idle.Read(8), "[GET /x]");
  Client deaf(url_);
  deaf.Send("GET /big HTTP/1.1\r\n\r\n");
  EXPECT_EQ(deaf.Read(1), "b");
  Client lingering(url_);
  lingering.Send("nonsense\n");
  EXPECT_THAT(lingering.ReadAll(), StartsWith("HTTP/1.1 400"));
  // Every deadline above is an hour away.
  loop_->Stop();
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_LT(deaf.ReadAll().size(), (64u << 20) - 1);
}

TEST_F(ConnectionLoopTest, StopSendsTheReplyInHand) {
  limits_.stop_grace = kNever;
  Start();
  Client client(url_);
  client.Send("GET /gate HTTP/1.1\r\n\r\n");
  Client other(url_);
  other.Send("GET /x HTTP/1.1\r\nX: close\r\n\r\n");
  EXPECT_EQ(other.ReadAll(), "[GET /x]");  // the first was taken before
  std::thread stop([this] { loop_->Stop(); });
  while (Client(url_).connected()) {
  }  // until the listener is closed: the stop has begun
  Open();
  EXPECT_EQ(client.ReadAll(), "[GET /gate]");
  stop.join();
}

}  // namespace
}  // namespace rlrun
