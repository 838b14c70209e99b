#include "exporter/report/trend.h"

#include <gtest/gtest.h>

#include <vector>

namespace rlrun {
namespace {

TEST(Trend, StraightLinesHaveTheTrendOfTheirSlope) {
  EXPECT_EQ(TrendOf(std::vector<double>{1, 2, 3, 4}), Trend::kRising);
  EXPECT_EQ(TrendOf(std::vector<double>{4, 3, 2, 1}), Trend::kFalling);
  EXPECT_EQ(TrendOf(std::vector<double>{0.1, 0.1, 0.1, 0.1}), Trend::kFlat);
}

TEST(Trend, FewerThanFourValuesAreFlat) {
  EXPECT_EQ(TrendOf(std::vector<double>{1, 2, 3}), Trend::kFlat);
  EXPECT_EQ(TrendOf(std::vector<double>{}), Trend::kFlat);
}

TEST(Trend, NoiseIsFlat) {
  EXPECT_EQ(TrendOf(std::vector<double>{1, 5, 2, 4, 1, 5, 2, 4, 3, 4}),
            Trend::kFlat);
}

// x = 0..3: sxx 5, mean 1.5. With y = {0, a, b, c} chosen so that t is known:
// y = {0, 2, 1, 3} has slope 0.8, residue 5 - 0.8 * 4 = 1.8, so
// t = 0.8 / sqrt(1.8 / 2 / 5) = 1.886: below 2.
TEST(Trend, JustBelowTheBoundIsFlatAndJustAboveRises) {
  EXPECT_EQ(TrendOf(std::vector<double>{0, 2, 1, 3}), Trend::kFlat);
  // slope 0.86, syy 5.3075, residue 1.6095: t = 2.14.
  EXPECT_EQ(TrendOf(std::vector<double>{0, 2, 1.05, 3.2}), Trend::kRising);
  EXPECT_EQ(TrendOf(std::vector<double>{3.2, 1.05, 2, 0}), Trend::kFalling);
}

}  // namespace
}  // namespace rlrun
