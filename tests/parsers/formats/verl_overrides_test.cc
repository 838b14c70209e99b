#include "parsers/formats/verl_overrides.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

using Words = std::vector<std::string>;

TEST(VerlOverridesTest, ListOfAFailedJob) {
  const auto words = ParseErrorOverrides(
      "Error executing job with overrides: ['trainer.nnodes=2', "
      "'+trainer.experiment_name=exp-7', \"data.train_files=['a', 'b']\", "
      "'actor_rollout_ref.actor.optim.lr=5e-6', "
      "'++trainer.logger=[console,\"wandb\"]', 'algorithm.adv_estimator=grpo', "
      "'algorithm.rollout_correction.rollout_is=null', "
      "'trainer.val_before_train=True', '~trainer.test_freq', "
      "'data.train_batch_size=24', 'trainer.project_name=\"a b\"']");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->size(), 11u);
  const RunFacts f = FactsFromOverrides(*words);
  EXPECT_EQ(f.experiment, "exp-7");
  EXPECT_EQ(f.project, "a b");
  EXPECT_EQ(f.lr, 5e-6);
  EXPECT_EQ(f.loggers, (Words{"console", "wandb"}));
  EXPECT_EQ(f.estimator, "grpo");
  EXPECT_EQ(f.rollout_is, "");
  EXPECT_EQ(f.validates_before_training, true);
  EXPECT_EQ(f.prompts_per_step, 24);
  EXPECT_FALSE(f.mode);  // nothing tells
  EXPECT_FALSE(f.nodes);
  EXPECT_FALSE(f.test_freq);
}

TEST(VerlOverridesTest, KeysOfTheAsynchronousTrainerTellTheMode) {
  const RunFacts f = FactsFromOverrides(
      Words{"async_training.require_batches=2", "data.train_batch_size=0",
            "actor_rollout_ref.actor.ppo_mini_batch_size=32",
            "trainer.nnodes=2", "rollout.nnodes=1"});
  EXPECT_EQ(f.mode, RunMode::kAsync);
  EXPECT_EQ(f.prompts_per_step, 64);
  EXPECT_EQ(f.nodes, 3);
}

TEST(VerlOverridesTest, CommandLine) {
  const Words words = SplitCommand(
      "PYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo \\\n"
      "  trainer.experiment_name=\"it's $x\"  trainer.project_name='a \"b\"' "
      "trainer.nnodes=2 --config-name=x trainer.default_local_dir=/a\\ b");
  ASSERT_EQ(words.size(), 9u);
  EXPECT_EQ(words[3], "verl.trainer.main_ppo");
  const RunFacts f = FactsFromOverrides(words);
  EXPECT_EQ(f.mode, RunMode::kSync);
  EXPECT_EQ(f.experiment, "it's $x");
  EXPECT_EQ(f.project, "a \"b\"");
  EXPECT_EQ(f.default_local_dir, "/a b");
  EXPECT_EQ(f.nodes, 2);
}

TEST(VerlOverridesTest, WordsOfAShell) {
  EXPECT_EQ(SplitCommand(""), Words{});
  EXPECT_EQ(SplitCommand("  a  'b c'd \"\" "), (Words{"a", "b cd", ""}));
  EXPECT_EQ(SplitCommand(R"("a\"b\n" 'x\y' \z)"),
            (Words{"a\"b\\n", "x\\y", "z"}));
  EXPECT_EQ(SplitCommand("a 'b c"), (Words{"a", "b c"}));
  EXPECT_EQ(SplitCommand("a\\"), (Words{"a\\"}));
}

TEST(VerlOverridesTest, OtherLinesAndDamagedLists) {
  EXPECT_FALSE(ParseErrorOverrides("executing job with overrides: []"));
  EXPECT_EQ(ParseErrorOverrides("Error executing job with overrides: "),
            Words{});
  EXPECT_EQ(ParseErrorOverrides("Error executing job with overrides: [x]"),
            Words{});
  EXPECT_EQ(ParseErrorOverrides("Error executing job with overrides: ['a=1', "
                                "'b=2"),
            Words{"a=1"});
  EXPECT_EQ(CountRunFacts(FactsFromOverrides(
                Words{"=1", "a=", "trainer=x", "'=\\", "trainer.nnodes=\n"})),
            0u);
}

TEST(VerlOverridesTest, StrongerSourceWinsAndAbsentFactsAreFilled) {
  RunFacts strong = FactsFromOverrides(Words{"trainer.project_name=a"});
  const RunFacts weak = FactsFromOverrides(
      Words{"trainer.project_name=b", "trainer.experiment_name=c"});
  FillRunFacts(weak, &strong);
  EXPECT_EQ(strong.project, "a");
  EXPECT_EQ(strong.experiment, "c");
  EXPECT_EQ(CountRunFacts(strong), 2u);
}

}  // namespace
}  // namespace rlrun
