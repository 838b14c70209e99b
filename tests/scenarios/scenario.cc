#include "tests/scenarios/scenario.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/scenarios/console.h"
#include "tests/scenarios/dict_run.h"
#include "tests/scenarios/healthy_values.h"
#include "tests/scenarios/launcher_record.h"
#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

// From here on the rules that look back for a hundred points have a past.
constexpr int kLongRun = 150;

// The same on every machine, unlike std::hash.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

bool Validates(const Recipe& recipe, int step) {
  if (recipe.test_freq <= 0 || step % recipe.test_freq != 0) return false;
  return recipe.last_validation == 0 || step <= recipe.last_validation;
}

bool HasEnded(std::string_view state) {
  return state == "finished" || state == "failed" || state == "interrupted" ||
         state == "lost";
}

// Of these, none says that the training itself is bad.
bool IsInfrastructure(std::string_view signature) {
  constexpr std::array<std::string_view, 9> kNames = {
      "stall",         "no_progress",        "step_slowdown",
      "trainer_crash", "ended_early",        "died_silently",
      "app_died",      "validation_missing", "env_avalanche"};
  return std::find(kNames.begin(), kNames.end(), signature) != kNames.end();
}

std::string DecisionOf(const Scenario& scenario, int steps) {
  if (HasEnded(scenario.state)) return "none";
  bool stop = false;
  bool wait = steps < 10 || scenario.recipe.ending == Ending::kStarting ||
              !scenario.recipe.has_log();
  for (const Wanted& wanted : scenario.wanted) {
    stop = stop ||
           (wanted.level == "critical" && !IsInfrastructure(wanted.signature));
    wait = wait || wanted.level != "info";
  }
  if (stop) return "stop";
  if (wait) return "wait";
  return scenario.checks.empty() ? "continue" : "";
}

int ExitCodeOf(const Scenario& scenario) {
  int code = scenario.checks.empty() ? 0 : 1;
  for (const Wanted& wanted : scenario.wanted) {
    if (wanted.level == "warning") code = std::max(code, 1);
    if (wanted.level == "critical") code = 2;
  }
  return code;
}

}  // namespace

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> scenarios;
    AddFailureScenarios(&scenarios);
    AddAgentScenarios(&scenarios);
    AddQualityScenarios(&scenarios);
    AddPolicyScenarios(&scenarios);
    AddStateScenarios(&scenarios);
    AddCheckScenarios(&scenarios);
    AddHealthyScenarios(&scenarios);
    AddDictScenarios(&scenarios);
    AddRecordScenarios(&scenarios);
    return scenarios;
  }();
  return all;
}

const Scenario* FindScenario(std::string_view name) {
  const auto& all = Scenarios();
  const auto at = std::find_if(
      all.begin(), all.end(),
      [name](const Scenario& scenario) { return scenario.name == name; });
  return at == all.end() ? nullptr : &*at;
}

int ScenarioSteps(const Scenario& scenario, const ScenarioOptions& options) {
  const Recipe& recipe = scenario.recipe;
  if (recipe.ending == Ending::kStarting) return 0;
  if (options.steps <= 0) return recipe.steps;
  // What never falls ill may be short.
  const bool is_sick =
      recipe.tail > 0 || recipe.onset > 0 || recipe.resume_at > 0;
  const int least = recipe.least > 0 ? recipe.least
                    : is_sick        ? recipe.steps
                                     : std::min(recipe.steps, 12);
  return std::max(options.steps, least);
}

int ScenarioTotal(const Scenario& scenario, const ScenarioOptions& options) {
  const Recipe& recipe = scenario.recipe;
  const int steps = ScenarioSteps(scenario, options);
  if (recipe.ending == Ending::kFinished) return steps;
  return recipe.total > 0 ? std::max(recipe.total, steps) : steps + 60;
}

int ScenarioOnset(const Scenario& scenario, const ScenarioOptions& options) {
  const Recipe& recipe = scenario.recipe;
  const int steps = ScenarioSteps(scenario, options);
  if (recipe.tail > 0) return steps - recipe.tail + 1;
  return recipe.onset > 0 ? recipe.onset : steps + 1;
}

namespace {

std::vector<Piece> DictPieces(const Scenario& scenario,
                              const ScenarioOptions& options) {
  const Recipe& recipe = scenario.recipe;
  const int steps = ScenarioSteps(scenario, options);
  Random random(options.seed ^ HashOf(scenario.name));
  DictConsole console(recipe, scenario.name, ScenarioTotal(scenario, options),
                      options);
  Moment moment{0, steps, ScenarioOnset(scenario, options), &random};
  console.Begin();
  for (moment.step = 1; moment.step <= steps; ++moment.step) {
    StepValues values = HealthyDictStep(recipe, moment);
    if (Validates(recipe, moment.step)) {
      AddDictValidation(recipe, moment, &values);
    }
    if (recipe.change != nullptr) recipe.change(moment, &values);
    console.Step(moment, values);
  }
  console.End(recipe.ending, steps);
  return console.Take();
}

}  // namespace

std::vector<Piece> ScenarioPieces(const Scenario& scenario,
                                  const ScenarioOptions& options) {
  const Recipe& recipe = scenario.recipe;
  if (PrintsDicts(recipe.family)) return DictPieces(scenario, options);
  const int steps = ScenarioSteps(scenario, options);
  Random random(options.seed ^ HashOf(scenario.name));
  Console console(recipe, scenario.name, ScenarioTotal(scenario, options),
                  options, &random);
  Moment moment{0, steps, ScenarioOnset(scenario, options), &random};
  bool resumed = false;
  console.Begin();
  if (recipe.first_validation && recipe.test_freq > 0) {
    StepValues first;
    AddValidation(recipe, moment, &first);
    if (!recipe.solves_at_first) {
      first.Set("val-core/lab/repair/reward/mean@1", 0);
    }
    console.FirstValidation(first);
  }
  for (moment.step = 1; moment.step <= steps; ++moment.step) {
    StepValues values = HealthyStep(recipe, moment);
    if (Validates(recipe, moment.step)) AddValidation(recipe, moment, &values);
    if (recipe.change != nullptr) recipe.change(moment, &values);
    console.Step(moment, values);
    if (!resumed && moment.step == recipe.resume_at) {
      resumed = true;
      console.Resume(recipe.resume_from);
      moment.step = recipe.resume_from;
    }
  }
  console.End(recipe.ending, steps);
  return console.Take();
}

std::string ScenarioLog(const Scenario& scenario,
                        const ScenarioOptions& options) {
  std::string log;
  for (const Piece& piece : ScenarioPieces(scenario, options)) {
    log += piece.bytes;
  }
  return log;
}

std::string ScenarioLog(const Scenario& scenario, std::uint64_t seed) {
  ScenarioOptions options;
  options.seed = seed;
  return ScenarioLog(scenario, options);
}

std::vector<Expectation> ScenarioLedger(const Scenario& scenario,
                                        const ScenarioOptions& options) {
  const int onset = ScenarioOnset(scenario, options);
  Expectation common;
  common.scenario = common.run = scenario.name;
  common.project = "lab";
  if (scenario.recipe.has_log()) {
    common.log = "lab/" + scenario.name + "/logs/" + scenario.name + ".log";
  }
  if (scenario.recipe.record) common.record = RecordPath(scenario.name);
  common.companions = scenario.companions;
  common.checks = scenario.checks;
  common.state = scenario.state;
  common.steps = ScenarioSteps(scenario, options);
  // The record is a step ahead: it names what is being done.
  if (common.log.empty() && common.steps > 0) {
    common.steps = std::min(common.steps + 1, ScenarioTotal(scenario, options));
  }
  common.decision = DecisionOf(scenario, common.steps);
  common.exit_code = ExitCodeOf(scenario);
  common.needs_process = scenario.needs_process;
  if (common.steps >= kLongRun) {
    const bool sft = IsSupervised(scenario.recipe.family);
    common.companions.push_back({sft ? "plateau" : "reward_stagnation", "info",
                                 "the run is long and has learned its fill"});
  }
  const std::vector<Piece> pieces = ScenarioPieces(scenario, options);
  const double end =
      pieces.empty() ? static_cast<double>(options.start) : pieces.back().at;
  common.at = static_cast<std::int64_t>(std::ceil(end + scenario.look_after));
  if (scenario.wanted.empty()) return {common};
  std::vector<Expectation> ledger;
  for (const Wanted& wanted : scenario.wanted) {
    Expectation& expectation = ledger.emplace_back(common);
    expectation.signature = wanted.signature;
    expectation.level = wanted.level;
    expectation.evidence = wanted.evidence;
    if (wanted.age_seconds > 0) {
      expectation.age_seconds = wanted.age_seconds;
    } else {
      expectation.since_step = onset + wanted.since;
      expectation.by_step = onset + wanted.by;
    }
  }
  return ledger;
}

}  // namespace rlrun::scenarios
