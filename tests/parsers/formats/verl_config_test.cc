#include "parsers/formats/verl_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rlrun {
namespace {

using Outcome = VerlConfigBlock::Outcome;

// Lines as a log has them, and the facts of the configs that end in them.
class Reader {
 public:
  void Line(std::string_view line) {
    ActorPrefix prefix;
    const std::string_view payload = SkipPrefixes(line, &prefix);
    Take(block_.Offer(payload, PayloadIndent(line, payload, prefix), prefix));
  }
  void Lines(const std::vector<std::string>& lines, std::string_view front) {
    for (const std::string& line : lines) Line(std::string(front) + line);
  }
  void Finish() { Take(block_.Finish()); }
  void Reset() { block_.Reset(); }

  const std::vector<RunFacts>& facts() const { return facts_; }
  const VerlConfigBlock::Counts& counts() const { return block_.counts(); }
  Outcome last() const { return last_; }

 private:
  void Take(Outcome outcome) {
    last_ = outcome;
    if (outcome != Outcome::kConfig) return;
    facts_.push_back(FactsFromConfig(block_.config(), block_.is_whole()));
  }

  VerlConfigBlock block_;
  std::vector<RunFacts> facts_;
  Outcome last_ = Outcome::kIgnored;
};

constexpr char kRunner[] = "\x1b[36m(TaskRunner pid=71)\x1b[0m ";

const std::vector<std::string> kSync = {
    "{'actor_rollout_ref': {'actor': {'grad_clip': 1.0,",
    "                                 'optim': {'lr': 2e-06,",
    "                                           'lr_scheduler_type': 'cosine',",
    "                                           'lr_warmup_steps': -1,",
    "                                           'lr_warmup_steps_ratio': 0.05,",
    "                                           'total_training_steps': -1},",
    "                                 'ppo_mini_batch_size': 16,",
    "                                 'router_replay': {'mode': 'R3'},",
    "                                 'strategy': 'fsdp'},",
    "                       'model': {'path': '/models/made-up/with a very '",
    "                                         \"long name, it's {wrapped\"},",
    "                       'rollout': {'n': 8,",
    "                                   'tensor_model_parallel_size': 2}},",
    " 'algorithm': {'adv_estimator': 'gae',",
    "               'gae_whiten_advantages': False,",
    "               'rollout_correction': {'bypass_mode': True,",
    "                                      'rollout_is': None,",
    "                                      'rollout_is_threshold': 2.0}},",
    " 'critic': {'grad_clip': 10, 'optim': {'lr': 1e-05}},",
    " 'data': {'max_prompt_length': 1024,",
    "          'max_response_length': 3072,",
    "          'train_batch_size': 32},",
    " 'trainer': {'critic_warmup': 20,",
    "             'default_local_dir': 'checkpoints/p/e',",
    "             'experiment_name': 'exp-one',",
    "             'logger': ['console',",
    "                        'wandb'],",
    "             'n_gpus_per_node': 8,",
    "             'nnodes': 2,",
    "             'project_name': 'made-up',",
    "             'save_freq': 20,",
    "             'test_freq': -1,",
    "             'total_epochs': 3,",
    "             'total_training_steps': None,",
    "             'val_before_train': False}}"};

void ExpectSync(const RunFacts& f) {
  EXPECT_EQ(f.project, "made-up");
  EXPECT_EQ(f.experiment, "exp-one");
  EXPECT_EQ(f.model, "/models/made-up/with a very long name, it's {wrapped");
  EXPECT_EQ(f.default_local_dir, "checkpoints/p/e");
  EXPECT_EQ(f.loggers, (std::vector<std::string>{"console", "wandb"}));
  EXPECT_EQ(f.mode, RunMode::kSync);
  EXPECT_EQ(f.engine, "fsdp");
  EXPECT_EQ(f.estimator, "gae");
  EXPECT_EQ(f.bypass_mode, true);
  EXPECT_EQ(f.rollout_is, "");
  EXPECT_FALSE(f.rollout_rs);
  EXPECT_EQ(f.rollout_is_threshold, 2.0);
  EXPECT_EQ(f.whitens_advantages, false);
  EXPECT_EQ(f.routing_replay, true);
  EXPECT_EQ(f.lr, 2e-6);
  EXPECT_EQ(f.lr_scheduler, "cosine");
  EXPECT_FALSE(f.lr_warmup_steps);
  EXPECT_EQ(f.lr_warmup_ratio, 0.05);
  EXPECT_EQ(f.lr_total_steps, -1);
  EXPECT_EQ(f.actor_grad_clip, 1.0);
  EXPECT_EQ(f.critic_grad_clip, 10.0);
  EXPECT_EQ(f.critic_lr, 1e-5);
  EXPECT_EQ(f.critic_warmup_steps, 20);
  EXPECT_EQ(f.prompts_per_step, 32);
  EXPECT_EQ(f.responses_per_prompt, 8);
  EXPECT_EQ(f.max_prompt_tokens, 1024);
  EXPECT_EQ(f.max_response_tokens, 3072);
  EXPECT_FALSE(f.total_steps);
  EXPECT_EQ(f.total_epochs, 3);
  EXPECT_EQ(f.test_freq, -1);
  EXPECT_EQ(f.save_freq, 20);
  EXPECT_EQ(f.validates_before_training, false);
  EXPECT_EQ(f.nodes, 2);
  EXPECT_EQ(f.gpus_per_node, 8);
  EXPECT_EQ(f.tensor_parallel, 2);
  EXPECT_EQ(f.engine_replicas, 8);
  EXPECT_FALSE(f.agent_timeout_s);
}

TEST(VerlConfigTest, BlockBehindAPrefix) {
  Reader reader;
  reader.Lines(kSync, kRunner);
  ASSERT_EQ(reader.facts().size(), 1u);
  ExpectSync(reader.facts()[0]);
  EXPECT_EQ(reader.counts().configs, 1u);
}

TEST(VerlConfigTest, BlockWithoutPrefixes) {
  Reader reader;
  reader.Lines(kSync, "");
  ASSERT_EQ(reader.facts().size(), 1u);
  ExpectSync(reader.facts()[0]);
}

TEST(VerlConfigTest, LinesOfOthersInBetween) {
  Reader reader;
  for (const std::string& line : kSync) {
    reader.Line(kRunner + line);
    // Another pid, another node, no prefix, and the runner's own libraries.
    reader.Line("(TaskRunner pid=72)  'n': 4},");
    reader.Line("(TaskRunner pid=71, ip=10.0.0.2)  'n': 4}}}}");
    reader.Line("(WorkerDict pid=9) {'eos_token_id': 7}");
    reader.Line("  'lr': 1,");
    reader.Line("(TaskRunner pid=71) WARNING 07-06 10:00:01 no {kernel}");
    reader.Line("(TaskRunner pid=71) [libmadeup] a {notice}");
    reader.Line("(TaskRunner pid=71)   it's indented prose");
    reader.Line("(TaskRunner pid=71)   'a quote that stays open,");
    reader.Line("(TaskRunner pid=71)");
    reader.Line("");
  }
  ASSERT_EQ(reader.facts().size(), 1u);
  ExpectSync(reader.facts()[0]);
}

TEST(VerlConfigTest, CopyThatLostItsIndentation) {
  Reader reader;
  for (const std::string& line : kSync) {
    reader.Line(kRunner + std::string(TrimBlanks(line)));
  }
  ASSERT_EQ(reader.facts().size(), 1u);
  ExpectSync(reader.facts()[0]);
}

TEST(VerlConfigTest, AsynchronousRun) {
  Reader reader;
  reader.Lines(
      {"{'actor_rollout_ref': {'actor': {'ppo_mini_batch_size': 64,",
       "                                 'strategy': 'veomni'},",
       "                       'rollout': {'data_parallel_size': 2,",
       "                                   "
       "'enable_rollout_routing_replay': False,",
       "                                   'n': 8,",
       "                                   'tensor_model_parallel_size': 4}},",
       " 'algorithm': {'adv_estimator': 'grpo'},",
       " 'async_training': {'require_batches': 2,",
       "                    'staleness_threshold': 0.5,",
       "                    'trigger_parameter_sync_step': 4},",
       " 'data': {'gen_batch_size': 1, 'train_batch_size': 0},",
       " 'rollout': {'n_gpus_per_node': 8, 'nnodes': 3},",
       " 'trainer': {'n_gpus_per_node': 8, 'nnodes': 2}}"},
      "(FullyAsyncTaskRunner pid=5, ip=10.0.0.7) ");
  ASSERT_EQ(reader.facts().size(), 1u);
  const RunFacts& f = reader.facts()[0];
  EXPECT_EQ(f.mode, RunMode::kAsync);
  EXPECT_EQ(f.prompts_per_step, 128);
  EXPECT_EQ(f.responses_per_prompt, 8);
  EXPECT_EQ(f.sync_every_steps, 4);
  EXPECT_EQ(f.staleness_threshold, 0.5);
  EXPECT_EQ(f.routing_replay, false);
  EXPECT_EQ(f.nodes, 5);
  EXPECT_EQ(f.engine_replicas, 3);
}

TEST(VerlConfigTest, SftConfigOnOneLineWithTextGluedBehind) {
  Reader reader;
  reader.Line(
      "{'data': {'train_batch_size': 16, 'max_length': 512}, 'model': "
      "{'partial_pretrain': '/m/tiny'}, 'optim': {'lr': 1e-05, "
      "'warmup_steps_ratio': 0.1, 'clip_grad': 0.5, 'lr_scheduler': 'cosine'}, "
      "'trainer': {'project_name': 'p', 'experiment_name': 'e', 'nnodes': 1, "
      "'logger': 'console'}}Epoch 1/6:   0%|  | 0/62 [00:00<?, ?it/s]");
  ASSERT_EQ(reader.facts().size(), 1u);
  const RunFacts& f = reader.facts()[0];
  EXPECT_EQ(f.mode, RunMode::kSft);
  EXPECT_EQ(f.model, "/m/tiny");
  EXPECT_EQ(f.lr, 1e-5);
  EXPECT_EQ(f.lr_scheduler, "cosine");
  EXPECT_EQ(f.lr_warmup_ratio, 0.1);
  EXPECT_EQ(f.actor_grad_clip, 0.5);
  EXPECT_EQ(f.prompts_per_step, 16);
  EXPECT_EQ(f.loggers, std::vector<std::string>{"console"});
  EXPECT_FALSE(f.engine_replicas);
}

TEST(VerlConfigTest, NumbersAndSwitchesAsText) {
  Reader reader;
  reader.Line(
      "{'actor_rollout_ref': {'actor': {'optim': {'lr': '1e-6', "
      "'lr_warmup_steps': '10'}}, 'rollout': {'n': 1.5}}, 'env': {'rollout': "
      "{'n': 4}}, 'trainer': {'val_before_train': 'true', 'test_freq': nan, "
      "'save_freq': 1e300}}");
  ASSERT_EQ(reader.facts().size(), 1u);
  const RunFacts& f = reader.facts()[0];
  EXPECT_EQ(f.lr, 1e-6);
  EXPECT_EQ(f.lr_warmup_steps, 10);
  EXPECT_EQ(f.responses_per_prompt, 4);
  EXPECT_EQ(f.validates_before_training, true);
  EXPECT_FALSE(f.test_freq);
  EXPECT_FALSE(f.save_freq);
}

TEST(VerlConfigTest, BracketsBehindAnEscapedQuote) {
  Reader reader;
  reader.Lines({"{'actor_rollout_ref': {'model': {'path': 'it\\'s \"a\" }}}'},",
                "   'rollout': {'tensor_model_parallel_size': 3}},",
                " 'trainer': {'n_gpus_per_node': 8, 'nnodes': 1}}"},
               kRunner);
  ASSERT_EQ(reader.facts().size(), 1u);
  EXPECT_EQ(reader.facts()[0].model, "it's \"a\" }}}");
  EXPECT_EQ(reader.facts()[0].nodes, 1);
  EXPECT_FALSE(reader.facts()[0].engine_replicas);  // 8 / 3
}

TEST(VerlConfigTest, OtherDictsAreNoConfig) {
  Reader reader;
  reader.Line("{'loss': 0.5, 'epoch': 1}");
  reader.Line("(W pid=1) {'actor_rollout_ref': 7}");
  reader.Line("{'data': {'a': 1}, 'model': {'trainer': {'b': 2}}}");
  reader.Line("{'a': {'data': {'x': 1}, 'trainer': {'y': 2}}}");
  reader.Line("{'loss");
  EXPECT_TRUE(reader.facts().empty());
  EXPECT_EQ(reader.counts().other_dicts, 4u);
  EXPECT_EQ(reader.counts().given_up, 0u);
}

TEST(VerlConfigTest, WhatIsNoLiteralIsGivenUp) {
  Reader reader;
  reader.Line("{'actor_rollout_ref': {'a': <Path object>}}");
  EXPECT_EQ(reader.counts().given_up, 1u);
  reader.Lines(kSync, kRunner);
  EXPECT_EQ(reader.facts().size(), 1u);
}

TEST(VerlConfigTest, CutBlockGivesWhatIsWholeAndNoMode) {
  Reader reader;
  reader.Lines({kSync.begin(), kSync.begin() + 14}, kRunner);
  EXPECT_TRUE(reader.facts().empty());
  reader.Finish();
  ASSERT_EQ(reader.facts().size(), 1u);
  EXPECT_EQ(reader.counts().cut_configs, 1u);
  EXPECT_EQ(reader.facts()[0].lr, 2e-6);
  EXPECT_EQ(reader.facts()[0].estimator, "gae");
  EXPECT_FALSE(reader.facts()[0].mode);
  EXPECT_FALSE(reader.facts()[0].nodes);
  EXPECT_FALSE(reader.facts()[0].project);
}

TEST(VerlConfigTest, LineCutInsideAStringEndsTheBlock) {
  Reader reader;
  reader.Line("{'data': {'train_batch_size': 16}, 'model': {'path': '/m/ti");
  ASSERT_EQ(reader.facts().size(), 1u);
  EXPECT_EQ(reader.facts()[0].prompts_per_step, 16);
  EXPECT_FALSE(reader.facts()[0].model);
  EXPECT_FALSE(reader.facts()[0].mode);
}

TEST(VerlConfigTest, BlockWhoseActorIsGoneEndsAfterManyLines) {
  for (const std::string other : {"(W pid=9) x", "(TaskRunner pid=71) x"}) {
    Reader reader;
    reader.Lines({kSync.begin(), kSync.begin() + 14}, kRunner);
    for (int i = 0; i < 20'000 && reader.facts().empty(); ++i) {
      reader.Line(other);
    }
    EXPECT_EQ(reader.facts().size(), 1u) << other;
  }
}

TEST(VerlConfigTest, NewBlockOfTheSameActorEndsTheOldOne) {
  Reader reader;
  reader.Lines({kSync.begin(), kSync.begin() + 14}, kRunner);
  reader.Lines(kSync, kRunner);
  ASSERT_EQ(reader.facts().size(), 2u);
  EXPECT_FALSE(reader.facts()[0].project);
  ExpectSync(reader.facts()[1]);
}

TEST(VerlConfigTest, ConfigIsNotMissedBehindAnOpenDictOfAnother) {
  Reader reader;
  reader.Line("(WorkerDict pid=9) {'eos_token_id': 3,");
  reader.Lines(kSync, kRunner);
  ASSERT_EQ(reader.facts().size(), 1u);
  ExpectSync(reader.facts()[0]);
}

TEST(VerlConfigTest, ResetForgetsAnOpenBlock) {
  Reader reader;
  reader.Lines({kSync.begin(), kSync.begin() + 14}, kRunner);
  reader.Reset();
  reader.Lines({kSync.begin() + 14, kSync.end()}, kRunner);
  reader.Finish();
  EXPECT_TRUE(reader.facts().empty());
}

TEST(VerlConfigTest, EndlessBlockIsGivenUp) {
  Reader reader;
  reader.Line("{'actor_rollout_ref': {'a': [");
  const std::string line = "    " + std::string(10'000, '1') + ",";
  for (int i = 0; i < 200; ++i) reader.Line(line);
  EXPECT_EQ(reader.last(), Outcome::kIgnored);  // nothing is kept any more
  reader.Finish();
  EXPECT_TRUE(reader.facts().empty());
  EXPECT_EQ(reader.counts().given_up, 1u);
}

TEST(VerlConfigTest, OrdinaryLinesAreIgnored) {
  Reader reader;
  for (const char* line : {"", "{", "{'", "{'a", "{'a':", "step:1 - a:1",
                           "{\"a\": 1}", "kwargs: {'n': 1}"}) {
    reader.Line(line);
    reader.Reset();
  }
  EXPECT_EQ(reader.counts().other_dicts, 0u);
  reader.Line("'trainer': {'nnodes': 1}}");
  EXPECT_EQ(reader.last(), Outcome::kIgnored);
}

}  // namespace
}  // namespace rlrun
