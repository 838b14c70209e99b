#include "tests/scenarios/commands.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "tests/scenarios/files.h"
#include "tests/scenarios/run_tree.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/scenario_files.h"

namespace rlrun::scenarios {
namespace {

constexpr int kUsage = 64;
constexpr int kSlots = 4;  // pieces of a step are spread over so many

struct Arguments {
  std::vector<const Scenario*> scenarios;
  ScenarioOptions options;
  bool has_tree = false;
  bool has_start = false;
  std::string dir, ledger;
  double step_seconds = 0;
};

template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

bool ParseTime(std::string_view text, std::int64_t* time) {
  if (ParseNumber(text, time)) return true;
  std::tm parts{};
  const std::string whole(text);
  const char* end = strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return false;
  *time = timegm(&parts);
  return true;
}

bool ParseOption(std::string_view argument, Arguments* out) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  if (name == "--dir") {
    out->dir = value;
    while (out->dir.size() > 1 && out->dir.back() == '/') out->dir.pop_back();
    return !value.empty();
  }
  if (name == "--ledger") {
    out->ledger = value;
    return !value.empty();
  }
  if (name == "--steps") {
    return ParseNumber(value, &out->options.steps) && out->options.steps > 0 &&
           out->options.steps <= 100'000;
  }
  if (name == "--seed") return ParseNumber(value, &out->options.seed);
  if (name == "--start") {
    out->has_start = true;
    return ParseTime(value, &out->options.start);
  }
  if (name == "--step-seconds") {
    return ParseNumber(value, &out->step_seconds) && out->step_seconds >= 0 &&
           out->step_seconds <= 3600;
  }
  return false;
}

bool ParseArgument(std::string_view argument, Arguments* out) {
  if (argument.starts_with("--")) return ParseOption(argument, out);
  if (argument == "all") {
    for (const Scenario& scenario : Scenarios()) {
      out->scenarios.push_back(&scenario);
    }
    return true;
  }
  if (argument == "tree") {
    out->has_tree = true;
    return true;
  }
  const Scenario* scenario = FindScenario(argument);
  if (scenario != nullptr) out->scenarios.push_back(scenario);
  return scenario != nullptr;
}

int Failed(const std::string& path) {
  std::perror(("rlrun_scenario: " + path).c_str());
  return EXIT_FAILURE;
}

int List() {
  for (const Scenario& scenario : Scenarios()) {
    std::printf("%-38s %s\n", scenario.name.c_str(), scenario.summary.c_str());
  }
  return EXIT_SUCCESS;
}

constexpr double kTreeStep = 80;  // seconds of its usual steps

TreeOptions TreeOptionsOf(const Arguments& arguments) {
  TreeOptions options;
  options.root = std::filesystem::absolute(arguments.dir).string();
  options.seed = arguments.options.seed;
  options.start = arguments.options.start;
  if (arguments.step_seconds > 0) {
    options.clock_speed = arguments.step_seconds / kTreeStep;
  }
  return options;
}

// The events up to a time; false: a file could not be written.
bool WriteTree(double until, RunTree* tree, FileSink* sink) {
  TreeEvent event;
  while (tree->NextAt() && *tree->NextAt() <= until) {
    sink->SetTime(*tree->NextAt());
    tree->Next(sink, &event);
  }
  return sink->failed().empty();
}

int Write(const Arguments& arguments) {
  std::vector<Expectation> ledger;
  if (arguments.has_tree) {
    const TreeOptions options = TreeOptionsOf(arguments);
    RunTree tree(options);
    FileSink sink;
    if (!WriteTree(HUGE_VAL, &tree, &sink) || !sink.StampAll()) {
      return Failed(sink.failed());
    }
    ledger = TreeLedger(options);
  }
  for (const Scenario* scenario : arguments.scenarios) {
    FileSink sink;
    WriteScenario(*scenario, arguments.options, arguments.dir, &sink);
    if (!sink.StampAll()) return Failed(sink.failed());
    for (Expectation& e : ScenarioLedger(*scenario, arguments.options)) {
      ledger.push_back(std::move(e));
    }
  }
  return WriteFile(arguments.ledger, LedgerJson(ledger))
             ? EXIT_SUCCESS
             : Failed(arguments.ledger);
}

// A run that is being written, step by step.
struct LiveRun {
  ScenarioFiles files;
  std::vector<Piece> pieces;
  std::size_t next = 0;       // piece
  std::size_t step_ends = 0;  // piece behind the current step
  FileSink sink = {};
};

// The stamps go as fast as the steps are written.
double SpeedOf(const Scenario& scenario, const ScenarioOptions& options,
               double step_seconds) {
  const auto pieces = ScenarioPieces(scenario, options);
  double steps = 0;
  for (const Piece& piece : pieces) steps += piece.ends_step ? 1 : 0;
  const double whole = pieces.back().at - static_cast<double>(options.start);
  return whole > 0 ? steps * step_seconds / whole : 1;
}

// A log must grow for an hour without a step.
bool NeedsRealTime(Ending ending) {
  return ending == Ending::kChatter || ending == Ending::kRetries;
}

bool WriteSlot(int slot, LiveRun* run) {
  if (slot == 0) {
    run->step_ends = run->next;
    while (run->step_ends < run->pieces.size() &&
           !run->pieces[run->step_ends++].ends_step) {
    }
  }
  const std::size_t left = run->step_ends - run->next;
  const auto slots = static_cast<std::size_t>(kSlots - slot);
  for (std::size_t n = (left + slots - 1) / slots; n > 0; --n) {
    run->files.Write(run->pieces[run->next++], &run->sink);
  }
  return run->sink.failed().empty();
}

int Live(Arguments arguments) {
  if (!arguments.has_start) arguments.options.start = std::time(nullptr);
  std::vector<LiveRun> runs;
  std::vector<Expectation> ledger;
  for (const Scenario* scenario : arguments.scenarios) {
    ScenarioOptions options = arguments.options;
    options.clock_speed = SpeedOf(*scenario, options, arguments.step_seconds);
    LiveRun& run =
        runs.emplace_back(LiveRun{{*scenario, options, arguments.dir},
                                  ScenarioPieces(*scenario, options)});
    // They are there from the beginning.
    if (!run.files.log().empty()) run.sink.Truncate(run.files.log());
    if (!run.sink.failed().empty()) return Failed(run.sink.failed());
    if (NeedsRealTime(scenario->recipe.ending)) continue;
    for (Expectation& e : ScenarioLedger(*scenario, options)) {
      ledger.push_back(std::move(e));
    }
  }
  std::optional<RunTree> tree;
  FileSink sink;
  const TreeOptions tree_options = TreeOptionsOf(arguments);
  if (arguments.has_tree) {
    tree.emplace(tree_options);
    for (Expectation& e : TreeLedger(tree_options)) {
      ledger.push_back(std::move(e));
    }
  }
  if (!WriteFile(arguments.ledger, LedgerJson(ledger))) {
    return Failed(arguments.ledger);
  }
  double now = static_cast<double>(arguments.options.start);
  const std::chrono::duration<double> pause(arguments.step_seconds / kSlots);
  for (bool going = true; going;) {
    for (int slot = 0; slot < kSlots; ++slot) {
      for (LiveRun& run : runs) {
        if (!WriteSlot(slot, &run)) return Failed(run.sink.failed());
      }
      if (tree && !WriteTree(now, &*tree, &sink)) return Failed(sink.failed());
      std::this_thread::sleep_for(pause);
      now += pause.count();
    }
    going = tree && tree->NextAt();
    for (const LiveRun& run : runs) {
      going = going || run.next < run.pieces.size();
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace

bool IsCommand(std::string_view argument) {
  return argument == "list" || argument == "write" || argument == "live";
}

int RunCommand(const std::vector<std::string_view>& words) {
  const bool live = words[0] == "live";
  if (words[0] == "list" && words.size() == 1) return List();
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!ParseArgument(words[i], &arguments)) {
      std::fprintf(stderr, "rlrun_scenario: bad argument: %.*s\n%s",
                   static_cast<int>(words[i].size()), words[i].data(),
                   kCommandHelp);
      return kUsage;
    }
  }
  if ((arguments.scenarios.empty() && !arguments.has_tree) ||
      arguments.dir.empty() || live != (arguments.step_seconds > 0)) {
    std::fputs(kCommandHelp, stderr);
    return kUsage;
  }
  if (arguments.ledger.empty()) {
    arguments.ledger = arguments.dir + ".ledger.json";
  }
  return live ? Live(std::move(arguments)) : Write(arguments);
}

}  // namespace rlrun::scenarios
