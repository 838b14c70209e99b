#include "exporter/exposition/text.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace rlrun {
namespace {

using namespace std::string_literals;

std::string Number(double value) {
  std::string out;
  AppendDouble(&out, value);
  return out;
}

std::string Canonical(double value) {
  std::string out;
  AppendCanonicalDouble(&out, value);
  return out;
}

std::string Sample(std::string_view name, std::vector<Label> labels,
                   double value) {
  std::string out;
  AppendSample(&out, name, labels, value);
  return out;
}

std::string Header(const FamilyHeader& family, TextFormat format) {
  std::string out;
  AppendHeader(&out, family, format);
  return out;
}

TEST(AppendDouble, NotFiniteIsSpelledAsPrometheusDoes) {
  EXPECT_EQ(Number(std::nan("")), "NaN");
  EXPECT_EQ(Number(-std::nan("")), "NaN");
  EXPECT_EQ(Number(HUGE_VAL), "+Inf");
  EXPECT_EQ(Number(-HUGE_VAL), "-Inf");
}

TEST(AppendDouble, WholeNumbersHaveNoExponent) {
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(100000), "100000");
  EXPECT_EQ(Number(-42), "-42");
  EXPECT_EQ(Number(1764400000), "1764400000");
  EXPECT_EQ(Number(999999999999999), "999999999999999");
  EXPECT_EQ(Number(1e15), "1e+15");
}

TEST(AppendDouble, NegativeZeroKeepsItsSign) { EXPECT_EQ(Number(-0.0), "-0"); }

TEST(AppendDouble, SeventeenDigitsOnlyWhereTheyAreNeeded) {
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(Number(1e-6), "1e-06");
}

TEST(AppendDouble, EveryDoubleReadsBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(Number(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(Canonical(value).c_str(), nullptr), value);
  }
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(std::strtod(Number(value).c_str(), nullptr), value);
  }
}

TEST(AppendCanonicalDouble, HasAPointOrAnExponent) {
  EXPECT_EQ(Canonical(1), "1.0");
  EXPECT_EQ(Canonical(10), "10.0");
  EXPECT_EQ(Canonical(100000), "100000.0");
  EXPECT_EQ(Canonical(1e6), "1e+06");
  EXPECT_EQ(Canonical(0.005), "0.005");
  EXPECT_EQ(Canonical(0.0001), "0.0001");
  EXPECT_EQ(Canonical(1e-5), "1e-05");
  EXPECT_EQ(Canonical(0), "0.0");
  EXPECT_EQ(Canonical(HUGE_VAL), "+Inf");
}

TEST(RepairUtf8, ValidTextIsUnchanged) {
  for (const std::string& text :
       {""s, "plain"s, "gr\xC3\xBC\xC3\x9F"s, "\xE2\x82\xAC"s,
        "\xF0\x9F\x98\x80"s, "\xED\x9F\xBF"s, "\xEE\x80\x80"s,
        "\xF4\x8F\xBF\xBF"s, "a\x01\x7F"s}) {
    EXPECT_EQ(RepairUtf8(text), text);
  }
}

TEST(RepairUtf8, OneReplacementPerMaximalInvalidPart) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(RepairUtf8("a\xFFz"), "a" + r + "z");
  EXPECT_EQ(RepairUtf8("\x80\x80"), r + r);
  EXPECT_EQ(RepairUtf8("\xC3"), r) << "cut at the end";
  EXPECT_EQ(RepairUtf8("\xE2\x82z"), r + "z") << "cut before a letter";
  EXPECT_EQ(RepairUtf8("\xF0\x9F\x98"), r);
  EXPECT_EQ(RepairUtf8("\xC0\xAF"), r + r) << "overlong";
  EXPECT_EQ(RepairUtf8("\xE0\x80\xAF"), r + r + r) << "overlong";
  EXPECT_EQ(RepairUtf8("\xF0\x80\x80\x80"), r + r + r + r) << "overlong";
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80"), r + r + r) << "surrogate";
  EXPECT_EQ(RepairUtf8("\xF4\x90\x80\x80"), r + r + r + r) << "too high";
  EXPECT_EQ(RepairUtf8("\xC3\xC3\xA4"), r + "\xC3\xA4");
  EXPECT_EQ(RepairUtf8("a\0\0b"s), "a" + r + r + "b") << "NUL";
}

TEST(ValidNames, ColonOnlyInMetricNames) {
  EXPECT_TRUE(IsValidMetricName("a:b_1"));
  EXPECT_TRUE(IsValidLabelName("_a1"));
  for (const std::string_view bad : {"", "1a", "a-b", "a b", "\xC3\xA4"}) {
    EXPECT_FALSE(IsValidMetricName(bad)) << bad;
    EXPECT_FALSE(IsValidLabelName(bad)) << bad;
  }
  EXPECT_FALSE(IsValidLabelName("a:b"));
  EXPECT_FALSE(IsValidLabelName("__name__"));
}

TEST(AppendSample, HostileValuesAreEscapedAndRepaired) {
  EXPECT_EQ(Sample("m", {{"a", "q\"b\\s\nn"}, {"b", "\xFF"}}, 1),
            "m{a=\"q\\\"b\\\\s\\nn\",b=\"\xEF\xBF\xBD\"} 1\n");
  EXPECT_EQ(Sample("m", {{"a", std::string_view("x\0y", 3)}}, 1),
            "m{a=\"x\xEF\xBF\xBDy\"} 1\n");
}

TEST(AppendSample, EmptyLabelIsNotWritten) {
  EXPECT_EQ(Sample("m", {{"a", ""}, {"b", "x"}, {"c", ""}}, 1),
            "m{b=\"x\"} 1\n");
}

TEST(AppendSample, NoBracesWithoutLabels) {
  EXPECT_EQ(Sample("m", {}, 0.5), "m 0.5\n");
  EXPECT_EQ(Sample("m", {{"a", ""}}, 0.5), "m 0.5\n");
}

TEST(AppendSample, CommonTextComesFirst) {
  const std::array<Label, 2> labels = {Label{"b", ""}, Label{"c", "d"}};
  std::string out;
  AppendSample(&out, "m", "run=\"r\"", labels, 1);
  AppendSample(&out, "m", "run=\"r\"", {labels.data(), 1}, 2);
  AppendSample(&out, "m", "", {labels.data() + 1, 1}, 3);
  AppendRenderedSample(&out, "m", "run=\"r\"", "c=\"d\"", 4);
  AppendRenderedSample(&out, "m", "", "c=\"d\"", 5);
  AppendRenderedSample(&out, "m", "", "", 6);
  EXPECT_EQ(out,
            "m{run=\"r\",c=\"d\"} 1\nm{run=\"r\"} 2\nm{c=\"d\"} 3\n"
            "m{run=\"r\",c=\"d\"} 4\nm{c=\"d\"} 5\nm 6\n");
}

TEST(AppendHeader, CounterLosesTotalInOpenMetricsOnly) {
  const FamilyHeader family{"a_seconds_total", FamilyType::kCounter, "Help.",
                            "seconds"};
  EXPECT_EQ(Header(family, TextFormat::kText004),
            "# HELP a_seconds_total Help.\n# TYPE a_seconds_total counter\n");
  EXPECT_EQ(Header(family, TextFormat::kOpenMetrics100),
            "# HELP a_seconds Help.\n# TYPE a_seconds counter\n"
            "# UNIT a_seconds seconds\n");
}

TEST(AppendHeader, CounterWithoutTotalIsUnknownInOpenMetrics) {
  const FamilyHeader family{"a", FamilyType::kCounter, "H", ""};
  EXPECT_EQ(Header(family, TextFormat::kOpenMetrics100),
            "# HELP a H\n# TYPE a unknown\n");
}

TEST(AppendHeader, UnitThatIsNoSuffixIsNotWritten) {
  for (const std::string_view name :
       {"a_bytes_read_total", "bytes", "_bytes", "abytes"}) {
    const FamilyHeader family{std::string(name), FamilyType::kGauge, "H",
                              "bytes"};
    EXPECT_EQ(Header(family, TextFormat::kOpenMetrics100).find("UNIT"),
              std::string::npos)
        << name;
  }
}

TEST(AppendHeader, HelpOfAHostileKeyStaysOnItsLine) {
  const FamilyHeader family{"a", FamilyType::kGauge, "x\n# EOF \"q\" \\ \xFF",
                            ""};
  EXPECT_EQ(Header(family, TextFormat::kText004),
            "# HELP a x\\n# EOF \"q\" \\\\ \xEF\xBF\xBD\n# TYPE a gauge\n");
  EXPECT_EQ(Header(family, TextFormat::kOpenMetrics100),
            "# HELP a x\\n# EOF \\\"q\\\" \\\\ \xEF\xBF\xBD\n"
            "# TYPE a gauge\n");
}

TEST(AppendDoubleTest, WritesWhatToCharsWrites) {
  std::mt19937_64 random(7);
  const auto expect_same = [](double value) {
    // Whole numbers are written without an exponent.
    if (value == std::floor(value)) return;
    char buffer[32];
    const char* end = std::to_chars(buffer, buffer + 32, value).ptr;
    std::string out;
    AppendDouble(&out, value);
    ASSERT_EQ(out, std::string(buffer, static_cast<std::size_t>(end - buffer)));
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200000; ++i) {
    const auto whole = static_cast<double>(random() % 10000000000000u);
    for (const double scale : {1e2, 1e5, 1e6, 1e7, 1e9, 1e12, 1e16}) {
      const double value = whole / scale * (random() % 2 == 0 ? 1 : -1);
      expect_same(value);
      expect_same(std::nextafter(value, kInfinity));
      expect_same(std::nextafter(value, -kInfinity));
    }
    expect_same(std::bit_cast<double>(random() >> 2));
  }
  for (const double value : {0.001, 0.000999999, 0.0010000001, 99999.999999,
                             99999.9999999, 100000.5, 0.1, 1e-6, 0.5}) {
    expect_same(value);
    expect_same(-value);
  }
}

}  // namespace
}  // namespace rlrun
