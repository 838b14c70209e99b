#include "tests/scenarios/run_tree.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tests/scenarios/tree_builder.h"

namespace rlrun::scenarios {
namespace {

constexpr double kStall = 30 * 60;  // seconds of silence
constexpr double kUnsure = 5;       // seconds around that

// `<stem>-20260302-090004`, as a launcher names its run.
std::string Stamped(const std::string& stem, const TreeOptions& options,
                    int after) {
  const auto time = static_cast<std::time_t>(
      options.start + static_cast<std::int64_t>(after * options.clock_speed));
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  const std::size_t size =
      std::strftime(text, sizeof text, "-%Y%m%d-%H%M%S", &parts);
  return stem + std::string(text, size);
}

Scenario Named(const std::string& name, const Recipe& recipe) {
  Scenario scenario;
  scenario.name = name;
  scenario.recipe = recipe;
  return scenario;
}

// A launch by the launcher: logs and trials below one folder.
Launch Launched(const std::string& run, const Recipe& recipe, double after) {
  Launch launch;
  launch.scenario = Named(run, recipe);
  launch.after = after;
  const std::string folder = std::string(recipe.project) + "/" + run;
  launch.log = folder + "/logs/" + run + ".log";
  launch.engine_log = folder + "/logs/" + run + "_vllm.log";
  if (recipe.family != Family::kMath) launch.folders = {folder};
  return launch;
}

// Every node names its folder after its own clock; only the head has a log.
void AddThreeNodes(const TreeOptions& options, TreeBuilder* builder) {
  const std::string stem = "harbor-oc-async-3n";
  const std::string run = Stamped(stem, options, 4);
  Launch launch = Launched(
      run, {.family = Family::kAsync, .steps = 60, .project = "swe-lab"}, 4);
  launch.launch_log = "swe-lab/" + run + "/logs/launch_" +
                      Stamped("", options, 2).substr(1) + ".log";
  builder->AddFile(
      700, "swe-lab/" + run + "/_dropped/dropped.4711.jsonl",
      "{\"ts\": 1772442700.5, \"task\": \"lab__task-00003\", \"reason\": "
      "\"empty\", \"validate\": false, \"global_steps\": 5}\n"
      "{\"ts\": 1772442700.9, \"task\": \"lab__task-00009\", \"reason\": "
      "\"invalid_trajectory\", \"validate\": true, \"global_steps\": 5}\n");
  for (const int after : {6, 7}) {
    const std::string sibling = Stamped(stem, options, after);
    // On one clock second they would be one folder.
    const std::string name =
        sibling == run ? run + "-n" + std::to_string(after) : sibling;
    launch.folders.push_back("swe-lab/" + name);
    builder->AddFile(
        after, "swe-lab/" + name + "/logs/" + name + "_train_gpu_wandb.log",
        "[gpu_wandb] trainnode run started: "
        "https://wandb.example/lab/run\n");
  }
  builder->Add(launch);
}

void AddByHand(TreeBuilder* builder) {
  Launch launch;
  launch.scenario = Named("ppo-by-hand", {.family = Family::kCritic,
                                          .steps = 30,
                                          .project = "math-lab",
                                          .ending = Ending::kFinished});
  launch.after = 100;
  launch.log = "math-lab/ppo-by-hand/ppo-by-hand.out";
  builder->Add(launch);
}

std::vector<TreeStep> AllSteps(const TreeOptions& options) {
  TreeBuilder builder(options);
  AddThreeNodes(options, &builder);
  AddByHand(&builder);
  builder.Add(Launched("nightly", {.steps = 12, .project = "swe-lab"}, 60));
  Launch again = Launched("nightly", {.steps = 48, .project = "swe-lab"}, 1500);
  again.is_relaunch = true;
  builder.Add(again);
  builder.Add(Launched(
      Stamped("harbor-oc-sync", options, 90),
      {.steps = 19, .project = "swe-lab", .ending = Ending::kDiskFull}, 90));
  builder.Add(Launched("val-deadlock",
                       {.family = Family::kAsync,
                        .steps = 9,
                        .first_validation = false,
                        .project = "swe-lab",
                        .ending = Ending::kInValidation},
                       200));
  Launch killed = Launched(
      "grpo-killed",
      {.family = Family::kMath, .steps = 25, .project = "math-lab"}, 30);
  killed.is_killed = true;
  builder.Add(killed);
  return builder.Take();
}

// What silence makes of a run.
void Age(double silence, RunTruth* truth) {
  if (truth->state != "running" || silence < kStall - kUnsure) return;
  const bool sure = silence > kStall + kUnsure;
  truth->state = sure ? "stalled" : "";
  truth->signature = sure ? "stall" : "";
  if (truth->state_seen == "running") truth->state_seen = truth->state;
}

int ExitCodeOf(const std::string& signature) {
  if (signature.empty()) return 0;
  return signature == "trainer_crash" ? 2 : 1;
}

}  // namespace

RunTree::RunTree(const TreeOptions& options) : steps_(AllSteps(options)) {}

std::optional<double> RunTree::NextAt() const {
  if (next_ == steps_.size()) return std::nullopt;
  return steps_[next_].at;
}

bool RunTree::Next(Sink* sink, TreeEvent* event) {
  if (next_ == steps_.size()) return false;
  const TreeStep& step = steps_[next_++];
  for (const TreeStep::Change& change : step.changes) {
    if (change.truncates) {
      sink->Truncate(change.path);
    } else {
      sink->Append(change.path, change.bytes);
    }
  }
  if (!step.truth.run.empty()) {
    const auto known = std::find_if(
        truths_.begin(), truths_.end(),
        [&](const RunTruth& truth) { return truth.run == step.truth.run; });
    const auto at = static_cast<std::size_t>(known - truths_.begin());
    if (known == truths_.end()) {
      truths_.push_back(step.truth);
      last_writes_.push_back(step.at);
    } else {
      truths_[at] = step.truth;
      last_writes_[at] = step.at;
    }
  }
  event->at = step.at;
  event->what = step.what;
  event->runs = truths_;
  for (std::size_t i = 0; i < truths_.size(); ++i) {
    Age(step.at - last_writes_[i], &event->runs[i]);
  }
  return true;
}

std::vector<Expectation> TreeLedger(const TreeOptions& options) {
  class Nowhere : public Sink {
    void Append(const std::string&, std::string_view) override {}
    void Truncate(const std::string&) override {}
  } nowhere;
  RunTree tree(options);
  TreeEvent event;
  while (tree.Next(&nowhere, &event)) {
  }
  std::vector<Expectation> ledger;
  for (const RunTruth& truth : event.runs) {
    Expectation& e = ledger.emplace_back();
    e.scenario = "tree";
    e.project = truth.project;
    e.run = truth.run;
    e.log = truth.log.substr(options.root.size() + 1);
    e.signature = truth.signature;
    if (!e.signature.empty()) {
      e.level = e.signature == "trainer_crash" ? "critical" : "warning";
      e.age_seconds = e.signature == "stall" ? kStall : 1;
    }
    e.state = truth.state;
    e.decision = truth.state == "stalled"   ? "wait"
                 : truth.state == "running" ? "continue"
                                            : "none";
    e.exit_code = ExitCodeOf(truth.signature);
    e.at = static_cast<std::int64_t>(std::ceil(event.at)) + 5;
    e.steps = truth.step.value_or(0);
  }
  return ledger;
}

}  // namespace rlrun::scenarios
