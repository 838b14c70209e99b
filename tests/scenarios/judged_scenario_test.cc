// Each scenario, read as a file that nobody has watched, is judged as its
// ledger says: state, health, decision, findings and checks, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exporter/app/judged_run.h"
#include "exporter/app/tracked_file.h"
#include "parsers/formats/log_format.h"
#include "parsers/lines/line_splitter.h"
#include "tests/scenarios/meant_findings.h"
#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {
namespace {

FileUpdate UpdateOf(const Scenario& scenario, const ScenarioOptions& options) {
  FileUpdate update;
  const Family family = scenario.recipe.family;
  const auto format = MakeLogFormat(IsSlime(family) ? FormatKind::kSlimeConsole
                                    : IsTrl(family) ? FormatKind::kTrlConsole
                                                    : FormatKind::kVerlConsole);
  LineSplitter splitter;
  const auto pieces = ScenarioPieces(scenario, options);
  for (const Piece& piece : pieces) {
    splitter.Feed(piece.bytes, [&](std::span<const Line> lines) {
      format->ParseLines(lines, &update.facts);
    });
  }
  format->Finish(&update.facts);
  update.path = update.canonical_path =
      "/runs/" + ScenarioLedger(scenario, options).front().log;
  update.progress.readable = update.progress.caught_up = true;
  update.progress.complete_end = splitter.offset();
  update.progress.bytes_read = splitter.offset();
  update.progress.modified_time = pieces.back().at;
  return update;
}

Judgement JudgementOf(const Scenario& scenario,
                      const ScenarioOptions& options) {
  const FileUpdate update = UpdateOf(scenario, options);
  const Expectation expected = ScenarioLedger(scenario, options).front();
  const RootOptions root;
  const StoreOptions store;
  SeriesBudget budget;
  const RulesForRun rules = [](const RunIdentity&) {
    return std::make_shared<const RunRules>();
  };
  TrackedFile file(update.path, update.path, {expected.project, expected.run},
                   root, 0, &store, &budget, &rules);
  file.Apply(update);
  if (scenario.needs_process) {
    ProcessFacts processes;
    processes.trainer.presence = ProcessPresence::kGone;
    processes.trainer.gone_since = *update.progress.modified_time + 1;
    file.run().processes = processes;
  }
  JudgedRun judged;
  judged.Apply(file.run(), update.facts, false, std::nullopt);
  return *judged.JudgeAt(file.run(), static_cast<double>(expected.at), true);
}

void ExpectFound(const Expectation& expected, const Judgement& judgement) {
  SCOPED_TRACE(expected.signature);
  const Finding* finding = judgement.find(expected.signature);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(LevelName(finding->level), expected.level);
  if (expected.by_step && finding->since_step) {
    EXPECT_LE(*finding->since_step, *expected.by_step);
  }
  if (expected.evidence.empty()) return;
  const auto is_named = [&](const Evidence& evidence) {
    const auto& keys = expected.evidence;
    return std::find(keys.begin(), keys.end(), evidence.key) != keys.end();
  };
  EXPECT_TRUE(
      std::any_of(finding->evidence.begin(), finding->evidence.end(), is_named))
      << "other evidence than " << testing::PrintToString(expected.evidence);
}

void ExpectLedger(const Scenario& scenario, const ScenarioOptions& options) {
  const auto ledger = ScenarioLedger(scenario, options);
  const Expectation& first = ledger.front();
  const Judgement judgement = JudgementOf(scenario, options);
  EXPECT_EQ(kRunStateNames[static_cast<std::size_t>(judgement.state)],
            first.state)
      << judgement.state_reason;
  EXPECT_EQ(static_cast<int>(judgement.health), first.exit_code);
  if (!first.decision.empty()) {
    EXPECT_EQ(
        judgement.decision
            ? kDecisionNames[static_cast<std::size_t>(*judgement.decision)]
            : "none",
        first.decision)
        << judgement.decision_reason;
  }
  for (const Finding& finding : judgement.findings) {
    if (finding.level == Level::kNone) continue;
    EXPECT_TRUE(IsMeant(finding, ledger))
        << finding.name << " " << LevelName(finding.level) << " "
        << finding.detail;
  }
  for (const Expectation& expected : ledger) {
    if (!expected.signature.empty()) ExpectFound(expected, judgement);
  }
  std::vector<std::string> failed;
  for (const CheckResult& check : judgement.checks) {
    if (check.failed()) failed.emplace_back(check.name);
  }
  EXPECT_THAT(failed, testing::UnorderedElementsAreArray(first.checks));
}

class JudgedScenario : public testing::TestWithParam<std::string> {};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : Scenarios()) {
    // A record has its own test (record_scenario_test.cc).
    if (!scenario.recipe.record) names.push_back(scenario.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(, JudgedScenario, testing::ValuesIn(Names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(JudgedScenario, IsWhatItsLedgerSays) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    ScenarioOptions options;
    options.seed = seed;
    ExpectLedger(*FindScenario(GetParam()), options);
  }
}

TEST_P(JudgedScenario, IsThatToBeSaidOfALongerRunToo) {
  const Scenario& scenario = *FindScenario(GetParam());
  for (const int more : {40, 110}) {
    SCOPED_TRACE(more);
    ScenarioOptions options;
    options.steps = scenario.recipe.steps + more;
    ExpectLedger(scenario, options);
  }
}

}  // namespace
}  // namespace rlrun::scenarios
