#include "exporter/signatures/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace rlrun {
namespace {

Series Points(int count, double (*value)(int), std::size_t capacity = 512,
              std::uint16_t carried = 0) {
  Series series(capacity, carried);
  for (int i = 1; i <= count; ++i) series.Add(i, value(i));
  return series;
}

double Index(int i) { return i; }
double Wave(int i) { return std::sin(0.7 * i) + 0.01 * i; }

TEST(Series, MedianOfLastPointsNeedsThem) {
  Series series;
  EXPECT_FALSE(series.M(1));
  series.Add(1, 5);
  series.Add(2, 1);
  EXPECT_FALSE(series.M(3));
  EXPECT_EQ(series.M(2), 3.0);
  series.Add(3, 2);
  EXPECT_EQ(series.M(3), 2.0);
  EXPECT_EQ(series.M(1, 1), 1.0);
  EXPECT_FALSE(series.M(3, 1));
}

TEST(Series, FirstMedianIsFrozenAtFivePoints) {
  Series series = Points(4, Index);
  EXPECT_FALSE(series.F());
  series.Add(5, 100);
  EXPECT_EQ(series.F(), 3.0);
  for (int i = 6; i <= 2000; ++i) series.Add(i, 1e9);
  EXPECT_EQ(series.F(), 3.0);
  EXPECT_EQ(series.count(), 2000u);
}

TEST(Series, UsualMedianLeavesOutFirstTenAndNeedsTwenty) {
  // Points 11..30 are twenty; k more make the newest.
  EXPECT_FALSE(Points(30, Index).T(1));
  EXPECT_EQ(Points(31, Index).T(1), 20.5);
  EXPECT_FALSE(Points(32, Index).T(3));
  EXPECT_EQ(Points(33, Index).T(3), 20.5);
}

TEST(Series, UsualMedianLooksBackSixtyFour) {
  // 36..99 are before the newest of 100.
  EXPECT_EQ(Points(100, Index).T(1), 67.5);
}

TEST(Series, TwoSpikesInARowAreLeftOutAndTheThirdCounts) {
  Series series = Points(29, Index);  // 11..29: 19 points
  series.Add(30, 1e6);
  series.MarkSpike();
  series.Add(31, 1e6);
  series.MarkSpike();
  series.Add(32, 0);
  EXPECT_FALSE(series.T(1));
  series.Add(33, 0);
  EXPECT_EQ(series.T(1), 19.5);  // 0, 11..29
  Series three = Points(40, Index);
  for (int i = 41; i <= 43; ++i) {
    three.Add(i, 1e6);
    three.MarkSpike();
  }
  three.Add(44, 0);
  EXPECT_EQ(three.T(1), 26.0);  // 11..40 and one spike
}

TEST(Series, UsualIsTheLargerOfFirstAndTrailing) {
  Series series = Points(31, Index);
  EXPECT_EQ(series.U(1), 20.5);
  Series falling = Points(40, [](int i) { return 100.0 - i; });
  EXPECT_EQ(falling.U(1), 97.0);
  EXPECT_FALSE(Points(4, Index).U(1));
  EXPECT_EQ(Points(6, Index).U(1), 3.0);
}

// Whether it is carried along with the points or computed of them.
TEST(Series, CarriedNoiseIsTheNoise) {
  Series carried(300, CarriedBit(Carried::kNoise) | CarriedBit(Carried::kM10));
  Series plain(300);
  std::mt19937_64 random(3);
  const auto expect_same = [&] {
    for (std::size_t skip = 0; skip < 320; ++skip) {
      EXPECT_EQ(carried.Noise(0, skip), plain.Noise(0, skip)) << skip;
      EXPECT_EQ(carried.Noise(0.05, skip), plain.Noise(0.05, skip)) << skip;
    }
  };
  std::int64_t step = 0;
  for (const int more : {1, 1, 1, 60, 200, 900}) {
    for (int i = 0; i < more; ++i, ++step) {
      const double value = static_cast<double>(random() % 1000) / 1000;
      carried.Add(step, value);
      plain.Add(step, value);
    }
    expect_same();
    carried.DropFrom(step - 1);
    plain.DropFrom(step - 1);
    expect_same();
  }
  carried.DropFrom(step - 260);
  plain.DropFrom(step - 260);
  for (std::size_t skip = 0; skip < 5; ++skip) {
    EXPECT_EQ(carried.Noise(0, skip), plain.Noise(0, skip)) << skip;
  }
}

TEST(Series, NoiseIsNotInflatedByATrend) {
  EXPECT_FALSE(Points(1, Index).Noise(0));
  EXPECT_DOUBLE_EQ(*Points(100, Index).Noise(0), 1.0483);
  EXPECT_EQ(Points(100, [](int) { return 1.0; }).Noise(0.0005), 0.0005);
}

TEST(Series, SpreadHasARelativeFloorAndAQuantum) {
  const std::vector<double> values = {1, 2, 3, 4, 100};
  EXPECT_DOUBLE_EQ(Spread(values, 0), 1.4826);
  const std::vector<double> flat = {50, 50, 50};
  EXPECT_DOUBLE_EQ(Spread(flat, 0), 1.0);
  EXPECT_DOUBLE_EQ(Spread(flat, 2), 2.0);
}

// Everything that can be asked of a series.
void ExpectSame(const Series& a, const Series& b) {
  ASSERT_EQ(a.count(), b.count());
  EXPECT_EQ(a.F(), b.F());
  for (const std::size_t k : {1u, 3u, 5u, 10u, 50u}) {
    EXPECT_EQ(a.M(k), b.M(k)) << k;
    EXPECT_EQ(a.T(k), b.T(k)) << k;
    EXPECT_EQ(a.U(k), b.U(k)) << k;
  }
  EXPECT_EQ(a.Noise(0), b.Noise(0));
  for (std::size_t c = 0; c < kCarried; ++c) {
    const auto x = a.carried(static_cast<Carried>(c));
    const auto y = b.carried(static_cast<Carried>(c));
    ASSERT_EQ(x.empty(), y.empty());
    if (x.empty()) continue;
    EXPECT_TRUE(x.back() == y.back() ||
                (std::isnan(x.back()) && std::isnan(y.back())))
        << c;
  }
}

TEST(Series, RewindRestoresWhatWasThere) {
  constexpr std::uint16_t kAll = (1u << kCarried) - 1u;
  for (const int at : {3, 7, 12, 40, 100, 700, 900}) {
    Series series = Points(at, Wave, 512, kAll);
    const Series before = series;
    for (int i = at + 1; i <= at + 60; ++i) {
      series.Add(i, 1000.0 * i);
      series.MarkSpike();
    }
    series.DropFrom(at + 1);
    ExpectSame(series, before);
    series.Add(at + 1, 0.5);
    Series direct = before;
    direct.Add(at + 1, 0.5);
    ExpectSame(series, direct);
  }
}

TEST(Series, RewindBehindTheColumnsFindsThemAnew) {
  constexpr std::uint16_t kAll = (1u << kCarried) - 1u;
  Series series = Points(500, Wave, 512, kAll);
  series.DropFrom(100);
  ExpectSame(series, Points(99, Wave, 512, kAll));
}

TEST(Series, RewindBehindAllThatIsKeptGoesOnFromTheFirstTen) {
  Series series = Points(2000, Index);
  series.DropFrom(500);
  EXPECT_EQ(series.count(), 10u);
  EXPECT_EQ(series.F(), 3.0);
  series.DropFrom(4);
  EXPECT_EQ(series.count(), 3u);
  EXPECT_FALSE(series.F());
  series.DropFrom(0);
  EXPECT_EQ(series.count(), 0u);
}

TEST(Series, KeepsItsCapacityAndCountsTheRest) {
  const Series series = Points(5000, Index, 128);
  EXPECT_EQ(series.count(), 5000u);
  EXPECT_GE(series.values().size(), 128u);
  EXPECT_LE(series.values().size(), 136u);
  EXPECT_EQ(series.newest(), 5000);
  EXPECT_EQ(series.newest_step(127), 4873);
}

TEST(Series, CapacityZeroKeepsNothing) {
  EXPECT_EQ(Points(10, Index, 0).count(), 0u);
}

TEST(Series, CarriedExtremesOutliveThePoints) {
  constexpr auto kBits = static_cast<std::uint16_t>(
      CarriedBit(Carried::kMax) | CarriedBit(Carried::kMin) |
      CarriedBit(Carried::kMaxLate));
  Series series(64, kBits);
  series.Add(1, -7);
  series.Add(2, 99);
  for (int i = 3; i <= 1000; ++i) series.Add(i, i == 20 ? 50 : 1);
  EXPECT_EQ(series.carried(Carried::kMin).back(), -7);
  EXPECT_EQ(series.carried(Carried::kMax).back(), 99);
  EXPECT_EQ(series.carried(Carried::kMaxLate).back(), 50);
  EXPECT_TRUE(series.carried(Carried::kM10).empty());
}

}  // namespace
}  // namespace rlrun
