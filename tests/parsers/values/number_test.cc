#include "parsers/values/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace rlrun {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectSame(double got, double want, std::string_view text) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << text;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got),
              std::bit_cast<std::uint64_t>(want))
        << text << " gave " << got;
  }
}

void ExpectNumber(std::string_view text, double want) {
  const auto got = ParseNumber(text);
  ASSERT_TRUE(got) << text;
  ExpectSame(*got, want, text);
}

TEST(NumberTest, PlainNumbers) {
  ExpectNumber("0", 0);
  ExpectNumber("-0.0", -0.0);
  ExpectNumber("42", 42);
  ExpectNumber("+3", 3);
  ExpectNumber("0.5", 0.5);
  ExpectNumber("+.5", .5);
  ExpectNumber("-.02", -.02);
  ExpectNumber("1.", 1);
  ExpectNumber("1e+22", 1e22);
  ExpectNumber("1e23", 1e23);
  ExpectNumber("1e-06", 1e-6);
  ExpectNumber("1.2E3", 1200);
  ExpectNumber("0.000", 0);
  ExpectNumber("9007199254740993", 9007199254740993.0);
  ExpectNumber("12345678901234567890123", 12345678901234567890123.0);
  ExpectNumber("0.07122344523668289", 0.07122344523668289);
  ExpectNumber("00012.50", 12.5);
}

TEST(NumberTest, WordsForWhatIsNoNumber) {
  ExpectNumber("nan", std::nan(""));
  ExpectNumber("-nan", std::nan(""));
  ExpectNumber("NaN", std::nan(""));
  ExpectNumber("inf", kInf);
  ExpectNumber("+inf", kInf);
  ExpectNumber("-inf", -kInf);
  ExpectNumber("Infinity", kInf);
  ExpectNumber("-Infinity", -kInf);
  ExpectNumber("True", 1);
  ExpectNumber("False", 0);
}

TEST(NumberTest, Wrappers) {
  ExpectNumber("np.float64(0.5)", 0.5);
  ExpectNumber("np.float64(.55)", 0.55);
  ExpectNumber("np.float64(1.2e3)", 1200);
  ExpectNumber("np.int32(3)", 3);
  ExpectNumber("numpy.float32(-0.5)", -0.5);
  ExpectNumber("np.longdouble('1.0')", 1);
  ExpectNumber("np.float64(nan)", std::nan(""));
  ExpectNumber("np.float16(-inf)", -kInf);
  ExpectNumber("tensor(0.5)", 0.5);
}

TEST(NumberTest, QuotedNumbers) {
  ExpectNumber("'1.678e+04'", 16780);
  ExpectNumber("\"0.5\"", 0.5);
  ExpectNumber("'nan'", std::nan(""));
}

// Python's float() does the same.
TEST(NumberTest, OutOfRangeIsWhatADoubleMakesOfIt) {
  ExpectNumber("1e400", kInf);
  ExpectNumber("-1e400", -kInf);
  ExpectNumber("1e-400", 0);
  ExpectNumber("-1e-400", -0.0);
  ExpectNumber("0e999999999999", 0);
  ExpectNumber("1e99999999999999999999", kInf);
  ExpectNumber("1e-99999999999999999999", 0);
  ExpectNumber("1" + std::string(400, '0'), kInf);
  ExpectNumber("0." + std::string(400, '0') + "1", 0);
  ExpectNumber("1" + std::string(400, '0') + "e-400", 1);
  ExpectNumber("5e-324", 5e-324);
  ExpectNumber("1.7976931348623157e308", 1.7976931348623157e308);
}

TEST(NumberTest, WhatIsNoNumber) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "e5",
                           "1e",
                           "1e+",
                           "1.2.3",
                           "0x10",
                           "1_000",
                           "1,000",
                           " 1",
                           "1 ",
                           "--1",
                           "nano",
                           "infer",
                           "Trueish",
                           "-True",
                           "true",
                           "None",
                           "np.float64(0.5",
                           "np.float64()",
                           "np.float64 (1)",
                           "(1)",
                           "1)",
                           "'1",
                           "'1\"",
                           "np.float64(np.float64(1))",
                           "1.float(2)",
                           "Infinit",
                           "np.float64('1)",
                           "np."}) {
    EXPECT_FALSE(ParseNumber(text)) << text;
  }
}

TEST(NumberTest, LongestNumberAtTheFront) {
  const auto expect = [](std::string_view text, double value,
                         std::size_t size) {
    const NumberFront front = ParseNumberFront(text);
    EXPECT_EQ(front.size, size) << text;
    if (size != 0) ExpectSame(front.value, value, text);
  };
  expect("10.5(T pid=1)", 10.5, 4);
  expect("0.0712/home/x.py:4807", 0.0712, 6);
  expect("np.int64(0)(T pid=1) INFO:2026", 0, 11);
  expect("1.2.3", 1.2, 3);
  expect("1e5x", 1e5, 3);
  expect("10.5Epoch 1/2", 10.5, 4);
  expect("10.5e", 10.5, 4);
  expect("nanEpoch 1/2", std::nan(""), 3);
  expect("Infinity]", kInf, 8);
  expect("nano", 0, 0);
  expect("inf_1", 0, 0);
  expect("name 'x'", 0, 0);
  expect("np.float64(0.5", 0, 0);
}

TEST(NumberTest, EveryShortDecimalIsRoundedAsTheLibraryDoes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    char text[64];
    const int digits = static_cast<int>(random() % 19);
    const auto value = static_cast<double>(random() % 1'000'000'007) *
                       std::pow(10.0, static_cast<double>(random() % 40) - 25);
    std::snprintf(text, sizeof text, i % 2 != 0 ? "%.*f" : "%.*e", digits,
                  value);
    ExpectNumber(text, std::strtod(text, nullptr));
  }
}

TEST(NumberTest, EveryShortestReprRoundTrips) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    ExpectNumber(text, value);
  }
}

}  // namespace
}  // namespace rlrun
