#include "exporter/web/http_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpEngineTest : public ::testing::Test {
 protected:
  Reply Ask(const std::string& head, bool close = false) {
    return engine_->Handle(head + "\r\n", close);
  }
  Router router_{WebOptions(), WebCallbacks()};
  std::unique_ptr<RequestHandler> engine_ = MakeHttpEngine(&router_, 5, 100);
};

constexpr char kGet[] = "GET /-/healthy HTTP/1.1\r\n";

TEST_F(HttpEngineTest, ConnectionIsKeptByDefault) {
  const Reply reply = Ask(kGet);
  EXPECT_FALSE(reply.close);
  EXPECT_THAT(reply.bytes, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply.bytes, HasSubstr("Keep-Alive: timeout=5, max=100\r\n"));
  EXPECT_THAT(reply.bytes, EndsWith("\r\n\r\nrlrun_exporter is healthy\n"));
}

TEST_F(HttpEngineTest, ConnectionEndsWhereEitherSideWantsIt) {
  EXPECT_TRUE(Ask(std::string(kGet) + "Connection: close\r\n").close);
  EXPECT_TRUE(Ask("GET /-/healthy HTTP/1.0\r\n").close);
  const Reply last = Ask(kGet, true);
  EXPECT_TRUE(last.close);
  EXPECT_THAT(last.bytes, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(last.bytes, Not(HasSubstr("Keep-Alive")));
}

TEST_F(HttpEngineTest, UnreadableRequestIsAnsweredAndTheConnectionEnds) {
  for (const std::string head : {"BREW / HTTP/1.1\r\n", "nonsense\r\n",
                                 "GET /\r\n", "GET / HTTP/9.9\r\n"}) {
    const Reply reply = Ask(head);
    EXPECT_TRUE(reply.close) << head;
    EXPECT_THAT(reply.bytes, StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(reply.bytes, EndsWith("\r\n\r\nmalformed request\n"));
  }
  EXPECT_FALSE(Ask(kGet).close);
}

TEST_F(HttpEngineTest, OverlongTargetIsAnswered) {
  const Reply reply = Ask("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n");
  EXPECT_TRUE(reply.close);
  EXPECT_THAT(reply.bytes, StartsWith("HTTP/1.1 414 "));
}

TEST_F(HttpEngineTest, SeveralAcceptHeadersAreOne) {
  const Reply reply =
      Ask("GET /metrics HTTP/1.1\r\nAccept: text/html;q=0.1\r\n"
          "Accept: application/openmetrics-text; version=1.0.0\r\n");
  EXPECT_THAT(reply.bytes,
              HasSubstr("Content-Type: application/openmetrics-text"));
}

}  // namespace
}  // namespace rlrun
