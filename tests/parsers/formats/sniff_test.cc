#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

using namespace std::string_literals;

TEST(SniffTest, Records) {
  for (const std::string& head :
       {R"({"step": 1, "data": {"a": 1}})"s, R"({"step":1,"data":{"a":)"s,
        R"({"data": {"a": 1}, "step": 1})"s,
        "\xEF\xBB\xBF\n\r\n  { \"step\" : 1.0 , \"data\":{}}\nhello"s,
        "\0\0{\"step\":1,\"data\":{}}\n"s}) {
    EXPECT_EQ(SniffFormat(head), FormatKind::kVerlJsonl) << head;
  }
}

TEST(SniffTest, EverythingElseIsConsole) {
  for (const std::string& head :
       {""s, "\n\n"s, "hello"s, "step:1 - a:1\n{\"step\":1,\"data\":{}}"s,
        R"({"version": 2, "width": 80})"s, R"({"step": 1, "loss": 0.5})"s,
        R"({"step": "x", "data": {}})"s, R"({"step": 1})"s, R"({"data": 5})"s,
        R"({"stepper": 1, "data": {}})"s, "{\"step\": 1,\n\"data\": {}}"s,
        "{"s}) {
    EXPECT_EQ(SniffFormat(head), FormatKind::kVerlConsole) << head;
  }
}

TEST(SniffTest, EachKindHasItsFormat) {
  EXPECT_EQ(MakeLogFormat(FormatKind::kVerlConsole)->name(), "verl_console");
  EXPECT_EQ(MakeLogFormat(FormatKind::kVerlJsonl)->name(), "verl_jsonl");
  EXPECT_EQ(MakeLogFormat(FormatKind::kSlimeConsole)->name(), "slime_console");
  EXPECT_EQ(MakeLogFormat(FormatKind::kTrlConsole)->name(), "trl_console");
}

// Of the first line that decides; a text without one: nothing.
std::optional<FormatKind> Sniff(std::string_view text) {
  std::optional<FormatKind> kind;
  LineSplitter splitter;
  splitter.Feed(text, [&](std::span<const Line> lines) {
    if (!kind) kind = SniffConsole(lines).kind;
  });
  return kind;
}

TEST(SniffConsoleTest, EachTrainerByItsOwnLines) {
  for (const char* text :
       {"step:3 - actor/lr:1e-06\n", "(TaskRunner pid=7) hello\n",
        "{'actor_rollout_ref': {'actor': {'strategy': 'fsdp'}}}\n",
        "Training Progress: 1%|#| 1/9 [00:01<00:08, 1.1s/it]step:1 - "
        "a/b:1\n"}) {
    EXPECT_EQ(Sniff(text), FormatKind::kVerlConsole) << text;
  }
  for (const char* text :
       {"step 3: {'train/loss': 0.5}\n", "Training run id: a-b-00112233\n",
        "\x1b[36m(MegatronTrainRayActor pid=7)\x1b[0m hello\n",
        "(RolloutManager pid=7, ip=10.0.0.1) hello\n",
        "2026-03-01 05:00:00+00:00 perf 0: {'perf/step_time': 1}\n",
        "ft op=train phase=start rollout_id=3\n",
        "Running entrypoint for job raysubmit_1: python3 train.py "
        "--num-rollout 10\n"}) {
    EXPECT_EQ(Sniff(text), FormatKind::kSlimeConsole) << text;
  }
  for (const char* text : {"{'loss': 0.5, 'grad_norm': 1.0, 'epoch': 0.1}\n",
                           " 5%|#  | 25/500 [01:48<34:10, 4.23s/it]{'loss': "
                           "'1', 'epoch': '1'}\n"}) {
    EXPECT_EQ(Sniff(text), FormatKind::kTrlConsole) << text;
  }
}

TEST(SniffConsoleTest, TheFirstLineThatDecidesWins) {
  EXPECT_EQ(Sniff("hello\nstep:1 - a/b:1\nstep 3: {'train/loss': 0.5}\n"),
            FormatKind::kVerlConsole);
  EXPECT_EQ(Sniff("hello\nstep 3: {'train/loss': 0.5}\nstep:1 - a/b:1\n"),
            FormatKind::kSlimeConsole);
}

TEST(SniffConsoleTest, NobodyClaimsProseAndOtherTrainers) {
  EXPECT_EQ(Sniff("hello\nloading {'a': 1}\nstep 3: {'thought': 1}\n"
                  "INFO 08-13 10:00:00 ppo_trainer.py:547] Global step 12: "
                  "{'policy_loss': 0.01}\n"
                  "Eval at step 12: {'eval/x': 1}\n"
                  "Running entrypoint for job x: python3 -m verl.trainer."
                  "main_ppo\n"
                  "the options are --num-rollout 10\n"
                  "{'a': 1, 'loss': 2}\n"
                  "an agent said: step 3: {'train/loss': 0.5}\n"),
            std::nullopt);
}

TEST(SniffConsoleTest, SaysWhichLine) {
  LineSplitter splitter;
  splitter.Feed("a\nb\nstep 3: {'train/loss': 0.5}\nc\n",
                [](std::span<const Line> lines) {
                  EXPECT_EQ(SniffConsole(lines).first, 2u);
                });
}

}  // namespace
}  // namespace rlrun
