#include "exporter/web/framing.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

int Status(const std::string& input) { return ParseFrame(input, {}).status; }

TEST(Framing, RequestWithoutBodyEndsAtBlankLine) {
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
  const Frame frame = ParseFrame(request + "GET /next", {});
  EXPECT_EQ(frame.status, 200);
  EXPECT_EQ(frame.size, request.size());
  EXPECT_EQ(frame.head, request);
}

TEST(Framing, EveryPrefixOfARequestIsIncomplete) {
  const std::string request =
      "POST /-/reload HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t i = 0; i < request.size(); ++i) {
    EXPECT_EQ(Status(request.substr(0, i)), 0) << i;
  }
  EXPECT_EQ(ParseFrame(request, {}).size, request.size());
}

TEST(Framing, RangeAndExpectAreLeftOut) {
  const Frame frame = ParseFrame(
      "GET / HTTP/1.1\r\nrange: bytes=0-0,1-1\r\nHost: a\r\n"
      "Expect: 100-continue\r\n\r\n",
      {});
  EXPECT_EQ(frame.head, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(Framing, RequestLineNamedLikeAHeaderIsKept) {
  EXPECT_EQ(ParseFrame("range: x\r\n\r\n", {}).head, "range: x\r\n\r\n");
}

TEST(Framing, LineWithoutCarriageReturnIsRefused) {
  EXPECT_EQ(Status("GET / HTTP/1.1\n\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400);
  EXPECT_EQ(Status("\n"), 400);
}

TEST(Framing, BlankFirstLineIsRefused) { EXPECT_EQ(Status("\r\n"), 400); }

TEST(Framing, FoldedHeaderIsRefused) {
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"), 400);
}

TEST(Framing, TransferEncodingIsRefused) {
  EXPECT_EQ(Status("POST / HTTP/1.1\r\ntransfer-ENCODING: chunked\r\n"), 411);
}

TEST(Framing, OddContentLengthIsRefused) {
  const std::string head = "POST / HTTP/1.1\r\nContent-Length:";
  EXPECT_EQ(Status(head + " 0\r\n\r\n"), 200);
  EXPECT_EQ(Status(head + " 1\r\nContent-Length: 1\r\n\r\nx"), 400);
  EXPECT_EQ(Status(head + " -1\r\n\r\n"), 400);
  EXPECT_EQ(Status(head + " 1x\r\n\r\n"), 400);
  EXPECT_EQ(Status(head + "\r\n\r\n"), 400);
  EXPECT_EQ(Status(head + " 99999999999999999999999\r\n\r\n"), 400);
}

TEST(Framing, BodyAboveTheLimitIsRefusedBeforeItIsSent) {
  FrameLimits limits;
  limits.max_body_bytes = 4;
  EXPECT_EQ(
      ParseFrame("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", limits).status,
      413);
}

TEST(Framing, HeadAboveTheLimitIsRefused) {
  FrameLimits limits;
  limits.max_head_bytes = 64;
  const std::string line = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(ParseFrame(line + std::string(100, 'a'), limits).status, 431);
  EXPECT_EQ(
      ParseFrame(line + "A: " + std::string(100, 'a') + "\r\n\r\n", limits)
          .status,
      431);
  EXPECT_EQ(ParseFrame(line + "A: b\r\n\r\n", limits).status, 200);
}

}  // namespace
}  // namespace rlrun
