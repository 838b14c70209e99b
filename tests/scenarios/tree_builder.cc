#include "tests/scenarios/tree_builder.h"

#include <algorithm>
#include <cstdio>

namespace rlrun::scenarios {
namespace {

constexpr int kTrialsPerStep = 2;

std::string EngineLinesOf(std::string_view bytes) {
  std::string lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1);
    const std::string_view line = bytes.substr(0, end + 1);
    if (line.find("throughput: ") != std::string_view::npos) lines += line;
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

std::string Banner(const Launch& launch, const std::string& root) {
  const std::string project = launch.scenario.recipe.project;
  const std::string& run = launch.scenario.name;
  return "=== Launching Harbor verl training ===\nproject:       " + project +
         "\nexperiment:    " + run + "\nmode/engine:   async/veomni\n" +
         "train log:     " + root + "/" + launch.log +
         "\nvLLM log:      " + root + "/" + launch.engine_log +
         "\n=== Launch Command ===\npython3 -m verl.trainer.main_ppo\n";
}

// The state behind the last line of a log.
std::string EndState(Ending ending) {
  switch (ending) {
    case Ending::kFinished:
      return "finished";
    case Ending::kDiskFull:
    case Ending::kActorDied:
    case Ending::kCudaOom:
    case Ending::kTraceback:
    case Ending::kEndedEarly:
      return "failed";
    case Ending::kInterrupted:
    case Ending::kTerminated:
      return "interrupted";
    default:
      return "running";
  }
}

}  // namespace

TreeStep& TreeBuilder::NewStep(double at, std::string what) {
  TreeStep& step = steps_.emplace_back();
  step.at = at;
  step.what = truth_.run + ": " + std::move(what);
  return step;
}

void TreeBuilder::StartTrials(const Launch& launch, double at, int group) {
  char folder[32];
  std::snprintf(folder, sizeof folder, "/step_%04d/", group);
  for (int i = 0; i < kTrialsPerStep; ++i) {
    const std::size_t number = static_cast<std::size_t>(trials_++);
    char name[64];
    std::snprintf(name, sizeof name, "lab__task-%05d-%08x",
                  static_cast<int>(number),
                  static_cast<unsigned>(number * 2654435761u));
    Trial trial;
    trial.name = name;
    trial.task = trial.name.substr(0, trial.name.size() - 9);
    trial.started = static_cast<std::int64_t>(at);
    trial.reward = number % 2 == 0 ? 1.0 : 0.0;
    if (number % 7 == 3) {
      trial.exception = "AgentTimeoutError";  // and a reward all the same
    } else if (number % 9 == 5) {
      trial.exception = "EnvironmentStartTimeoutError";
      trial.reward.reset();
    }
    const std::string path =
        Path(launch.folders[number % launch.folders.size()]) + folder + name;
    TreeStep& step = steps_.back();
    step.changes.push_back({path + "/config.json", TrialConfigJson(trial)});
    step.changes.push_back({path + "/trial.log", "starting\n"});
    open_.push_back({path, trial});
    ++truth_.trials_running;
  }
}

void TreeBuilder::FinishTrials(double at) {
  for (OpenTrial& open : open_) {
    open.trial.seconds = std::max(
        30, static_cast<int>(at) - static_cast<int>(open.trial.started));
    TreeStep& step = steps_.back();
    if (open.trial.reward) {
      step.changes.push_back({open.folder + "/verifier/reward.txt",
                              std::to_string(*open.trial.reward)});
      ++truth_.trials_scored;
    }
    step.changes.push_back(
        {open.folder + "/result.json", TrialResultJson(open.trial)});
    --truth_.trials_running;
    ++truth_.trials_finished;
  }
  open_.clear();
}

void TreeBuilder::Truncate(const Launch& launch, double at) {
  truth_.step.reset();
  truth_.rewinds.reset();
  truth_.state.clear();
  truth_.state_seen.clear();
  truth_.phase.clear();
  TreeStep& step = NewStep(at, "relaunched, its log is truncated");
  step.changes.push_back({Path(launch.log), "", true});
  if (!launch.engine_log.empty()) {
    step.changes.push_back({Path(launch.engine_log), "", true});
  }
  step.truth = truth_;
}

void TreeBuilder::AddPiece(const Launch& launch, const Piece& piece) {
  TreeStep& step = NewStep(piece.at, "step " + std::to_string(piece.step));
  step.changes.push_back({Path(launch.log), piece.bytes});
  if (!launch.launch_log.empty()) {
    step.changes.push_back({Path(launch.launch_log), piece.bytes});
  }
  const std::string engines = EngineLinesOf(piece.bytes);
  if (!launch.engine_log.empty() && !engines.empty()) {
    step.changes.push_back({Path(launch.engine_log), engines});
  }
  if (piece.step > 0) {
    truth_.step = piece.step;
    truth_.state = truth_.state_seen = "running";
    if (launch.is_relaunch) truth_.rewinds = 1;
  }
  truth_.phase = piece.phase;
}

void TreeBuilder::Add(const Launch& launch) {
  const Recipe& recipe = launch.scenario.recipe;
  ScenarioOptions options;
  options.seed = options_.seed + (launch.is_relaunch ? 1 : 0);
  options.start = options_.start + static_cast<std::int64_t>(
                                       launch.after * options_.clock_speed);
  options.clock_speed = options_.clock_speed;
  if (!launch.is_relaunch) {
    truth_ = {};
    truth_.state = truth_.state_seen = "starting";
  }
  open_.clear();
  truth_.project = recipe.project;
  truth_.run = launch.scenario.name;
  truth_.log = Path(launch.log);
  truth_.total_steps = ScenarioTotal(launch.scenario, options);
  if (launch.is_relaunch) {
    Truncate(launch, static_cast<double>(options.start));
  } else if (!launch.launch_log.empty()) {
    TreeStep& step = NewStep(static_cast<double>(options.start), "launched");
    step.changes.push_back(
        {Path(launch.launch_log), Banner(launch, options_.root)});
    step.changes.push_back({Path(launch.log), ""});
    step.truth = truth_;
  }
  const auto pieces = ScenarioPieces(launch.scenario, options);
  const bool has_end = recipe.ending != Ending::kRunning;
  int groups = 0;  // steps, the first validation and the end included
  for (const Piece& piece : pieces) groups += piece.ends_step ? 1 : 0;
  int group = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool in_end = has_end && group == groups - 1;
    const bool waits = recipe.ending == Ending::kInValidation;
    AddPiece(launch, pieces[i]);
    if (!launch.folders.empty()) {
      if (is_first && (!in_end || waits)) {
        StartTrials(launch, pieces[i].at, group);
      }
      if (pieces[i].ends_step && !in_end) FinishTrials(pieces[i].at);
    }
    is_first = pieces[i].ends_step;
    if (is_first) ++group;
    if (i + 1 == pieces.size()) {
      truth_.state = truth_.state_seen = EndState(recipe.ending);
      if (truth_.state == "failed") truth_.signature = "trainer_crash";
      truth_.process_up = truth_.state == "running" && !launch.is_killed;
      if (launch.is_killed) truth_.state_seen = "failed";
    }
    steps_.back().truth = truth_;
  }
}

void TreeBuilder::AddFile(double after, const std::string& path,
                          std::string bytes) {
  TreeStep& step = steps_.emplace_back();
  step.at = static_cast<double>(options_.start) + after * options_.clock_speed;
  step.what = "another node: " + path;
  step.changes.push_back({Path(path), std::move(bytes)});
}

std::vector<TreeStep> TreeBuilder::Take() {
  std::stable_sort(
      steps_.begin(), steps_.end(),
      [](const TreeStep& a, const TreeStep& b) { return a.at < b.at; });
  return std::move(steps_);
}

}  // namespace rlrun::scenarios
