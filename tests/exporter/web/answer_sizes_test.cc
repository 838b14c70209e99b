#include "exporter/web/answer_sizes.h"

#include <gmock/gmock.h>

namespace rlrun {
namespace {

using ::testing::Optional;

TEST(AnswerSizes, NewestOfThePathWhateverTheQuery) {
  AnswerSizes sizes;
  EXPECT_EQ(sizes.Expected("GET /metrics HTTP/1.1\r\n\r\n"), std::nullopt);
  sizes.Note("GET /metrics?a=b HTTP/1.1\r\n\r\n", 70);
  sizes.Note("GET /metrics HTTP/1.1\r\n\r\n", 7);
  EXPECT_THAT(sizes.Expected("GET /metrics?c HTTP/1.0\r\n\r\n"), Optional(7u));
  EXPECT_EQ(sizes.Expected("HEAD /metrics HTTP/1.1\r\n\r\n"), std::nullopt);
  EXPECT_EQ(sizes.Expected("GET /metricsx HTTP/1.1\r\n\r\n"), std::nullopt);
}

TEST(AnswerSizes, WhatIsNoRequestHasASizeToo) {
  AnswerSizes sizes;
  for (const char* head : {"", "\r\n\r\n", "x", "x\r\n\r\n", " ", "GET "}) {
    sizes.Note(head, 5);
    EXPECT_THAT(sizes.Expected(head), Optional(5u));
  }
}

TEST(AnswerSizes, EverNewPathsTakeNoMoreThanSome) {
  AnswerSizes sizes;
  for (int i = 0; i < 10000; ++i) {
    sizes.Note("GET /" + std::to_string(i) + " HTTP/1.1\r\n\r\n", 1);
  }
  sizes.Note("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 1);
  int known = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string head = "GET /" + std::to_string(i) + " HTTP/1.1\r\n\r\n";
    if (sizes.Expected(head).has_value()) ++known;
  }
  EXPECT_GT(known, 0);
  EXPECT_LE(known, 256);
}

}  // namespace
}  // namespace rlrun
