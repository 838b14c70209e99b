#include "exporter/web/request_head.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(PreparedHead, UsualRequestStaysAsItIs) {
  for (const char* head :
       {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD /a?b=c HTTP/1.0\r\n\r\n",
        "POST /-/reload HTTP/1.1\r\nX-Expect: y\r\nA: Expect: z\r\n\r\n"}) {
    EXPECT_EQ(PreparedHead(head), head);
  }
}

TEST(PreparedHead, UnknownMethodIsOneThatNoRouteTakes) {
  EXPECT_EQ(PreparedHead("FOO / HTTP/1.1\r\n\r\n"), "PATCH / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(PreparedHead("get / HTTP/1.1\r\n\r\n"), "PATCH / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(PreparedHead("M-SEARCH * HTTP/1.1\r\n\r\n"),
            "PATCH * HTTP/1.1\r\n\r\n");
}

TEST(PreparedHead, TargetLosesSchemeAndHost) {
  EXPECT_EQ(PreparedHead("GET http://x:1/a?b HTTP/1.1\r\n\r\n"),
            "GET /a?b HTTP/1.1\r\n\r\n");
  EXPECT_EQ(PreparedHead("GET HTTPS://x HTTP/1.1\r\n\r\n"),
            "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(PreparedHead("GET http://x?a HTTP/1.1\r\n\r\n"),
            "GET /?a HTTP/1.1\r\n\r\n");
  EXPECT_EQ(PreparedHead("GET /http://x/ HTTP/1.1\r\n\r\n"),
            "GET /http://x/ HTTP/1.1\r\n\r\n");
}

TEST(PreparedHead, ExpectationIsNotSeen) {
  EXPECT_EQ(
      PreparedHead("POST / HTTP/1.1\r\nexpecT: 100-continue\r\nA: b\r\n\r\n"),
      "POST / HTTP/1.1\r\nXxpecT: 100-continue\r\nA: b\r\n\r\n");
}

TEST(PreparedHead, RangeIsNotSeen) {
  EXPECT_EQ(PreparedHead("GET / HTTP/1.1\r\nRANGE: bytes=x\r\n\r\n"),
            "GET / HTTP/1.1\r\nXANGE: bytes=x\r\n\r\n");
}

TEST(PreparedHead, WhatIsMalformedStays) {
  for (const char* head : {"", " ", "\r\n\r\n", "GET\r\n\r\n",
                           "\x16\x03\x01 x\n\r\n", "G(T / HTTP/1.1\r\n\r\n",
                           "GET\r\n http://x HTTP/1.1\r\n\r\n", "\nexpect"}) {
    EXPECT_EQ(PreparedHead(head), head);
  }
}

}  // namespace
}  // namespace rlrun
