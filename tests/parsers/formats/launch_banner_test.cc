#include "parsers/formats/launch_banner.h"

#include <gtest/gtest.h>

#include <string>

#include "parsers/lines/payload.h"

namespace rlrun {
namespace {

void Feed(std::string_view text, LaunchBanner* banner) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    ActorPrefix prefix;
    const auto payload = SkipPrefixes(text.substr(0, end), &prefix);
    banner->Offer(payload, prefix.present());
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

constexpr char kBanner[] =
    R"(=== Launching Harbor verl training ===
project:       made-up
experiment:    exp-20260102-030405
mode/engine:   async/veomni
templates:     a b
train log:     /t/made-up/logs/exp.log
vLLM log:      /t/made-up/logs/exp_vllm.log
=== Final Environment ===
WANDB_API_KEY=***
SOME_SECRET=hunter2
TRAIN_MODE=sync
CRITIC_GRAD_CLIP=10
GAE_WHITEN_ADVANTAGES="True"
HARBOR_AGENT_MAX_TIMEOUT_SEC=2400
HARBOR_VAL_AGENT_MAX_TIMEOUT_SEC=<unset>
a line without a name
═════ run configuration (train) ═════
  experiment   project=made-up  exp=exp-20260102-030405
  axes         mode=async engine=veomni scaffold=s backend=k8s
  topology     3 nodes × 8 gpu = train 2 / rollout 1  SP=8 → dp=2  vllm_TP=4
  batch        64 prompts × 8 resp = 512 trials/step  mini=64  dynamic_bsz=True
  context      prompt=30000 + resp=170000 = 200000
  algorithm    grpo  lr=1e-6  lr_sched=constant  kl_loss_coef=0.001
  rollout      temp=1.0 top_p=1 / R3=True rollout_is=token(thr=2.0) max_num_seqs=?
  schedule     save_freq=10  test_freq=10  val_before_train=True  epochs=5
  logs         train=/t/made-up/logs/exp.log
               trials=/t/made-up/exp
=== Launch Command ===
python3 -m verl.experimental.fully_async_policy.fully_async_main \
  trainer.experiment_name=of-the-command \
  critic.optim.lr=1e-5
step:1 - trainer.critic_warmup=3
)";

TEST(LaunchBannerTest, AllSections) {
  LaunchBanner banner;
  Feed(kBanner, &banner);
  const RunFacts f = banner.facts();
  EXPECT_EQ(f.project, "made-up");
  EXPECT_EQ(f.experiment, "exp-20260102-030405");
  EXPECT_EQ(f.mode, RunMode::kAsync);
  EXPECT_EQ(f.engine, "veomni");
  EXPECT_EQ(f.train_log, "/t/made-up/logs/exp.log");
  EXPECT_EQ(f.engine_log, "/t/made-up/logs/exp_vllm.log");
  EXPECT_EQ(f.trials_dir, "/t/made-up/exp");
  EXPECT_EQ(f.critic_grad_clip, 10.0);
  EXPECT_EQ(f.whitens_advantages, true);
  EXPECT_EQ(f.agent_timeout_s, 2400.0);
  EXPECT_FALSE(f.val_agent_timeout_s);
  EXPECT_EQ(f.nodes, 3);
  EXPECT_EQ(f.gpus_per_node, 8);
  EXPECT_EQ(f.tensor_parallel, 4);
  EXPECT_EQ(f.engine_replicas, 2);
  EXPECT_EQ(f.prompts_per_step, 64);
  EXPECT_EQ(f.responses_per_prompt, 8);
  EXPECT_EQ(f.max_prompt_tokens, 30000);
  EXPECT_EQ(f.max_response_tokens, 170000);
  EXPECT_EQ(f.estimator, "grpo");
  EXPECT_EQ(f.lr, 1e-6);
  EXPECT_EQ(f.lr_scheduler, "constant");
  EXPECT_EQ(f.routing_replay, true);
  EXPECT_EQ(f.rollout_is, "token");
  EXPECT_EQ(f.rollout_is_threshold, 2.0);
  EXPECT_EQ(f.save_freq, 10);
  EXPECT_EQ(f.test_freq, 10);
  EXPECT_EQ(f.validates_before_training, true);
  EXPECT_EQ(f.total_epochs, 5);
  EXPECT_EQ(f.critic_lr, 1e-5);
  EXPECT_FALSE(f.critic_warmup_steps);  // the command had ended
}

TEST(LaunchBannerTest, NoValueOfAnUnlistedNameIsKept) {
  LaunchBanner banner;
  Feed(kBanner, &banner);
  const RunFacts f = banner.facts();
  ForEachRunFact([&](std::string_view name, auto field) {
    if constexpr (std::is_same_v<decltype(field), RunFacts::Text RunFacts::*>) {
      EXPECT_EQ((f.*field).value_or("").find("hunter2"), std::string::npos)
          << name;
    }
  });
}

// A later launcher prints the table first, with other rows.
TEST(LaunchBannerTest, TableInFrontOfTheBannerWithOtherRows) {
  LaunchBanner banner;
  Feed(R"(═════════ run configuration (train) ═════════
  config      /c/x.env
  experiment  project=p  exp=e
  axes        mode=async engine=e scaffold=s backend=b profile=grpo
  model       /m/tiny
              served=tiny  preset=<explicit>
  topology    4 nodes × 8 gpu  = train 3 / rollout 1  SP=1 → dp=24  vllm_TP=8
  batch       0 prompts × 8 resp = 0 trials/step   mini=32  dynamic_bsz=True
  algorithm   grpo / gspo  lr=?  kl_loss_coef=?  clip=0.1/0.2
              loss_agg=seq  lr_sched=<yaml default>
  async       staleness=0.5 partial_rollout=True require_batches=2 sync_every=4 steps
  cadence     epochs=1  save_freq=5  test_freq=5  val_before_train=False
  logs        /r/logs/e.log
──────────────────────────────
  agent       tool_parser=t  agent_name=a  loop=l.yaml
              max_iterations=200  timeout=3600s  val_timeout=4800s  retries=2
  trials      /t/p/e
══════════════════════════════
save_freq=99
=== Launching Harbor verl training ===
vLLM log:      /r/logs/e_vllm.log
)",
       &banner);
  const RunFacts f = banner.facts();
  EXPECT_EQ(f.model, "/m/tiny");
  EXPECT_EQ(f.prompts_per_step, 64);
  EXPECT_EQ(f.nodes, 4);
  EXPECT_EQ(f.engine_replicas, 1);
  EXPECT_EQ(f.estimator, "grpo");
  EXPECT_FALSE(f.lr);
  EXPECT_FALSE(f.lr_scheduler);
  EXPECT_EQ(f.staleness_threshold, 0.5);
  EXPECT_EQ(f.sync_every_steps, 4);
  EXPECT_EQ(f.save_freq, 5);
  EXPECT_EQ(f.train_log, "/r/logs/e.log");
  EXPECT_EQ(f.engine_log, "/r/logs/e_vllm.log");
  EXPECT_EQ(f.agent_timeout_s, 3600.0);
  EXPECT_EQ(f.val_agent_timeout_s, 4800.0);
  EXPECT_EQ(f.trials_dir, "/t/p/e");
}

TEST(LaunchBannerTest, ColocatedReplicas) {
  LaunchBanner banner;
  Feed(
      "══ run configuration (train) ══\n  axes mode=sync\n  topology    2 "
      "nodes × 8 gpu = 16  (colocated)  SP=1 → dp=16  vllm_TP=3\n",
      &banner);
  EXPECT_FALSE(banner.facts().engine_replicas);  // 16 / 3
  Feed("  topology  2 nodes × 9 gpu = 18  (colocated)  vllm_TP=3\n", &banner);
  EXPECT_EQ(banner.facts().engine_replicas, 6);
}

TEST(LaunchBannerTest, SecondLaunchForgetsTheFirst) {
  LaunchBanner banner;
  Feed(kBanner, &banner);
  Feed("=== Launching Harbor verl training ===\nproject:       other\n",
       &banner);
  EXPECT_EQ(banner.facts().project, "other");
  EXPECT_EQ(CountRunFacts(banner.facts()), 1u);
}

TEST(LaunchBannerTest, PrefixedLineEndsTheBanner) {
  LaunchBanner banner;
  Feed(
      "=== Launching Harbor verl training ===\n(A pid=1) project: no\n"
      "experiment: no\n",
      &banner);
  EXPECT_EQ(CountRunFacts(banner.facts()), 0u);
}

TEST(LaunchBannerTest, OrdinaryLinesAndOtherRulesAreIgnored) {
  LaunchBanner banner;
  for (const char* line :
       {"", "project: x", "=== Final Environment ===", "EXP_NAME=x",
        "=== Launch Command ===", "a trainer.nnodes=1", "=====",
        "═════ run configuration (eval) ═════", "  experiment exp=x"}) {
    EXPECT_FALSE(banner.Offer(line, false)) << line;
  }
  EXPECT_EQ(CountRunFacts(banner.facts()), 0u);
  EXPECT_TRUE(banner.Offer("=== Launching Harbor verl training ===", false));
  EXPECT_TRUE(banner.Offer("project: x", false));
}

TEST(LaunchBannerTest, AbsurdNumbersAreNoFacts) {
  LaunchBanner banner;
  Feed(
      "══ run configuration (train) ══\n  batch 1e300 prompts × 2.5 resp\n"
      "  topology 99999999999 nodes × nan gpu vllm_TP=0\n lr lr=inf\n",
      &banner);
  const RunFacts f = banner.facts();
  EXPECT_FALSE(f.prompts_per_step || f.responses_per_prompt || f.nodes);
  EXPECT_FALSE(f.gpus_per_node || f.engine_replicas || f.lr);
}

}  // namespace
}  // namespace rlrun
