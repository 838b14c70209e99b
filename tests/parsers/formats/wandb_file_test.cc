#include "parsers/formats/wandb_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/growing_file.h"
#include "tests/support/metric_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using Pairs = std::vector<std::pair<std::string, double>>;

Pairs PairsOf(const StepRecord& record) {
  Pairs out;
  for (const auto& p : record.pairs) out.emplace_back(record.Key(p), p.value);
  return out;
}

std::uint64_t Lines(const LogFacts& facts, LineOutcome outcome) {
  return facts.lines[static_cast<std::size_t>(outcome)];
}
std::uint64_t Skipped(const LogFacts& facts, SkipReason reason) {
  return facts.values_skipped[static_cast<std::size_t>(reason)];
}

LogFacts Parse(const std::string& text) {
  WandbFile file;
  LogFacts facts;
  ReadInPieces(
      &file, text, [&text] { return text.size(); }, &facts);
  return facts;
}

LogFacts ParseRecords(const std::vector<std::string>& records) {
  WandbFileWriter file;
  for (const std::string& r : records) file.Add(r);
  return Parse(file.text());
}

TEST(WandbFileTest, HistoryRowIsAStep) {
  const LogFacts facts =
      ParseRecords({WandbHistory(3, {{"actor/lr", "1e-06"},
                                     {"critic/score/mean", "0.5"},
                                     {"_step", "3"},
                                     {"_runtime", "61.5"},
                                     {"_timestamp", "1.7673230455e+09"},
                                     {"_wandb", "{\"runtime\":61}"}})});
  ASSERT_THAT(facts.steps, SizeIs(1));
  const StepRecord& row = facts.steps[0];
  EXPECT_EQ(row.step, 3);
  EXPECT_EQ(row.line_class, LineClass::kTrain);
  EXPECT_THAT(PairsOf(row), ElementsAre(Pair("actor/lr", 1e-06),
                                        Pair("critic/score/mean", 0.5)));
  EXPECT_EQ(row.time, 1767323045.5);
  EXPECT_EQ(row.begin_offset, 7u);
  EXPECT_EQ(facts.mode, RunMode::kSync);
  EXPECT_EQ(Lines(facts, LineOutcome::kStep), 1u);
}

TEST(WandbFileTest, EverySpellingOfANumber) {
  const LogFacts facts =
      ParseRecords({WandbHistory(1, {{"nan", "NaN"},
                                     {"inf", "-Infinity"},
                                     {"quoted", "\"NaN\""},
                                     {"null", "null"},
                                     {"go", "1.75e+09"},
                                     {"true", "true"},
                                     {"text", "\"12\""},
                                     {"table", "{\"_type\":\"table-file\"}"},
                                     {"list", "[1,2]"},
                                     {"empty", ""}})});
  ASSERT_THAT(facts.steps, SizeIs(1));
  const Pairs pairs = PairsOf(facts.steps[0]);
  ASSERT_THAT(pairs, SizeIs(6));
  EXPECT_TRUE(std::isnan(pairs[0].second));
  EXPECT_EQ(pairs[1].second, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(pairs[2].second));
  EXPECT_TRUE(std::isnan(pairs[3].second));
  EXPECT_EQ(pairs[4].second, 1.75e9);
  EXPECT_EQ(pairs[5].second, 1);
  EXPECT_EQ(Skipped(facts, SkipReason::kNotANumber), 4u);
}

TEST(WandbFileTest, KeysOfBothWriters) {
  const LogFacts facts = ParseRecords({WandbHistory(1, {{"a/b", "1"}}, true),
                                       WandbHistory(2, {{"a/b", "2"}}, false)});
  ASSERT_THAT(facts.steps, SizeIs(2));
  EXPECT_THAT(PairsOf(facts.steps[0]), ElementsAre(Pair("a/b", 1)));
  EXPECT_THAT(PairsOf(facts.steps[1]), ElementsAre(Pair("a/b", 2)));
}

TEST(WandbFileTest, NestedKeyIsJoinedByPoints) {
  ProtoMessage item, history, record;
  item.Bytes(2, "a").Bytes(2, "b").Bytes(2, "c").Bytes(16, "4");
  history.Bytes(1, item.text()).Bytes(2, "");
  record.Bytes(2, history.text());
  const LogFacts facts = ParseRecords({record.text()});
  ASSERT_THAT(facts.steps, SizeIs(1));
  EXPECT_THAT(PairsOf(facts.steps[0]), ElementsAre(Pair("a.b.c", 4)));
  EXPECT_EQ(facts.steps[0].step, 0);  // a step without a number
}

TEST(WandbFileTest, TrainersOwnStepGoesBeforeTheCountOfCalls) {
  const LogFacts facts = ParseRecords(
      {WandbHistory(17, {{"train/loss", "2"}, {"train/step", "5"}}),
       WandbHistory(18, {{"rollout/raw_reward", "1"}, {"rollout/step", "6"}}),
       WandbHistory(-1, {{"eval/aime", "0.5"}, {"eval/step", "7"}}),
       WandbHistory(19, {{"train/loss", "3"}, {"train/global_step", "8"}}),
       WandbHistory(-1, {{"a", "1"}, {"_step", "9"}})});
  std::vector<std::int64_t> steps;
  for (const StepRecord& r : facts.steps) steps.push_back(r.step);
  EXPECT_THAT(steps, ElementsAre(5, 6, 7, 8, 9));
}

// TRL logs how long its parts take by calls of their own.
TEST(WandbFileTest, ProfilingRowsOfTrlAreOfTheNextStep) {
  const auto row = [](int step, int call) {
    return WandbHistory(call, {{"train/loss", "0.5"},
                               {"train/learning_rate", "1e-06"},
                               {"train/reward", "0.25"},
                               {"train/epoch", "0.1"},
                               {"train/global_step", std::to_string(step)}});
  };
  const LogFacts facts = ParseRecords(
      {WandbHistory(0, {{"profiling/Time taken: a", "1.5"}}),
       WandbHistory(1, {{"profiling/Time taken: a", "2.5"}}), row(1, 2),
       WandbHistory(3, {{"profiling/Time taken: b", "3.5"}}), row(2, 4)});
  ASSERT_THAT(facts.steps, SizeIs(2));
  EXPECT_EQ(facts.steps[0].step, 1);
  EXPECT_THAT(PairsOf(facts.steps[0]),
              ElementsAre(Pair("loss", 0.5), Pair("learning_rate", 1e-06),
                          Pair("reward", 0.25), Pair("epoch", 0.1),
                          Pair("profiling/Time taken: a", 2.5)));
  EXPECT_EQ(facts.steps[1].step, 2);
  EXPECT_EQ(facts.steps[1].pairs.size(), 5u);
  EXPECT_EQ(facts.run_facts->framework, "trl");
  EXPECT_EQ(facts.mode, RunMode::kSync);
  EXPECT_EQ(Lines(facts, LineOutcome::kEvent), 3u);
}

TEST(WandbFileTest, RowWithoutAStepIsMalformed) {
  const LogFacts facts = ParseRecords({WandbHistory(-1, {{"a", "1"}})});
  EXPECT_THAT(facts.steps, IsEmpty());
  EXPECT_EQ(Lines(facts, LineOutcome::kMalformed), 1u);
}

TEST(WandbFileTest, SummaryOutputAndUnknownRecordsAreCountedAndTellNothing) {
  const LogFacts facts = ParseRecords(
      {WandbSummary({{"actor/lr", "1"}}), WandbOutput("step:4 - a:1\n"),
       ProtoMessage().Bytes(7, "\x0A").text(), ProtoMessage().Int(1, 4).text(),
       ProtoMessage().Bytes(4000, "new").text()});
  EXPECT_THAT(facts.steps, IsEmpty());
  EXPECT_EQ(Lines(facts, LineOutcome::kIgnored), 5u);
}

TEST(WandbFileTest, RunRecordStatesNamesConfigAndStart) {
  WandbRun run;
  run.project = "other";
  run.display_name = "shown";
  run.start_time = 1767323045.25;
  run.config = {
      {"trainer",
       "{\"project_name\":\"lab\",\"experiment_name\":\"it's \\\"x\\\"\","
       "\"test_freq\":5,\"logger\":[\"console\",\"wandb\"],\"nnodes\":2,"
       "\"n_gpus_per_node\":8,\"total_training_steps\":null}"},
      {"data", "{\"train_batch_size\":64}"},
      {"algorithm", "{\"adv_estimator\":\"grpo\"}"},
      {"actor_rollout_ref",
       "{\"actor\":{\"optim\":{\"lr\":1e-06,\"total_training_steps\":400},"
       "\"grad_clip\":Infinity},\"rollout\":{\"n\":8}}"},
      {"_wandb", "{\"t\":{\"1\":[1,2]}}"}};
  const LogFacts facts = ParseRecords({WandbRunRecord(run)});
  ASSERT_NE(facts.run_facts, nullptr);
  const RunFacts& f = *facts.run_facts;
  EXPECT_EQ(f.project, "lab");
  EXPECT_EQ(f.experiment, "it's \"x\"");
  EXPECT_EQ(f.test_freq, 5);
  EXPECT_EQ(f.lr, 1e-06);
  EXPECT_EQ(f.prompts_per_step, 64);
  EXPECT_EQ(f.responses_per_prompt, 8);
  EXPECT_EQ(f.estimator, "grpo");
  EXPECT_EQ(f.nodes, 2);
  EXPECT_EQ(f.actor_grad_clip, std::nullopt);
  EXPECT_THAT(*f.loggers, ElementsAre("console", "wandb"));
  EXPECT_EQ(facts.total_steps, 400);
  EXPECT_EQ(facts.start_time, 1767323045.25);
  EXPECT_EQ(facts.config_blocks[0], 1u);
}

TEST(WandbFileTest, AnotherProgramsConfigGivesItsNamesAlone) {
  WandbRun run;
  run.project = "p";
  run.display_name = "n";
  run.config = {{"lr", "0.5"}, {"data", "\"x\""}};
  const LogFacts facts = ParseRecords({WandbRunRecord(run)});
  ASSERT_NE(facts.run_facts, nullptr);
  EXPECT_EQ(facts.run_facts->project, "p");
  EXPECT_EQ(facts.run_facts->experiment, "n");
  EXPECT_EQ(facts.run_facts->lr, std::nullopt);
  EXPECT_EQ(facts.config_blocks[0], 0u);
}

TEST(WandbFileTest, LaterConfigIsJoinedToTheRun) {
  ProtoMessage item, config, record;
  item.Bytes(1, "data").Bytes(16, "{\"train_batch_size\": 32}");
  config.Bytes(1, item.text());
  record.Bytes(5, config.text());
  WandbRun run;
  run.config = {{"trainer", "{\"experiment_name\": \"e\"}"}};
  const LogFacts facts = ParseRecords({WandbRunRecord(run), record.text()});
  ASSERT_NE(facts.run_facts, nullptr);
  EXPECT_EQ(facts.run_facts->experiment, "e");
  EXPECT_EQ(facts.run_facts->prompts_per_step, 32);
}

TEST(WandbFileTest, ExitSaysHowItEnded) {
  const LogFacts good = ParseRecords({WandbExit(0)});
  ASSERT_TRUE(good.events.exit);
  EXPECT_EQ(good.events.exit->code, 0);
  ASSERT_TRUE(good.events.end);
  EXPECT_EQ(good.events.end->kind, EndKind::kAmbiguous);
  const LogFacts bad = ParseRecords({WandbExit(254)});
  ASSERT_TRUE(bad.events.exit);
  EXPECT_EQ(bad.events.exit->code, 254);
  EXPECT_FALSE(bad.events.end);
  EXPECT_EQ(ParseRecords({WandbExit(-9)}).events.exit->code, -9);
}

TEST(WandbFileTest, RecordThatIsNoMessageIsMalformed) {
  const LogFacts facts = ParseRecords(
      {"\x12\x7F", ProtoMessage().Bytes(2, "\x0A\x7F").text(),
       ProtoMessage().Bytes(17, "\x22\x05\x0A\x7F").text(), "\xFF\xFF\xFF"});
  EXPECT_EQ(Lines(facts, LineOutcome::kMalformed), 4u);
  EXPECT_THAT(facts.steps, IsEmpty());
}

TEST(WandbFileTest, DamagedBlockIsCountedAsMalformedAndRowsBehindItCome) {
  WandbFileWriter file;
  for (int i = 1; i <= 40; ++i) {
    file.Add(WandbHistory(i, {{"a", std::to_string(i)},
                              {"pad", "\"" + std::string(3000, 'x') + "\""}}));
  }
  std::string text = file.text();
  text[40000] ^= 1;
  const LogFacts facts = Parse(text);
  EXPECT_EQ(Lines(facts, LineOutcome::kMalformed), 1u);
  ASSERT_GT(facts.steps.size(), 20u);
  EXPECT_LT(facts.steps.size(), 40u);
  EXPECT_EQ(facts.steps.back().step, 40);
}

TEST(WandbFileTest, TimeOfNoClockIsNone) {
  for (const char* time :
       {"1767323045500", "1e300", "-1", "NaN", "Infinity", "\"1767323045\""}) {
    const LogFacts facts =
        ParseRecords({WandbHistory(1, {{"a", "1"}, {"_timestamp", time}})});
    ASSERT_THAT(facts.steps, SizeIs(1)) << time;
    EXPECT_EQ(facts.steps[0].time, std::nullopt) << time;
  }
}

TEST(WandbFileTest, AnotherFileIsMalformedOnce) {
  WandbFile file;
  LogFacts facts;
  file.Feed("no such file", &facts);
  file.Feed("at all", &facts);
  EXPECT_EQ(Lines(facts, LineOutcome::kMalformed), 1u);
}

TEST(WandbFileTest, HugeRecordIsTooLong) {
  WandbFileWriter file;
  file.Add(WandbHistory(
      1, {{"x", "\"" + std::string(BlockRecords::kMaxRecord, 'x') + "\""}}));
  file.Add(WandbHistory(2, {{"a", "2"}}));
  const LogFacts facts = Parse(file.text());
  EXPECT_EQ(Lines(facts, LineOutcome::kTooLong), 1u);
  ASSERT_THAT(facts.steps, SizeIs(1));
  EXPECT_EQ(facts.steps[0].step, 2);
}

// The same rows, however the file grew; also with facts taken in between.
TEST(WandbFileTest, AnyGrowthGivesTheSameRows) {
  std::mt19937_64 random(17);
  for (int seed = 0; seed < 1000; ++seed) {
    WandbFileWriter file(seed % 5 == 0 ? 7 : 0);
    const int rows = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < rows; ++i) {
      WandbItems items{{"a/b", std::to_string(i) + ".5"}};
      items.emplace_back("t", "\"" + std::string(random() % 9000, 'q') + "\"");
      file.Add(WandbOutput(std::string(random() % 500, 'o')));
      file.Add(WandbHistory(i, items));
    }
    WandbFile reader;
    LogFacts facts;
    ReadInPieces(
        &reader, file.text(), [&] { return 1 + random() % 15000; }, &facts);
    std::vector<std::int64_t> steps;
    for (const StepRecord& r : facts.steps) {
      ASSERT_THAT(PairsOf(r),
                  ElementsAre(Pair("a/b", static_cast<double>(r.step) + .5)));
      steps.push_back(r.step);
    }
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(rows)) << seed;
    for (int i = 0; i < rows; ++i)
      ASSERT_EQ(steps[static_cast<std::size_t>(i)], i);
    ASSERT_EQ(reader.counts().damaged, 0u);
  }
}

TEST(WandbConfigTest, JsonAsAPythonLiteral) {
  EXPECT_EQ(
      PythonOfJson("{\"a\":[1,true,null,NaN,-Infinity],\"b\":\"\\u00e9\\n'\"}"),
      "{'a': [1, True, None, nan, -inf, ], 'b': '\xC3\xA9\\x0a\\'', }");
  EXPECT_EQ(PythonOfJson("1e-06"), "1e-06");
  EXPECT_EQ(PythonOfJson("{\"a\":"), std::nullopt);
  EXPECT_EQ(PythonOfJson(""), std::nullopt);
}

}  // namespace
}  // namespace rlrun
