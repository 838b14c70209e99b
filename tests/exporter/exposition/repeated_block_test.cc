#include "exporter/exposition/repeated_block.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "exporter/exposition/sample_block.h"

namespace rlrun {
namespace {

using Header = std::shared_ptr<const FamilyHeader>;

Header MakeFamily(std::string name) {
  auto header = std::make_shared<FamilyHeader>();
  header->name = std::move(name);
  return header;
}

// Families of one, three and two samples; a label with a space and a newline.
class RepeatedBlockTest : public ::testing::Test {
 protected:
  SampleBlock Render(const std::vector<double>& values) const {
    static const std::array<Header, 3> families = {
        MakeFamily("a"), MakeFamily("b"), MakeFamily("c")};
    static constexpr std::array<std::size_t, 6> kOf = {0, 1, 1, 1, 2, 2};
    BlockBuilder builder;
    for (std::size_t i = 0; i < kOf.size(); ++i) {
      const std::string name = "x " + std::to_string(i) + "\n1";
      const Label label{"key", name};
      builder.Add(families[kOf[i]], {&label, 1}, values[i]);
    }
    return builder.Build();
  }
  void Start(const std::vector<double>& values) {
    block_.Set(Render(values), values);
  }
  void ExpectRenderedAs(const std::vector<double>& values) const {
    const SampleBlock expected = Render(values);
    const SampleBlock& got = *block_.block();
    EXPECT_EQ(got.text, expected.text);
    EXPECT_EQ(got.samples, expected.samples);
    ASSERT_EQ(got.slices.size(), expected.slices.size());
    for (std::size_t i = 0; i < got.slices.size(); ++i) {
      EXPECT_EQ(got.slices[i].family, expected.slices[i].family);
      EXPECT_EQ(got.slices[i].begin, expected.slices[i].begin) << i;
      EXPECT_EQ(got.slices[i].size, expected.slices[i].size) << i;
    }
  }
  RepeatedBlock block_;
};

TEST_F(RepeatedBlockTest, BlockThatHadToBeSortedIsNotRevised) {
  EXPECT_FALSE(block_.can_revise());
  BlockBuilder builder;
  builder.Add(MakeFamily("b"), {}, 1);
  builder.Add(MakeFamily("a"), {}, 2);
  const std::vector<double> values = {1, 2};
  block_.Set(builder.Build(), values);
  EXPECT_FALSE(block_.can_revise());
  EXPECT_EQ(block_.block()->text, "a 2\nb 1\n");
  Start({1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(block_.can_revise());
}

TEST_F(RepeatedBlockTest, NothingBeforeTheFirst) {
  EXPECT_EQ(block_.block(), nullptr);
}

TEST_F(RepeatedBlockTest, EqualValuesGiveTheSameBlock) {
  const std::vector<double> values = {1, 2, 3, 4, 5, std::nan("")};
  Start(values);
  const auto before = block_.block();
  block_.Revise(values);
  EXPECT_EQ(block_.block(), before);
}

TEST_F(RepeatedBlockTest, TheOldBlockStaysAsItWas) {
  Start({1, 2, 3, 4, 5, 6});
  const auto before = block_.block();
  const std::string text = before->text;
  block_.Revise(std::vector<double>{10, 2, 3, 4, 5, 6});
  EXPECT_EQ(before->text, text);
  ExpectRenderedAs({10, 2, 3, 4, 5, 6});
}

TEST_F(RepeatedBlockTest, LongerAndShorterValuesMoveWhatFollows) {
  Start({1, 2, 3, 4, 5, 6});
  for (const std::vector<double>& values : std::vector<std::vector<double>>{
           {1, 2, 3, 4, 5, 0.1234567890123},
           {-1e300, 2, 3, 4, 5, 6},
           {-1e300, 2, 0.5, 4, 5, 6},
           {0, 2, 0.5, 4, 77, 6},
           {std::numeric_limits<double>::infinity(), -0.0, 3, 4, 5, 6}}) {
    block_.Revise(values);
    ExpectRenderedAs(values);
  }
}

TEST_F(RepeatedBlockTest, EqualsRenderingWhateverChanges) {
  std::mt19937 random(7);
  std::vector<double> values(6, 0);
  Start(values);
  for (int round = 0; round < 2000; ++round) {
    for (double& value : values) {
      if (random() % 3 != 0) continue;
      value = std::ldexp(static_cast<double>(random()) - 2147483648.0,
                         static_cast<int>(random() % 80) - 60);
    }
    block_.Revise(values);
    ExpectRenderedAs(values);
  }
}

}  // namespace
}  // namespace rlrun
