#include "parsers/formats/event_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
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
constexpr double kTime = 1767323045.5;

Pairs PairsOf(const StepRecord& record) {
  Pairs out;
  for (const auto& p : record.pairs) out.emplace_back(record.Key(p), p.value);
  return out;
}

std::uint64_t Lines(const LogFacts& facts, LineOutcome outcome) {
  return facts.lines[static_cast<std::size_t>(outcome)];
}

LogFacts Parse(const std::vector<std::string>& events) {
  EventFile file;
  LogFacts facts;
  for (const std::string& event : events) file.Feed(EventRecord(event), &facts);
  file.Finish(&facts);
  return facts;
}

TEST(EventFileTest, NeighbouringEventsOfAStepAreOneRecord) {
  const LogFacts facts =
      Parse({FileVersionEvent(kTime - 1),
             Event(kTime, 1, {SimpleValue("actor/lr", 1e-06f)}),
             Event(kTime + 0.5, 1, {SimpleValue("critic/score/mean", 0.25f)}),
             Event(kTime + 60, 2, {SimpleValue("actor/lr", 0.1f)})});
  ASSERT_THAT(facts.steps, SizeIs(2));
  EXPECT_THAT(
      PairsOf(facts.steps[0]),
      ElementsAre(Pair("actor/lr", 1e-06), Pair("critic/score/mean", 0.25)));
  EXPECT_EQ(facts.steps[0].time, kTime + 0.5);
  EXPECT_EQ(facts.steps[1].step, 2);
  EXPECT_THAT(PairsOf(facts.steps[1]), ElementsAre(Pair("actor/lr", 0.1)));
  EXPECT_EQ(facts.start_time, kTime - 1);
  EXPECT_EQ(facts.mode, RunMode::kSync);
  EXPECT_EQ(Lines(facts, LineOutcome::kStep), 3u);
  EXPECT_EQ(Lines(facts, LineOutcome::kIgnored), 1u);
}

TEST(EventFileTest, EvaluationOfAStepIsARecordOfItsOwn) {
  const auto at = [](int step, const char* tag, float value) {
    return Event(kTime + step, step, {SimpleValue(tag, value)});
  };
  const LogFacts facts =
      Parse({at(1, "train/loss", 2), at(1, "train/learning_rate", 0.5f),
             at(1, "train/epoch", 1), at(1, "eval/loss", 3),
             at(1, "eval/runtime", 60), at(2, "train/loss", 1),
             at(2, "train/train_runtime", 9), at(2, "train/epoch", 2)});
  ASSERT_THAT(facts.steps, SizeIs(3));
  EXPECT_THAT(PairsOf(facts.steps[0]),
              ElementsAre(Pair("loss", 2), Pair("learning_rate", 0.5),
                          Pair("epoch", 1)));
  EXPECT_EQ(facts.steps[0].line_class, LineClass::kTrain);
  EXPECT_EQ(facts.steps[1].step, 1);
  EXPECT_THAT(PairsOf(facts.steps[1]),
              ElementsAre(Pair("eval_loss", 3), Pair("eval_runtime", 60)));
  EXPECT_EQ(facts.steps[1].line_class, LineClass::kVal);
  EXPECT_EQ(facts.steps[1].time, kTime + 1);
  EXPECT_GE(facts.steps[1].begin_offset, facts.steps[0].end_offset);
  EXPECT_EQ(facts.run_facts->framework, "trl");
  EXPECT_EQ(facts.mode, RunMode::kSft);
  ASSERT_TRUE(facts.events.end);
}

TEST(EventFileTest, NotANumberIsKept) {
  const LogFacts facts = Parse(
      {Event(kTime, 0,
             {SimpleValue("a", std::nanf("")), SimpleValue("b", -HUGE_VALF)})});
  ASSERT_THAT(facts.steps, SizeIs(1));
  EXPECT_EQ(facts.steps[0].step, 0);
  EXPECT_TRUE(std::isnan(PairsOf(facts.steps[0])[0].second));
  EXPECT_EQ(PairsOf(facts.steps[0])[1].second, -HUGE_VAL);
}

TEST(EventFileTest, EveryFormOfAScalarTensor) {
  const LogFacts facts =
      Parse({Event(kTime, 4,
                   {TensorValue("content", 0.1, TensorForm::kContent, true),
                    TensorValue("floats", 0.1, TensorForm::kFloats, true),
                    TensorValue("double", 0.1, TensorForm::kDouble, true),
                    TensorValue("int", -7, TensorForm::kInt64, true)})});
  ASSERT_THAT(facts.steps, SizeIs(1));
  EXPECT_THAT(PairsOf(facts.steps[0]),
              ElementsAre(Pair("content", 0.1), Pair("floats", 0.1),
                          Pair("double", 0.1), Pair("int", -7)));
}

std::string Tensor(std::string_view tag, const ProtoMessage& tensor,
                   std::string_view plugin) {
  ProtoMessage value;
  value.Bytes(1, tag).Bytes(8, tensor.text());
  if (!plugin.empty()) {
    value.Bytes(
        9,
        ProtoMessage().Bytes(1, ProtoMessage().Bytes(1, plugin).text()).text());
  }
  return value.text();
}

TEST(EventFileTest, HalvesAndPackedIntegers) {
  using std::string_literals::operator""s;
  const LogFacts facts = Parse({Event(
      kTime, 4,
      {Tensor("half", ProtoMessage().Int(1, 19).Int(13, 0x3800), "scalars"),
       Tensor("tiny", ProtoMessage().Int(1, 19).Int(13, 1), "scalars"),
       Tensor("bf16", ProtoMessage().Int(1, 14).Bytes(4, "\x80\xBF"s),
              "scalars"),
       Tensor("packed", ProtoMessage().Int(1, 3).Bytes(7, "\x96\x01"s),
              "scalars"),
       Tensor("two", ProtoMessage().Int(1, 3).Bytes(7, "\x01\x02"s),
              "scalars")})});
  ASSERT_THAT(facts.steps, SizeIs(1));
  EXPECT_THAT(PairsOf(facts.steps[0]),
              ElementsAre(Pair("half", 0.5), Pair("tiny", std::ldexp(1, -24)),
                          Pair("bf16", -1), Pair("packed", 150)));
}

TEST(EventFileTest, PluginOfATagIsRemembered) {
  const ProtoMessage number = ProtoMessage().Int(1, 1).Float(5, 2.5f);
  const LogFacts facts =
      Parse({Event(kTime, 1,
                   {Tensor("curve", number, "scalars"),
                    Tensor("notes", number, "text")}),
             Event(kTime, 2,
                   {Tensor("curve", number, ""), Tensor("notes", number, ""),
                    Tensor("never_said", number, "")})});
  ASSERT_THAT(facts.steps, SizeIs(2));
  EXPECT_THAT(PairsOf(facts.steps[0]), ElementsAre(Pair("curve", 2.5)));
  EXPECT_THAT(PairsOf(facts.steps[1]),
              ElementsAre(Pair("curve", 2.5), Pair("never_said", 2.5)));
}

TEST(EventFileTest, VectorsTextAndHistogramsAreNoScalars) {
  const ProtoMessage vector = ProtoMessage().Int(1, 1).Bytes(4, "12345678");
  const ProtoMessage text = ProtoMessage().Int(1, 7).Bytes(8, "hello");
  const LogFacts facts = Parse(
      {Event(kTime, 1,
             {Tensor("vector", vector, "scalars"), Tensor("text", text, ""),
              ProtoMessage().Bytes(1, "histo").Bytes(5, "x").text()}),
       Event(kTime, 1, {})});
  EXPECT_THAT(facts.steps, IsEmpty());
  EXPECT_EQ(Lines(facts, LineOutcome::kIgnored), 2u);
}

TEST(EventFileTest, TagOverAnotherAxisMakesNoRewind) {
  const LogFacts facts = Parse({Event(kTime, 100, {SimpleValue("loss", 1)}),
                                Event(kTime, 1, {SimpleValue("by_epoch", 5)}),
                                Event(kTime, 90, {SimpleValue("val/acc", 5)}),
                                Event(kTime, 101, {SimpleValue("loss", 2)}),
                                Event(kTime, 2, {SimpleValue("by_epoch", 6)})});
  std::vector<std::int64_t> steps;
  for (const StepRecord& r : facts.steps) steps.push_back(r.step);
  EXPECT_THAT(steps, ElementsAre(100, 90, 101));
  EXPECT_EQ(Lines(facts, LineOutcome::kIgnored), 2u);
}

// Two training steps of each rollout: the numbers of both axes meet.
TEST(EventFileTest, StepsAndRolloutsOfSlimeAreTwoAxes) {
  std::vector<std::string> events;
  const auto add = [&events](int number, const char* tag, float value) {
    events.push_back(Event(kTime, number, {SimpleValue(tag, value)}));
  };
  for (int i = 0; i < 3; ++i) {
    add(i, "rollout/response_len/mean", 500);
    add(i, "perf/rollout_time", 60);
    add(i, "rollout/raw_reward", static_cast<float>(i) / 4);
    for (int k = 0; k < 2; ++k) {
      add(2 * i + k, "train/loss", 0);
      add(2 * i + k, "train/pg_loss", 0);
    }
    add(i, "perf/step_time", static_cast<float>(100 + i));
    add(i, "eval/aime", 0.5);
  }
  std::map<LineClass, std::vector<std::pair<std::int64_t, std::string>>> lines;
  for (const StepRecord& r : Parse(events).steps) {
    EXPECT_EQ(r.dialect, KeyDialect::kSlime);
    EXPECT_EQ(r.by_rollout, r.line_class != LineClass::kTrain);
    lines[r.line_class].emplace_back(r.step, r.Key(r.pairs[0]));
  }
  EXPECT_THAT(lines[LineClass::kTrain], SizeIs(6));
  EXPECT_THAT(lines[LineClass::kRollouter], SizeIs(3));
  EXPECT_THAT(
      lines[LineClass::kRollout],
      ElementsAre(Pair(0, "rollout/raw_reward"), Pair(0, "perf/step_time"),
                  Pair(1, "rollout/raw_reward"), Pair(1, "perf/step_time"),
                  Pair(2, "rollout/raw_reward"), Pair(2, "perf/step_time")));
  EXPECT_THAT(lines[LineClass::kVal],
              ElementsAre(Pair(0, "eval/aime"), Pair(1, "eval/aime"),
                          Pair(2, "eval/aime")));
}

// One axis where each rollout is one step: what stands together comes in the
// order of the trainer.
TEST(EventFileTest, LoopsOfSlimeThatShareANumberAreToldApart) {
  const LogFacts facts =
      Parse({Event(kTime, 3, {SimpleValue("rollout/raw_reward", 0.5f)}),
             Event(kTime, 3, {SimpleValue("train/pg_loss", 1)}),
             Event(kTime, 3, {SimpleValue("perf/step_time", 90)})});
  ASSERT_THAT(facts.steps, SizeIs(3));
  EXPECT_EQ(facts.steps[0].line_class, LineClass::kRollout);
  EXPECT_EQ(facts.steps[1].line_class, LineClass::kTrain);
  EXPECT_THAT(PairsOf(facts.steps[2]), ElementsAre(Pair("perf/step_time", 90)));
  EXPECT_EQ(facts.mode, RunMode::kSync);
}

TEST(EventFileTest, ReplayedStepsComeAgain) {
  const LogFacts facts = Parse({Event(kTime, 5, {SimpleValue("loss", 1)}),
                                Event(kTime, 6, {SimpleValue("loss", 2)}),
                                Event(kTime, 5, {SimpleValue("loss", 3)})});
  std::vector<std::int64_t> steps;
  for (const StepRecord& r : facts.steps) steps.push_back(r.step);
  EXPECT_THAT(steps, ElementsAre(5, 6, 5));
}

TEST(EventFileTest, DamagedMessagesAreMalformed) {
  const LogFacts facts =
      Parse({"\x09\x01", ProtoMessage().Bytes(5, "\x0A\x7F").text(),
             Event(kTime, -3, {SimpleValue("a", 1)}),
             Event(kTime, 2, {SimpleValue("a", 1), "\x0A\x7F"})});
  EXPECT_EQ(Lines(facts, LineOutcome::kMalformed), 4u);
}

TEST(EventFileTest, ShortestDecimalOfAFloat) {
  EXPECT_EQ(DoubleOf(0.1f), 0.1);
  EXPECT_EQ(DoubleOf(1e-06f), 1e-06);
  EXPECT_EQ(DoubleOf(0.25f), 0.25);
  EXPECT_EQ(DoubleOf(3.4e38f), 3.4e38);
  EXPECT_EQ(DoubleOf(-1e-45f), -1e-45);
}

// Merged by step, the same values, however the file grew and whenever its facts
// were taken.
TEST(EventFileTest, AnyGrowthGivesTheSameValues) {
  std::mt19937_64 random(23);
  for (int seed = 0; seed < 1000; ++seed) {
    std::string text = EventRecord(FileVersionEvent(kTime));
    std::map<std::pair<std::int64_t, std::string>, double> expected, read;
    const int steps = 1 + static_cast<int>(random() % 10);
    for (int step = 0; step < steps; ++step) {
      for (unsigned k = 0; k < 1 + random() % 6; ++k) {
        const auto value = static_cast<double>(random() % 1000) / 8;
        const std::string tag = "k/" + std::to_string(k);
        expected[{step, tag}] = value;
        text += EventRecord(
            Event(kTime, step,
                  {random() % 2 == 0
                       ? SimpleValue(tag, static_cast<float>(value))
                       : TensorValue(tag, value, TensorForm::kContent, true)}));
      }
    }
    EventFile file;
    LogFacts facts;
    GrowingFile<EventFile> growing(&file);
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view now = rest.substr(0, 1 + random() % 300);
      growing.Append(now, &facts);
      if (random() % 2 == 0) file.Finish(&facts);
      rest.remove_prefix(now.size());
    }
    file.Finish(&facts);
    for (const StepRecord& r : facts.steps) {
      for (const auto& [key, value] : PairsOf(r)) read[{r.step, key}] = value;
    }
    ASSERT_EQ(read, expected) << seed;
  }
}

}  // namespace
}  // namespace rlrun
