#include "parsers/formats/trl_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TrlConsoleTest : public testing::Test {
 protected:
  void Feed(std::string_view bytes) {
    splitter_.Feed(bytes, [&](std::span<const Line> batch) {
      format_.ParseLines(batch, &facts_);
      lines_ += batch.size();
    });
    EXPECT_EQ(std::accumulate(facts_.lines.begin(), facts_.lines.end(),
                              std::uint64_t{0}),
              lines_);
  }
  static std::string Bar(int done, int total) {
    return "\r" + std::to_string(100 * done / total) + "%|##   | " +
           std::to_string(done) + "/" + std::to_string(total) +
           " [01:48<34:10,  4.23s/it]";
  }
  static std::string Loss(double loss) {
    return "{'loss': " + std::to_string(loss) +
           ", 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.12}\n";
  }
  std::vector<std::int64_t> Steps() const {
    std::vector<std::int64_t> steps;
    for (const StepRecord& r : facts_.steps) steps.push_back(r.step);
    return steps;
  }
  double Value(std::size_t record, std::string_view key) const {
    for (const auto& pair : facts_.steps[record].pairs) {
      if (facts_.steps[record].Key(pair) == key) return pair.value;
    }
    return -12345;
  }

  LineSplitter splitter_;
  TrlConsole format_;
  LogFacts facts_;
  std::uint64_t lines_ = 0;
};

TEST_F(TrlConsoleTest, StepOfTheBarInFront) {
  Feed(Bar(10, 500) + "\r" + Loss(1) + Bar(10, 500) + Bar(19, 500) +
       Bar(20, 500) + "\r" + Loss(2));
  EXPECT_THAT(Steps(), ElementsAre(10, 20));
  EXPECT_EQ(facts_.total_steps, 500);
  EXPECT_EQ(facts_.run_facts->framework, "trl");
  EXPECT_EQ(facts_.mode, RunMode::kSft);
}

TEST_F(TrlConsoleTest, DictGluedToItsBar) {
  Feed(Bar(7, 50) + Loss(1) + Bar(8, 50) + Loss(2));
  EXPECT_THAT(Steps(), ElementsAre(7, 8));
}

TEST_F(TrlConsoleTest, BarGluedBehindADict) {
  std::string line = Loss(1);
  line.pop_back();
  Feed(Bar(7, 50) + "\r" + line + "  14%|#  | 7/50 [00:10<01:00,  1.2s/it]\n");
  EXPECT_THAT(Steps(), ElementsAre(7));
  EXPECT_FALSE(facts_.steps[0].cut);
  EXPECT_EQ(facts_.values_skipped, decltype(facts_.values_skipped){});
}

TEST_F(TrlConsoleTest, WithoutBarsLinesAreCounted) {
  Feed(Loss(1) + Loss(2) + Loss(3));
  EXPECT_THAT(Steps(), ElementsAre(1, 2, 3));
  Feed(Bar(5, 20) + "\n");
  EXPECT_EQ(facts_.total_steps, 20);
}

TEST_F(TrlConsoleTest, ABarThatIsMissingIsAsFarAsTheLastOnes) {
  Feed(Bar(10, 500) + Loss(1) + Bar(20, 500) + Loss(2) + Loss(3));
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30));
}

TEST_F(TrlConsoleTest, BarsOfOtherThingsAreNone) {
  Feed(
      "Map: 100%|###| 40/40 [00:01<00:00, 40.1it/s]\n"
      "Loading checkpoint shards:  50%|#  | 2/4 [00:01<00:01, 1.5it/s]\n" +
      Bar(10, 500) + Loss(1) + Bar(3, 8) + Bar(8, 8) +
      "{'eval_loss': 0.9, 'eval_runtime': 3.0, 'epoch': 0.1}\n" + Bar(20, 500) +
      Loss(2));
  EXPECT_THAT(Steps(), ElementsAre(10, 10, 20));
  EXPECT_EQ(facts_.steps[1].line_class, LineClass::kVal);
  EXPECT_EQ(facts_.total_steps, 500);
}

TEST_F(TrlConsoleTest, QuotedNumbersOfTransformersFive) {
  Feed(Bar(1, 20) +
       "\r{'loss': '62', 'grad_norm': 'nan', 'num_tokens': '1.678e+04', "
       "'reward': '0.06', 'epoch': '1'}\n");
  ASSERT_THAT(Steps(), ElementsAre(1));
  EXPECT_EQ(Value(0, "num_tokens"), 16780);
  EXPECT_TRUE(std::isnan(Value(0, "grad_norm")));
  EXPECT_EQ(facts_.steps[0].dialect, KeyDialect::kTrl);
  EXPECT_EQ(facts_.mode, RunMode::kSync);
}

TEST_F(TrlConsoleTest, CellsOfANotebook) {
  Feed(
      "      \"{'loss': '0', 'grad_norm': '0', 'reward': '0.06', 'epoch': "
      "'0.25'}\\n\"\n"
      "      \" 10%|#         | 2/20 [02:36<23:49, 79.44s/it]\"\n"
      "      \"{'loss': '-0.03', 'grad_norm': '0.2', 'reward': '0.1', 'epoch': "
      "'0.5'}\\n\"\n");
  EXPECT_THAT(Steps(), ElementsAre(1, 2));
  EXPECT_EQ(facts_.values_skipped, decltype(facts_.values_skipped){});
}

TEST_F(TrlConsoleTest, TheSummaryEndsTheRun) {
  Feed(Bar(500, 505) + Loss(1) + Bar(505, 505) +
       "\r{'train_runtime': 12.5, 'train_loss': 0.4, 'epoch': 1.0}\n");
  EXPECT_THAT(Steps(), ElementsAre(500, 505));
  EXPECT_TRUE(facts_.steps[1].cut) << "it takes no key away";
  EXPECT_EQ(facts_.events.end->kind, EndKind::kTrainer);
}

TEST_F(TrlConsoleTest, LookAlikes) {
  Feed(
      "{'model': 'x', 'learning_rate': 1e-05, 'epochs': 3}\n"
      "{'prompt': 'a', 'loss': 1}\n"
      "see {'loss': 1.0, 'grad_norm': 0.5, 'epoch': 0.1}\n"
      "TrainingArguments(loss={'loss': 1, 'epoch': 1})\n"
      "{\"text\": \"{'loss': 1.0, 'grad_norm': 0.5}\"}\n");
  EXPECT_THAT(Steps(), IsEmpty());
}

TEST_F(TrlConsoleTest, AnElidedDictIsCut) {
  Feed("{'loss': '62', 'grad_norm': 'nan', 'mfu': '3.085', ...}\n");
  ASSERT_THAT(Steps(), ElementsAre(1));
  EXPECT_TRUE(facts_.steps[0].cut);
  EXPECT_EQ(facts_.steps[0].pairs.size(), 3u);
}

TEST_F(TrlConsoleTest, AResumedRunGoesOnWhereItsBarIs) {
  Feed(Bar(300, 500) + Bar(310, 500) + Loss(1));
  EXPECT_THAT(Steps(), ElementsAre(310));
}

TEST_F(TrlConsoleTest, ErrorsAreSeen) {
  Feed("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB\n");
  EXPECT_EQ(
      facts_.events.errors[static_cast<std::size_t>(LogErrorKind::kCudaOom)],
      1u);
}

}  // namespace
}  // namespace rlrun
