#include "exporter/web/http_listener.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <future>
#include <limits>
#include <mutex>
#include <utility>

#include "exporter/web/listener.h"

namespace {
std::atomic<int> accept_error{0};  // of the next call
}  // namespace

// In place of the C library's: a machine that is out of something.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  if (const int error = accept_error.exchange(0); error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_accept4, fd, address, size, flags));
}

namespace rlrun {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kHealthy[] = "\r\n\r\nrlrun_exporter is healthy\n";
constexpr std::size_t kBigSize = 64u << 20;

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
  void Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
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
  // The other side has ended it; takes what has come.
  bool AtEnd() {
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
  }
  // Up to and with `end`, less at the end of the connection.
  std::string ReadTo(std::string_view end) {
    std::string out;
    char c = 0;
    while (!out.ends_with(end) && ::recv(fd_, &c, 1, 0) == 1) out += c;
    return out;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

// The library is not built for the thread sanitizer, which does not see how it
// guards its statics: they are made before there is a second request.
class OneRequestFirst : public ::testing::Environment {
  void SetUp() override {
    Router router{WebOptions(), WebCallbacks()};
    Listener socket;
    ASSERT_EQ(OpenListener("127.0.0.1:0", &socket), "");
    const HttpListener listener(socket.fd, &router, std::make_shared<Access>());
    Client client(socket.url);
    client.Send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 200 "));
  }
};
const auto* const first [[maybe_unused]] =
    ::testing::AddGlobalTestEnvironment(new OneRequestFirst);

// No test waits for a time-out: they are an hour away.
class HttpListenerTest : public ::testing::Test {
 protected:
  HttpListenerTest() {
    limits_.keep_alive = limits_.read = limits_.write = limits_.answer = 3600;
    callbacks_.self_metrics = [this](std::string* out, TextFormat) {
      if (gated_) {
        entered_.set_value();
        gate_.get_future().wait();
      }
      *out += big_ ? std::string(kBigSize, 'b') : "self_metric 1\n";
    };
  }
  void Start() {
    router_ = std::make_unique<Router>(WebOptions(), callbacks_);
    Listener socket;
    ASSERT_EQ(OpenListener("127.0.0.1:0", &socket), "");
    url_ = socket.url;
    listener_ = std::make_unique<HttpListener>(socket.fd, router_.get(),
                                               access_, limits_);
  }
  std::string Ask(const std::string& head) {
    Client client(url_);
    client.Send(head + "\r\n");
    return client.ReadAll();
  }
  std::string AskHealthy() {
    return Ask("GET /-/healthy HTTP/1.1\r\nConnection: close\r\n");
  }

  HttpLimits limits_;
  std::shared_ptr<Access> access_ = std::make_shared<Access>();
  WebCallbacks callbacks_;
  bool gated_ = false;
  bool big_ = false;
  std::promise<void> entered_;
  std::promise<void> gate_;
  std::unique_ptr<Router> router_;
  std::string url_;
  std::unique_ptr<HttpListener> listener_;
};

using Clients = std::vector<std::unique_ptr<Client>>;

TEST_F(HttpListenerTest, AHundredHalfSentRequestsKeepNobodyWaiting) {
  limits_.threads = 1;
  Start();
  Clients slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Client>(url_));
    if (i % 2 == 0) slow.back()->Send("GET /metrics HTTP/1.1\r\nHost: no");
  }
  EXPECT_THAT(Ask("GET /metrics HTTP/1.0\r\n"), EndsWith("self_metric 1\n"));
  // Nor do they lose anything by it.
  slow.front()->Send("where\r\n\r\n");
  EXPECT_THAT(slow.front()->ReadTo("self_metric 1\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpListenerTest, WhoWaitsLongestGoesWhereOneTooManyComes) {
  limits_.connections = 10;
  Start();
  Clients slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(std::make_unique<Client>(url_));
    // It is known to be there before the next one comes.
    slow.back()->Send("GET /-/healthy HTTP/1.1\r\n\r\n");
    EXPECT_THAT(slow.back()->ReadTo(kHealthy), EndsWith(kHealthy));
  }
  EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));
  EXPECT_TRUE(slow.front()->AtEnd());
  for (std::size_t i = 1; i < slow.size(); ++i) {
    EXPECT_FALSE(slow[i]->AtEnd());
  }
}

TEST_F(HttpListenerTest, HeadThatDoesNotEndIsRefused) {
  Start();
  Client client(url_);
  client.Send("GET / HTTP/1.1\r\n");
  const std::string line = "A: " + std::string(1000, 'b') + "\r\n";
  for (int i = 0; i < 20; ++i) client.Send(line);
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpListenerTest, AByteNowAndThenProlongsNothing) {
  limits_.read = 1;
  limits_.head_bytes = 1u << 30;
  Start();
  Client client(url_);
  client.Send("GET / HTTP/1.1\r\nA: ");
  while (!client.AtEnd()) client.Send("b");
}

TEST_F(HttpListenerTest, SlowReadersBeyondTheLimitGo) {
  limits_.answer_bytes = kBigSize;
  limits_.slow_after = 0;
  limits_.slow_bytes = std::numeric_limits<double>::infinity();
  big_ = true;
  Start();
  Client one(url_), other(url_);
  for (Client* deaf : {&one, &other}) {
    deaf->Send("GET /metrics HTTP/1.0\r\n\r\n");
    EXPECT_EQ(deaf->ReadTo("\r\n\r\nb").back(), 'b');
  }
  EXPECT_LT(one.ReadAll().size(), kBigSize - 1);
  EXPECT_EQ(other.ReadAll().size(), kBigSize - 1);
}

// The memory that answers take is bounded, however many ask at once.
TEST_F(HttpListenerTest, NoMoreAnswersAreMadeAtOnceThanThereIsMemoryFor) {
  constexpr std::size_t kSize = 1u << 20;
  limits_.answer_bytes = 5 * kSize;
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0, most = 0, total = 0;
  bool open = true;
  callbacks_.self_metrics = [&](std::string* out, TextFormat) {
    std::unique_lock lock(mutex);
    ++total;
    most = std::max(most, ++inside);
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    --inside;
    out->append(kSize, 'b');
  };
  Start();
  const std::string ask = "GET /metrics HTTP/1.1\r\nConnection: close\r\n";
  EXPECT_GT(Ask(ask).size(), kSize);  // from here on the size is known
  EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));
  {
    const std::scoped_lock lock(mutex);
    open = false;
    most = total = 0;
  }
  Clients clients;
  for (int i = 0; i < 12; ++i) {
    clients.push_back(std::make_unique<Client>(url_));
    clients.back()->Send(ask + "\r\n");
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside == 2; });
  }
  // What is small does not wait; by then the others would have been begun.
  EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));
  {
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(most, 2);
    open = true;
  }
  changed.notify_all();
  for (const auto& client : clients) {
    EXPECT_GT(client->ReadAll().size(), kSize);
  }
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(total, 12);
  EXPECT_EQ(most, 2);
}

// The library takes it for the end of the head, so it must be one here.
TEST_F(HttpListenerTest, EmptyLineBehindABareLineFeedEndsTheHead) {
  Start();
  Client client(url_);
  client.Send("GET /-/healthy HTTP/1.1\r\nA: b\n\r\n");
  EXPECT_THAT(client.ReadTo(kHealthy), EndsWith(kHealthy));
  client.Send("GET /-/ready HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpListenerTest, RequestsInOnePieceAreAnsweredInOrder) {
  Start();
  Client client(url_);
  client.Send(
      "GET /-/healthy HTTP/1.1\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n"
      "GET /nothing HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadTo(kHealthy), EndsWith(kHealthy));
  EXPECT_THAT(client.ReadTo("self_metric 1\n"), HasSubstr(" 200 OK\r\n"));
  EXPECT_THAT(client.ReadAll(), EndsWith("404 not found\n"));
}

TEST_F(HttpListenerTest, ClientThatDoesNotReadKeepsNobodyWaiting) {
  limits_.threads = 2;
  big_ = true;
  Start();
  Client deaf(url_);
  deaf.Send("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_EQ(deaf.ReadTo("\r\n\r\nb").back(), 'b');
  EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));
  EXPECT_TRUE(listener_->busy());
}

TEST_F(HttpListenerTest, SilentConnectionEnds) {
  limits_.keep_alive = 0;
  Start();
  EXPECT_EQ(Client(url_).ReadAll(), "");
}

TEST_F(HttpListenerTest, HalfSentRequestEnds) {
  limits_.read = 0;
  Start();
  Client half(url_);
  half.Send("GET /metrics HT");
  EXPECT_EQ(half.ReadAll(), "");
}

TEST_F(HttpListenerTest, RequestInManyPieces) {
  Start();
  Client client(url_);
  for (const char c :
       std::string("GET /-/healthy HTTP/1.0\r\nHost: a\r\n\r\n")) {
    client.Send(std::string_view(&c, 1));
  }
  EXPECT_THAT(client.ReadAll(), EndsWith(kHealthy));
}

TEST_F(HttpListenerTest, ConnectionIsKeptByDefault) {
  Start();
  Client client(url_);
  for (int i = 0; i < 2; ++i) {
    client.Send("GET /-/healthy HTTP/1.1\r\n\r\n");
    const std::string reply = client.ReadTo(kHealthy);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(reply, HasSubstr("Keep-Alive: timeout=3600, max=10000\r\n"));
  }
}

TEST_F(HttpListenerTest, LastRequestOfAConnectionSaysSo) {
  limits_.keep_alive_requests = 2;
  Start();
  Client client(url_);
  client.Send("GET /-/healthy HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.ReadTo(kHealthy), Not(HasSubstr("Connection: close")));
  client.Send("GET /-/healthy HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), HasSubstr("Connection: close"));
}

TEST_F(HttpListenerTest, UnreadableRequestIsAnsweredAndTheConnectionEnds) {
  Start();
  for (const std::string head : {"BR(EW / HTTP/1.1\r\n", "nonsense\r\n",
                                 "GET /\r\n", "GET / HTTP/9.9\r\n"}) {
    const std::string reply = Ask(head);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 4")) << head;
    EXPECT_THAT(reply, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(reply, EndsWith("\r\n\r\nmalformed request\n"));
  }
}

TEST_F(HttpListenerTest, OverlongTargetIsAnswered) {
  Start();
  EXPECT_THAT(Ask("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n"),
              StartsWith("HTTP/1.1 414 "));
}

TEST_F(HttpListenerTest, ManyRangesAreIgnored) {
  Start();
  std::string ranges = "bytes=0-0";
  while (ranges.size() < 8000) ranges += ",0-";
  const std::string reply =
      Ask("GET /metrics HTTP/1.1\r\nConnection: close\r\nRange: " + ranges +
          "\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nself_metric 1\n"));
}

// A body is not read, so it must not pass for the next request.
TEST_F(HttpListenerTest, BodyIsNotTheNextRequest) {
  Start();
  const std::string hidden = "GET /-/healthy HTTP/1.1\r\n\r\n";
  for (const std::string header :
       {"Content-Length: 27", "Transfer-Encoding: chunked",
        "Content-Length: 0\r\nContent-Length: 27"}) {
    for (const char* method : {"POST", "GET"}) {
      Client client(url_);
      client.Send(method + (" /metrics HTTP/1.1\r\n" + header) + "\r\n\r\n" +
                  hidden);
      const std::string reply = client.ReadAll();
      EXPECT_THAT(reply, HasSubstr("Connection: close\r\n")) << header;
      EXPECT_THAT(reply, Not(HasSubstr("healthy"))) << header;
    }
  }
}

TEST_F(HttpListenerTest, PostWithoutALengthIsAnsweredAtOnce) {
  Start();
  Client client(url_);
  client.Send("POST /-/reload HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.ReadTo("\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
}

TEST_F(HttpListenerTest, SeveralAcceptHeadersAreOne) {
  Start();
  EXPECT_THAT(Ask("GET /metrics HTTP/1.0\r\nAccept: text/html;q=0.1\r\n"
                  "Accept: application/openmetrics-text; version=1.0.0\r\n"),
              HasSubstr("Content-Type: application/openmetrics-text"));
}

TEST_F(HttpListenerTest, AcceptThatFailsOnceIsNotTheEnd) {
  Start();
  for (const int error : {ENFILE, EMFILE, EINTR, ECONNABORTED}) {
    EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));
    accept_error = error;
    EXPECT_THAT(AskHealthy(), EndsWith(kHealthy));  // ends the call under way
    EXPECT_THAT(AskHealthy(), EndsWith(kHealthy)) << error;
  }
}

TEST_F(HttpListenerTest, EndCutsEveryKindOfConnection) {
  limits_.threads = 4;
  big_ = true;
  Start();
  Client silent(url_);
  Client half(url_);
  half.Send("GET /x HTTP/1.1\r\nHalf: ");
  Client idle(url_);
  idle.Send("GET /-/healthy HTTP/1.1\r\n\r\n");
  EXPECT_THAT(idle.ReadTo(kHealthy), EndsWith(kHealthy));
  Client deaf(url_);
  deaf.Send("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_EQ(deaf.ReadTo("\r\n\r\nb").back(), 'b');
  const Client waiting(url_);
  listener_.reset();
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_LT(deaf.ReadAll().size(), kBigSize - 1);
  EXPECT_FALSE(Client(url_).connected());
}

TEST_F(HttpListenerTest, AnswerInHandIsSentAfterAcceptingStopped) {
  gated_ = true;
  Start();
  EXPECT_FALSE(listener_->busy());
  Client client(url_);
  client.Send("GET /metrics HTTP/1.1\r\n\r\n");
  entered_.get_future().wait();
  listener_->StopAccepting();
  EXPECT_TRUE(listener_->busy());
  gate_.set_value();
  EXPECT_THAT(client.ReadTo("\r\n\r\nself_metric 1\n"),
              EndsWith("\r\n\r\nself_metric 1\n"));
  while (listener_->busy()) {
  }
}

TEST_F(HttpListenerTest, EndAtOnce) {
  for (int i = 0; i < 20; ++i) {
    Start();
    listener_.reset();
  }
}

}  // namespace
}  // namespace rlrun
