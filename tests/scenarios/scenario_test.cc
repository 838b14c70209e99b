// The generator itself: what it promises is in the text that it writes. That
// the judge finds what the ledgers say is tested beside the judge.
#include "tests/scenarios/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun::scenarios {
namespace {

using testing::UnorderedElementsAreArray;

LogFacts Read(std::string_view log) {
  LogFacts facts;
  std::optional<FormatKind> kind;
  LineSplitter().Feed(log, [&](std::span<const Line> lines) {
    if (!kind) kind = SniffConsole(lines).kind;
  });
  const auto format = MakeLogFormat(kind.value_or(FormatKind::kVerlConsole));
  LineSplitter splitter;
  splitter.Feed(log, [&](std::span<const Line> lines) {
    format->ParseLines(lines, &facts);
  });
  format->Finish(&facts);
  EXPECT_FALSE(splitter.has_tail());
  return facts;
}

std::uint64_t Count(const LogFacts& facts, LineOutcome outcome) {
  return facts.lines[static_cast<std::size_t>(outcome)];
}

class EveryScenario : public testing::TestWithParam<std::string> {
 protected:
  const Scenario& scenario() const { return *FindScenario(GetParam()); }
};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : Scenarios()) names.push_back(scenario.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(, EveryScenario, testing::ValuesIn(Names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryScenario, SameSeedSameBytesOtherSeedOtherBytes) {
  EXPECT_EQ(ScenarioLog(scenario(), 7), ScenarioLog(scenario(), 7));
  // A launcher's lines hold no values.
  if (ScenarioSteps(scenario(), {}) == 0 && IsSlime(scenario().recipe.family)) {
    return;
  }
  EXPECT_NE(ScenarioLog(scenario(), 7), ScenarioLog(scenario(), 8));
}

TEST_P(EveryScenario, OurParserReadsItWhole) {
  const LogFacts facts = Read(ScenarioLog(scenario()));
  EXPECT_EQ(Count(facts, LineOutcome::kMalformed), 0u);
  EXPECT_EQ(Count(facts, LineOutcome::kTooLong), 0u);
  const auto& skipped = facts.values_skipped;
  EXPECT_EQ(std::accumulate(skipped.begin(), skipped.end(), std::uint64_t{0}),
            0u);
  // A launcher that still fetches the model has not said it yet.
  EXPECT_EQ(facts.total_steps.has_value(),
            !IsSlime(scenario().recipe.family) ||
                scenario().recipe.ending != Ending::kStarting);
}

TEST_P(EveryScenario, HoldsThePromisedSteps) {
  const Expectation promised = ScenarioLedger(scenario()).front();
  std::set<std::int64_t> steps;
  for (const StepRecord& record : Read(ScenarioLog(scenario())).steps) {
    if (record.step > 0 && !record.by_rollout) steps.insert(record.step);
  }
  const int printed = ScenarioSteps(scenario(), {});
  EXPECT_EQ(steps.size(), static_cast<std::size_t>(printed));
  if (!steps.empty()) {
    EXPECT_EQ(*steps.rbegin(), printed);
  }
  if (!promised.log.empty()) {
    EXPECT_EQ(promised.steps, printed);
  }
}

TEST_P(EveryScenario, StepsHaveTheKeysOfATrainer) {
  if (PrintsDicts(scenario().recipe.family)) return;
  const bool sft = scenario().recipe.family == Family::kSft;
  const bool async = scenario().recipe.family == Family::kAsync ||
                     scenario().recipe.family == Family::kSao;
  for (const StepRecord& record : Read(ScenarioLog(scenario())).steps) {
    if (record.line_class != LineClass::kTrain || record.step == 0) continue;
    EXPECT_GE(record.pairs.size(), sft ? 4u : 60u) << record.step;
    EXPECT_LE(record.pairs.size(), 120u) << record.step;
    std::set<std::string_view> keys;
    for (const auto& pair : record.pairs) keys.insert(record.Key(pair));
    EXPECT_EQ(keys.size(), record.pairs.size()) << "a key twice";
    EXPECT_EQ(keys.count("training/global_step"), sft ? 0u : 1u);
    EXPECT_EQ(keys.count("fully_async/total_wait_time"), async ? 1u : 0u);
  }
}

TEST_P(EveryScenario, LedgerIsSound) {
  for (const Expectation& e : ScenarioLedger(scenario())) {
    EXPECT_EQ(e.run, scenario().name);
    EXPECT_GT(e.at, kScenarioStart);
    EXPECT_FALSE(e.state.empty());
    for (const Companion& companion : e.companions) {
      EXPECT_FALSE(companion.reason.empty());
    }
    if (e.signature.empty()) continue;
    EXPECT_NE(e.since_step.has_value(), e.age_seconds.has_value());
    if (!e.since_step) continue;
    EXPECT_GE(*e.since_step, 1);
    EXPECT_LE(*e.since_step, *e.by_step);
    EXPECT_LE(*e.by_step, e.steps) << "it must be named within the log";
  }
}

TEST_P(EveryScenario, EvidenceIsPrinted) {
  const std::string log = ScenarioLog(scenario());
  for (const Expectation& e : ScenarioLedger(scenario())) {
    for (const std::string& key : e.evidence) {
      const bool dict = PrintsDicts(scenario().recipe.family);
      const std::string printed = dict ? "'" + key + "': " : " - " + key + ":";
      EXPECT_NE(log.find(printed), std::string::npos) << key;
    }
  }
}

TEST_P(EveryScenario, MoreStepsKeepTheSicknessWhole) {
  ScenarioOptions more;
  more.steps = scenario().recipe.steps + 40;
  const Expectation few = ScenarioLedger(scenario()).front();
  const Expectation many = ScenarioLedger(scenario(), more).front();
  if (scenario().recipe.ending == Ending::kStarting) return;
  EXPECT_EQ(many.steps, few.steps + 40);
  if (!few.since_step || scenario().recipe.tail == 0) return;
  EXPECT_EQ(*many.since_step, *few.since_step + 40);
}

TEST_P(EveryScenario, PiecesComeInOrder) {
  const auto pieces = ScenarioPieces(scenario());
  ASSERT_FALSE(pieces.empty());
  EXPECT_TRUE(pieces.back().ends_step);
  EXPECT_EQ(pieces.back().bytes.back(), '\n');
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    EXPECT_FALSE(pieces[i].bytes.empty());
    EXPECT_LE(pieces[i - 1].at, pieces[i].at);
    if (scenario().recipe.resume_at > 0) continue;
    EXPECT_LE(pieces[i - 1].step, pieces[i].step);
  }
}

// What the log says of its end, as our parser understands it.
std::string EndOf(const LogEvents& events) {
  std::string end;
  if (events.end) {
    end += events.end->kind == EndKind::kWrapper ? "wrapper " : "end ";
  }
  if (events.interrupt) end += "interrupt ";
  const auto& burst = events.newest_burst;
  if (burst && burst->severe && !burst->after_end && !burst->interrupted) {
    end += kLogErrorKindNames[static_cast<std::size_t>(burst->evidence().kind)];
  }
  return end;
}

TEST(Scenarios, EndsAreReadAsTheyAreMeant) {
  const std::map<std::string, std::string> meant = {
      {"healthy", ""},
      {"stall-in_validation", ""},
      {"no_progress", ""},
      {"no_progress-retries", ""},
      {"died_silently", ""},
      {"finished", "end "},
      {"finished-async", "end "},
      {"ended_early", "end "},
      {"ended_early-wrapper", "wrapper "},
      {"interrupted", "interrupt "},
      {"interrupted-sigterm", "interrupt "},
      {"trainer_crash", "disk_full"},
      {"trainer_crash-actor_died", "actor_died"},
      {"trainer_crash-cuda_oom", "cuda_oom"},
      {"trainer_crash-traceback", "traceback"},
      {"trainer_crash-wrapper_says_done", "wrapper actor_died"},
  };
  for (const auto& [name, end] : meant) {
    const Scenario* scenario = FindScenario(name);
    ASSERT_NE(scenario, nullptr) << name;
    EXPECT_EQ(EndOf(Read(ScenarioLog(*scenario)).events), end) << name;
  }
}

using Row = std::pair<std::string, std::string>;  // signature, level

// The tables of failure signatures and of training-quality signals, a row with
// two levels twice.
std::vector<Row> ContractRows() {
  std::vector<Row> rows;
  for (const char* name : {"grad_starvation",
                           "no_signal",
                           "env_avalanche",
                           "val_fake_zero",
                           "validation_missing",
                           "no_tool_call_collapse",
                           "critic_starvation",
                           "dis_not_reaching_actor",
                           "stall",
                           "no_progress",
                           "step_slowdown",
                           "ended_early",
                           "died_silently",
                           "nan_inf",
                           "loss_spike",
                           "eval_regression",
                           "grad_explosion",
                           "grad_vanishing",
                           "lr_anomaly",
                           "entropy_collapse",
                           "entropy_explosion",
                           "kl_blowup",
                           "length_collapse",
                           "length_explosion",
                           "reward_hacking_suspect",
                           "possibly_stuck",
                           "auth_failure",
                           "cuda_oom",
                           "nccl_failure",
                           "retry_loop"}) {
    rows.emplace_back(name, "warning");
  }
  for (const char* name : {"r3_misalignment",
                           "frozen_model",
                           "no_signal",
                           "no_tool_call_collapse",
                           "all_negative_batch_collapse",
                           "dis_not_reaching_actor",
                           "trainer_crash",
                           "app_died",
                           "nan_inf",
                           "loss_spike",
                           "loss_divergence",
                           "reward_drop",
                           "eval_regression",
                           "grad_explosion",
                           "grad_vanishing",
                           "lr_anomaly",
                           "entropy_collapse",
                           "kl_blowup",
                           "length_collapse",
                           "length_explosion"}) {
    rows.emplace_back(name, "critical");
  }
  rows.emplace_back("not_started", "info");
  rows.emplace_back("plateau", "info");
  rows.emplace_back("reward_stagnation", "info");
  return rows;
}

TEST(Scenarios, EveryRowOfTheContractHasOne) {
  std::set<Row> named;
  for (const Scenario& scenario : Scenarios()) {
    for (const Expectation& e : ScenarioLedger(scenario)) {
      if (!e.signature.empty()) named.emplace(e.signature, e.level);
    }
  }
  EXPECT_THAT(named, UnorderedElementsAreArray(ContractRows()));
}

TEST(Scenarios, EveryStateHasOne) {
  std::set<std::string> states;
  for (const Scenario& scenario : Scenarios()) states.insert(scenario.state);
  EXPECT_THAT(states, testing::UnorderedElementsAre(
                          "running", "starting", "stalled", "finished",
                          "failed", "interrupted", "lost"));
}

TEST(Scenarios, EveryCheckFailsInOne) {
  std::set<std::string> checks;
  for (const Scenario& scenario : Scenarios()) {
    checks.insert(scenario.checks.begin(), scenario.checks.end());
  }
  EXPECT_EQ(checks.size(), 17u) << testing::PrintToString(checks);
}

TEST(Scenarios, NamesAreUnique) {
  const auto names = Names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(),
            names.size());
  EXPECT_EQ(FindScenario("no such one"), nullptr);
}

TEST(Scenarios, StampsFollowTheStart) {
  const Scenario& scenario = *FindScenario("healthy");
  ScenarioOptions options;
  options.start = 1798750000;  // 2026-12-31, ends behind the turn of the year
  const LogFacts facts = Read(ScenarioLog(scenario, options));
  ASSERT_TRUE(facts.first_stamp && facts.last_stamp);
  EXPECT_EQ(facts.first_stamp->month, 12);
  EXPECT_EQ(facts.first_stamp->day, 31);
}

TEST(Scenarios, ClockSpeedMovesStampsAndNotValues) {
  const Scenario& scenario = *FindScenario("healthy");
  ScenarioOptions fast;
  fast.clock_speed = 0.01;
  const auto slow_pieces = ScenarioPieces(scenario);
  const auto fast_pieces = ScenarioPieces(scenario, fast);
  ASSERT_EQ(slow_pieces.size(), fast_pieces.size());
  const auto start = static_cast<double>(kScenarioStart);
  EXPECT_NEAR((slow_pieces.back().at - start) * 0.01,
              fast_pieces.back().at - start, 1e-3);
  const LogFacts slow = Read(ScenarioLog(scenario));
  const LogFacts quick = Read(ScenarioLog(scenario, fast));
  ASSERT_EQ(slow.steps.size(), quick.steps.size());
  EXPECT_EQ(slow.steps.back().pairs[5].value,
            quick.steps.back().pairs[5].value);
}

TEST(Scenarios, LedgerJsonHasALinePerExpectation) {
  const auto ledger =
      ScenarioLedger(*FindScenario("entropy_collapse-critical"));
  const std::string json = LedgerJson(ledger);
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'),
            static_cast<std::ptrdiff_t>(ledger.size()) + 2);
  EXPECT_NE(json.find("\"signature\": \"reward_drop\""), std::string::npos);
  EXPECT_NE(json.find("\"age_seconds\": null"), std::string::npos);
}

}  // namespace
}  // namespace rlrun::scenarios
