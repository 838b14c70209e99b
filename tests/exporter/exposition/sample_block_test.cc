#include "exporter/exposition/sample_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using testing::IsEmpty;

std::shared_ptr<const FamilyHeader> Family(std::string name,
                                           std::string help = "Help.") {
  return std::make_shared<const FamilyHeader>(
      FamilyHeader{std::move(name), FamilyType::kGauge, std::move(help), ""});
}

void Add(BlockBuilder* builder,
         const std::shared_ptr<const FamilyHeader>& family,
         std::string_view run, double value, std::string_view phase = "") {
  const std::array<Label, 2> labels = {Label{"run", run},
                                       Label{"phase", phase}};
  builder->Add(family, labels, value);
}

std::shared_ptr<const SampleBlock> Share(BlockBuilder* builder) {
  return std::make_shared<const SampleBlock>(builder->Build());
}

std::string Text(std::vector<std::shared_ptr<const SampleBlock>> blocks,
                 TextFormat format = TextFormat::kText004) {
  std::string out;
  AppendBlocks(&out, blocks, format);
  return out;
}

TEST(BlockBuilder, FamiliesInAnyOrderBecomeOneSliceEach) {
  const auto a = Family("a");
  const auto b = Family("b");
  BlockBuilder builder;
  Add(&builder, b, "r", 1, "x");
  Add(&builder, a, "r", 2);
  Add(&builder, b, "r", 3, "w");
  const SampleBlock block = builder.Build();
  EXPECT_EQ(block.text,
            "a{run=\"r\"} 2\nb{run=\"r\",phase=\"x\"} 1\n"
            "b{run=\"r\",phase=\"w\"} 3\n");
  ASSERT_EQ(block.slices.size(), 2u);
  EXPECT_EQ(block.slices[0].family, a.get());
  EXPECT_EQ(block.slices[1].family, b.get());
  EXPECT_EQ(block.slices[1].begin, block.slices[0].size);
  EXPECT_EQ(block.slices[1].begin + block.slices[1].size, block.text.size());
  EXPECT_EQ(block.samples, 3u);
}

TEST(BlockBuilder, BuildLeavesItEmpty) {
  BlockBuilder builder;
  Add(&builder, Family("a"), "r", 1);
  builder.Build();
  const SampleBlock block = builder.Build();
  EXPECT_EQ(block.text, "");
  EXPECT_THAT(block.slices, IsEmpty());
  EXPECT_EQ(block.samples, 0u);
}

TEST(BlockBuilder, TwoHeadersOfOneNameAreOneSlice) {
  BlockBuilder builder;
  Add(&builder, Family("b"), "r", 1);
  Add(&builder, Family("a"), "r", 2);
  Add(&builder, Family("b"), "s", 3);
  EXPECT_EQ(builder.Build().slices.size(), 2u);
}

TEST(AppendBlocks, EachFamilyOnceWithItsHeader) {
  const auto a = Family("a");
  const auto b = Family("b");
  BlockBuilder builder;
  Add(&builder, a, "one", 1);
  Add(&builder, b, "one", 2);
  const auto first = Share(&builder);
  Add(&builder, b, "two", 3);
  const auto second = Share(&builder);
  Add(&builder, a, "three", 4);
  const auto third = Share(&builder);
  EXPECT_EQ(Text({first, nullptr, second, third}),
            "# HELP a Help.\n# TYPE a gauge\n"
            "a{run=\"one\"} 1\na{run=\"three\"} 4\n"
            "# HELP b Help.\n# TYPE b gauge\n"
            "b{run=\"one\"} 2\nb{run=\"two\"} 3\n");
}

TEST(AppendBlocks, FirstHeaderOfANameWins) {
  BlockBuilder builder;
  Add(&builder, Family("z"), "one", 0);
  Add(&builder, Family("a", "First."), "one", 1);
  const auto first = Share(&builder);
  Add(&builder, Family("a", "Second."), "two", 2);
  const auto second = Share(&builder);
  EXPECT_EQ(Text({first, second}),
            "# HELP a First.\n# TYPE a gauge\n"
            "a{run=\"one\"} 1\na{run=\"two\"} 2\n"
            "# HELP z Help.\n# TYPE z gauge\nz{run=\"one\"} 0\n");
}

TEST(AppendBlocks, NothingGivesNothing) {
  EXPECT_EQ(Text({}), "");
  EXPECT_EQ(Text({nullptr, std::make_shared<const SampleBlock>()}), "");
}

TEST(AppendBlocks, AppendsAndWritesNoEof) {
  BlockBuilder builder;
  Add(&builder, Family("a"), "r", 1);
  const std::vector<std::shared_ptr<const SampleBlock>> blocks = {
      Share(&builder)};
  std::string out = "before\n";
  AppendBlocks(&out, blocks, TextFormat::kOpenMetrics100);
  EXPECT_EQ(out, "before\n# HELP a Help.\n# TYPE a gauge\na{run=\"r\"} 1\n");
}

// Blocks whose families differ in number and order, shared and not shared.
TEST(AppendBlocks, ManyUnlikeBlocksKeepEverySampleOnce) {
  std::vector<std::shared_ptr<const FamilyHeader>> shared;
  shared.reserve(40);
  for (int f = 0; f < 40; ++f)
    shared.push_back(Family("f" + std::to_string(f)));
  std::vector<std::shared_ptr<const SampleBlock>> blocks;
  std::size_t samples = 0;
  for (int b = 0; b < 60; ++b) {
    BlockBuilder builder;
    for (int k = 0; k < 40; ++k) {
      const int f = (k * 7 + b) % 40;
      if ((f * b) % 5 == 3) continue;
      const auto own = Family("f" + std::to_string(f));
      Add(&builder, b % 3 == 0 ? own : shared[static_cast<std::size_t>(f)],
          "run" + std::to_string(b), f);
    }
    samples += builder.samples();
    blocks.push_back(Share(&builder));
  }
  const std::string text =
      Text(blocks, TextFormat::kOpenMetrics100) + "# EOF\n";
  const CheckedExposition checked = CheckExposition(text, true);
  EXPECT_THAT(checked.errors, IsEmpty());
  EXPECT_EQ(checked.samples.size(), samples);
  EXPECT_EQ(checked.families.size(), 40u);
  EXPECT_TRUE(std::is_sorted(checked.families.begin(), checked.families.end()));
}

}  // namespace
}  // namespace rlrun
