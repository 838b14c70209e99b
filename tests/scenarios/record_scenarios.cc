// Runs of slime with a launcher's record, and some of which nothing but the
// record is here: what the two say against each other, what the end of the log
// tells, how a record ends.
#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {
namespace {

constexpr int kSteps = 24;
constexpr char kOom[] = "CUDA out of memory. Tried to allocate 2.00 GiB";
constexpr char kRetry[] = "Retrying in 2 seconds: the judge did not answer";

Scenario Make(const char* name, const char* summary,
              const RecordRecipe& record) {
  Scenario scenario;
  scenario.name = name;
  scenario.summary = summary;
  scenario.recipe.family = Family::kSlime;
  scenario.recipe.steps = kSteps;
  scenario.recipe.record = record;
  return scenario;
}

void AddLiveness(std::vector<Scenario>* out) {
  Scenario stuck =
      Make("possibly_stuck", "record and log stand still for 15 minutes", {});
  stuck.wanted = {{.signature = "possibly_stuck", .age_seconds = 600}};
  stuck.look_after = 900;
  out->push_back(stuck);
  stuck.name = "possibly_stuck-record_only";
  stuck.summary = "the same where no log of the run is known";
  stuck.recipe.record->has_log = false;
  out->push_back(stuck);
  Scenario died = Make(
      "app_died", "the log ends in an error, nobody closed the record", {});
  died.recipe.extra = {kOom, 1};
  died.wanted = {
      {.signature = "app_died", .level = "critical", .age_seconds = 600}};
  died.companions = {{"cuda_oom", "warning", "the line that it ends in"}};
  died.state = "failed";
  died.look_after = 700;
  out->push_back(died);
}

void AddStart(std::vector<Scenario>* out) {
  Scenario queued =
      Make("not_started", "queued: it has no app yet",
           {.phase = "initializing", .has_app = false, .has_log = false});
  queued.recipe.steps = 1;
  queued.recipe.ending = Ending::kStarting;
  queued.wanted = {
      {.signature = "not_started", .level = "info", .age_seconds = 1}};
  queued.state = "starting";
  out->push_back(queued);
  Scenario fetching = queued;
  fetching.name = "not_started-startup";
  fetching.summary = "a model is fetched for 40 minutes";
  fetching.recipe.record =
      RecordRecipe{.phase = "download_model", .is_active = false};
  fetching.wanted[0].age_seconds = 1800;
  fetching.look_after = 2400;
  out->push_back(fetching);
}

void AddLines(std::vector<Scenario>* out) {
  const auto add = [out](const char* name, const char* summary,
                         const ExtraLines& extra) {
    Scenario scenario = Make(name, summary, {});
    scenario.recipe.extra = extra;
    scenario.wanted = {{.signature = name, .age_seconds = 1}};
    out->push_back(scenario);
  };
  add("auth_failure", "an upload is refused",
      {"ERROR:2026-03-02 09:00:00,000:requests.exceptions.HTTPError: 401 "
       "Client Error: Unauthorized for url: https://hub.example.org/api",
       1});
  add("cuda_oom", "a GPU ran out of memory, no step yet behind it", {kOom, 1});
  add("nccl_failure", "a collective operation timed out",
      {"[rank1]:[E ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught "
       "collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE) "
       "ran for 600022 milliseconds before timing out.",
       1});
  add("retry_loop", "a judge does not answer", {kRetry, 6});
}

void AddEnds(std::vector<Scenario>* out) {
  const auto add = [out](const char* name, const char* summary,
                         const char* state, const RecordRecipe& record) {
    out->push_back(Make(name, summary, record));
    out->back().state = state;
  };
  add("record-failed", "the record says failed, there is no log", "failed",
      {.status = "failed", .error = "the pod was evicted", .has_log = false});
  out->back().wanted = {
      {.signature = "trainer_crash", .level = "critical", .age_seconds = 1}};
  add("record-stopped", "stopped by somebody", "interrupted",
      {.status = "stopped"});
  add("record-cancelled", "cancelled by the reconciler, there is no log",
      "interrupted", {.status = "cancelled", .has_log = false});
  add("record-completed", "the record says that it has come to its end",
      "finished", {.status = "completed"});
  out->back().recipe.total = kSteps;
}

void AddHealthy(std::vector<Scenario>* out) {
  const auto add = [out](const char* name, const char* summary,
                         const RecordRecipe& record,
                         const ExtraLines& extra = {}) {
    out->push_back(Make(name, summary, record));
    out->back().recipe.extra = extra;
  };
  add("record", "record and log go on", {});
  add("record-stale", "the reporter is gone, the log goes on",
      {.last_step = 6});
  add("record-queued", "it waits for a GPU in its phase",
      {.is_active = false, .has_log = false});
  out->back().look_after = 1500;
  add("record-few_retries", "four retries are none", {}, {kRetry, 4});
  add("record-survived_oom", "steps came behind the error", {}, {kOom, 1, 3});
}

}  // namespace

void AddRecordScenarios(std::vector<Scenario>* out) {
  AddLiveness(out);
  AddStart(out);
  AddLines(out);
  AddEnds(out);
  AddHealthy(out);
}

}  // namespace rlrun::scenarios
