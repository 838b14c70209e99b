#include "parsers/formats/stated_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "parsers/formats/verl_console.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

// Through the console format, as in a log.
class StatedFactsTest : public testing::Test {
 protected:
  LogFacts Feed(std::string_view text) {
    LogFacts facts;
    splitter_.Feed(text, [&](std::span<const Line> lines) {
      format_.ParseLines(lines, &facts);
    });
    format_.Finish(&facts);
    for (std::size_t i = 0; i < kConfigOutcomes; ++i) {
      blocks_[i] += facts.config_blocks[i];
    }
    return facts;
  }
  std::uint64_t Blocks(ConfigOutcome outcome) const {
    return blocks_[static_cast<std::size_t>(outcome)];
  }

  LineSplitter splitter_;
  VerlConsole format_;
  std::array<std::uint64_t, kConfigOutcomes> blocks_{};
};

constexpr char kConfig[] =
    "(TaskRunner pid=7) {'actor_rollout_ref': {'actor': {'optim': {'lr': "
    "1e-06}},\n"
    "(WorkerDict pid=9) ERROR:2026-01-02 03:04:05,000:loading\n"
    "(TaskRunner pid=7)                       'rollout': {'n': 8}},\n"
    "(TaskRunner pid=7)  'algorithm': {'adv_estimator': 'gae',\n"
    "(TaskRunner pid=7)                'rollout_correction': {'bypass_mode': "
    "True}},\n"
    "(TaskRunner pid=7)  'trainer': {'project_name': 'made-up',\n"
    "(TaskRunner pid=7)              'total_training_steps': 40}}\n";

constexpr char kBanner[] =
    "=== Launching Harbor verl training ===\n"
    "project:       banner\n"
    "experiment:    exp-1\n";

constexpr char kOverrides[] =
    "Error executing job with overrides: ['trainer.project_name=over', "
    "'trainer.test_freq=5']\n";

TEST_F(StatedFactsTest, PlainLinesChangeNothing) {
  const LogFacts facts = Feed("hello\n(A pid=1) world\nEarly days\n");
  EXPECT_EQ(facts.run_facts, nullptr);
  EXPECT_EQ(facts.total_steps, std::nullopt);
}

TEST_F(StatedFactsTest, ConfigBlockWithForeignLinesInside) {
  const LogFacts facts = Feed(kConfig);
  ASSERT_NE(facts.run_facts, nullptr);
  EXPECT_EQ(facts.run_facts->project, "made-up");
  EXPECT_EQ(facts.run_facts->responses_per_prompt, 8);
  EXPECT_EQ(facts.total_steps, 40);
  EXPECT_EQ(facts.mode, RunMode::kSync);
  EXPECT_EQ(Blocks(ConfigOutcome::kWhole), 1u);
  // Lines of a block are events, step lines and errors beside it are not lost.
  EXPECT_EQ(facts.lines[static_cast<std::size_t>(LineOutcome::kEvent)], 7u);
  EXPECT_EQ(Feed("nothing new\n").run_facts, nullptr);
  EXPECT_EQ(Blocks(ConfigOutcome::kWhole), 1u);  // and counts once
}

TEST_F(StatedFactsTest, BlockOverManyBatches) {
  std::shared_ptr<const RunFacts> newest;
  for (const char c : std::string_view(kConfig)) {
    const LogFacts facts = Feed({&c, 1});
    if (facts.run_facts) newest = facts.run_facts;
  }
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(newest->project, "made-up");
  EXPECT_EQ(newest->total_steps, 40);
  EXPECT_EQ(Blocks(ConfigOutcome::kWhole), 1u);
  EXPECT_EQ(Blocks(ConfigOutcome::kCut), 0u);
}

TEST_F(StatedFactsTest, TextThatEndsInsideABlock) {
  const std::string_view config = kConfig;
  const LogFacts facts = Feed(config.substr(0, config.rfind("(TaskRunner")));
  ASSERT_NE(facts.run_facts, nullptr);
  EXPECT_EQ(facts.run_facts->estimator, "gae");
  EXPECT_EQ(facts.run_facts->project, "made-up");
  EXPECT_EQ(facts.run_facts->total_steps, std::nullopt);
  // It is still open: nobody knows yet that it is cut.
  EXPECT_EQ(Blocks(ConfigOutcome::kCut), 0u);
  EXPECT_EQ(Feed("other\n").run_facts, nullptr);
  EXPECT_EQ(Feed(config.substr(config.rfind("(TaskRunner"))).total_steps, 40);
  EXPECT_EQ(Blocks(ConfigOutcome::kWhole), 1u);
}

TEST_F(StatedFactsTest, SecondBlockThatIsOpenDoesNotHideTheFirst) {
  Feed(kConfig);
  const std::string_view config = kConfig;
  EXPECT_EQ(Feed(config.substr(0, config.find('\n') + 1)).run_facts, nullptr);
}

TEST_F(StatedFactsTest, OtherDictsAndDamagedConfigsAreCounted) {
  Feed("{'a': 1, 'b': {'c': 2}}\n");
  EXPECT_EQ(Blocks(ConfigOutcome::kOther), 1u);
  const LogFacts facts =
      Feed("{'actor_rollout_ref': {'x': call()}, 'data': {}, 'trainer': {}}\n");
  EXPECT_EQ(facts.run_facts, nullptr);
  EXPECT_EQ(Blocks(ConfigOutcome::kGivenUp), 1u);
}

TEST_F(StatedFactsTest, BannerBelowConfigAboveOverrides) {
  EXPECT_EQ(Feed(kOverrides).run_facts->project, "over");
  EXPECT_EQ(Feed(kBanner).run_facts->project, "banner");
  const LogFacts facts = Feed(kConfig);
  EXPECT_EQ(facts.run_facts->project, "made-up");
  EXPECT_EQ(facts.run_facts->experiment, "exp-1");
  EXPECT_EQ(facts.run_facts->test_freq, 5);
  EXPECT_EQ(Feed(kOverrides).run_facts->project, "made-up");
}

TEST_F(StatedFactsTest, OverridesStayAnError) {
  const LogFacts facts = Feed(kOverrides);
  EXPECT_EQ(facts.events
                .errors[static_cast<std::size_t>(LogErrorKind::kTrainerCrash)],
            1u);
}

TEST_F(StatedFactsTest, ErrorInsideABannerSectionIsNotLost) {
  const LogFacts facts = Feed(std::string(kBanner) +
                              "Traceback (most recent call last):\n"
                              "ValueError: no such model\n");
  EXPECT_EQ(facts.events.errors[0], 1u);
}

TEST_F(StatedFactsTest, StatedTotalBeatsTheConfigs) {
  Feed("(TaskRunner pid=7) Total training steps: 38\n");
  EXPECT_EQ(Feed(kConfig).total_steps, std::nullopt);
}

TEST_F(StatedFactsTest, SaoByConfig) {
  Feed(kConfig);
  EXPECT_EQ(Feed("step:1 - critic/vf_explained_var:0.1\n").mode, RunMode::kSao);
}

TEST_F(StatedFactsTest, RunIsThroughByTheConfigsTotal) {
  Feed(kConfig);
  Feed("(TaskRunner pid=7) step:40 - actor/lr:1e-06\n");
  const LogFacts facts = Feed("Traceback (most recent call last):\n");
  ASSERT_TRUE(facts.events.newest_burst.has_value());
  EXPECT_TRUE(facts.events.newest_burst->after_end);
}

TEST_F(StatedFactsTest, ResetForgetsTheOldText) {
  Feed(kConfig);
  format_.Reset();
  EXPECT_EQ(Feed(kBanner).run_facts->project, "banner");
  EXPECT_EQ(Feed("x\n").mode, RunMode::kUnknown);
}

}  // namespace
}  // namespace rlrun
