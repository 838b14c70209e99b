#include <cstdio>
#include <stdexcept>

#include "exporter/metrics/step_families.h"
#include "exporter/signatures/check.h"
#include "tests/alerts/alert.h"

namespace rlrun::alerts {
namespace {

constexpr std::string_view kReasons = "run:rlrun_trajectory_filter_reason";

// How a check is put as a rule.
struct Row {
  std::string_view check;
  // `<` or `>`: the literal bound stands in the rule, NaN is out of range.
  // `share`: the same of a share of the filter's reasons. Empty: the bound is
  // relative to the run, or the check looks at more than one value, and the
  // exporter's count speaks alone.
  std::string_view shape;
  // Verbatim, the preferred key first.
  std::string_view key;
  std::string_view other_key = {};
};

constexpr Row kRows[] = {
    {"routing_replay_pearson", "<",
     "training/rollout_actor_probs_pearson_corr"},
    {"actor_lr", "", "actor/lr"},
    {"actor_grad_norm", "", "actor/grad_norm"},
    {"reward_nonzero", "", "critic/score/mean", "critic/rewards/mean"},
    {"num_turns", "", "num_turns/mean", "training/num_turns/mean"},
    {"env_setup_failed", "share", "trajectory_filter/env_failure_count"},
    {"timeout_share", "share", "trajectory_filter/timeout_count"},
    {"invalid_ratio", ">", "trajectory_filter/invalid_ratio"},
    {"response_clip_ratio", ">", "response_length/clip_ratio"},
    {"aborted_ratio", ">", "response/aborted_ratio"},
    {"val_nonzero", "", ""},
    {"rollout_kl", ">", "rollout_corr/kl"},
    {"vf_explained_var", "<", "critic/vf_explained_var"},
    {"critic_grad_norm", ">", "critic/grad_norm"},
    {"critic_advantages_mean", "<", "critic/advantages/mean"},
    {"eff_sample_size", "<", "actor/rollout_corr/rollout_is_eff_sample_size",
     "rollout_corr/rollout_is_eff_sample_size"},
    {"pg_clipfrac_absent", "", "actor/pg_clipfrac"},
};

const Row& RowOf(std::string_view check) {
  for (const Row& row : kRows) {
    if (row.check == check) return row;
  }
  throw std::runtime_error("tests/alerts/health_alerts.cc has no row for " +
                           std::string(check));
}

std::string_view ReasonOf(const Row& row) {
  return row.check == "timeout_share" ? "timeout" : "env_setup_failed";
}

bool HasLiteral(const Row& row) { return row.shape == "<" || row.shape == ">"; }

std::string_view Unit(const Check& check) {
  return check.trigger == RuleTrigger::kValidation ? "validations" : "steps";
}

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

std::string Recorded(const Row& row) {
  return "run:" + RawFamilyName(row.key) + ":max";
}

std::string Expr(const Row& row, const CheckBound& bound) {
  const std::string count = "run:rlrun_check_failing_steps:max{check=\"" +
                            std::string(row.check) +
                            "\"} >= " + std::to_string(bound.alert_after);
  const std::string live = "\nand on (project, run) run:rlrun_live:max == 1";
  if (row.shape.empty()) return count + live;
  std::string left;
  if (row.shape == "share") {
    left = "max without (reason) (" + std::string(kReasons) +
           ":share{reason=\"" + std::string(ReasonOf(row)) + "\"}) > " +
           Number(bound.bound) + "\n  or on (project, run) " + Recorded(row) +
           " > 0";
  } else {
    const std::string x = Recorded(row);
    left = x + " " + std::string(row.shape) + " " + Number(bound.bound) +
           "\n  or " + x + " != " + x;
  }
  return "(\n  " + left + "\n)\nand on (project, run) " + count + live;
}

// The newest value of what the check looks at, as a query.
std::string ValueQuery(const Row& row) {
  if (row.shape == "share") {
    return "max(" + std::string(kReasons) +
           ":share{run=%[1]q,project=%[2]q,reason=\"" +
           std::string(ReasonOf(row)) + "\"})";
  }
  std::string query =
      "max(" + RawFamilyName(row.key) + "{run=%[1]q,project=%[2]q})";
  if (!row.other_key.empty()) {
    query += " or max(" + RawFamilyName(row.other_key) +
             "{run=%[1]q,project=%[2]q})";
  }
  return query;
}

std::string ShownKey(const Row& row) {
  if (row.shape == "share") {
    return "share of trajectory_filter/reason/" + std::string(ReasonOf(row));
  }
  return std::string(row.key);
}

std::string Summary(std::string_view run, const Row& row) {
  return std::string(run) + ": check " + std::string(row.check) +
         " is out of its healthy range";
}

std::string Description(const Row& row, const Check& check) {
  const std::string selector =
      "{run=%[1]q,project=%[2]q,check=\"" + std::string(row.check) + "\"}";
  std::string out =
      std::string(kRunTemplate) + ": " + std::string(check.means) + "\n";
  if (!row.key.empty()) {
    out += ShownKey(row) + ": {{ range " + Query(ValueQuery(row)) +
           " }}{{ printf \"%.5g\" .Value }}{{ else }}not printed{{ end }}\n";
  }
  return out + "Out of range on the last {{ range " +
         Query("max(rlrun_check_failing_steps" + selector + ")") +
         " }}{{ .Value }}{{ end }} " + std::string(Unit(check)) +
         "\nBound in force: {{ range " +
         Query("max by (bound) (rlrun_check_threshold" + selector + ")") +
         " | sortByLabel \"bound\" }}{{ .Labels.bound }} {{ printf \"%.5g\" "
         ".Value }} {{ else }}none{{ end }}";
}

// --- tests
// --------------------------------------------------------------------

// A value outside the range, and one inside it.
double Outside(const Row& row, double bound) {
  return row.shape == "<" ? bound - 0.5 : bound + 0.5;
}

void AddShares(const Row& row, std::string_view run, bool bad,
               AlertTest* test) {
  const std::string reason(ReasonOf(row));
  test->series.push_back(
      {std::string(run), "rlrun_step_trajectory_filter_reason",
       "reason=\"" + reason + "\"", bad ? "60x100" : "0x100"});
  test->series.push_back({std::string(run),
                          "rlrun_step_trajectory_filter_reason",
                          "reason=\"completed\"", bad ? "40x100" : "100x100"});
}

void AddValues(const Row& row, double bound, AlertTest* test) {
  if (row.shape == "share") {
    for (const char* run : {"sums", "short", "over"}) {
      AddShares(row, run, true, test);
    }
    AddShares(row, "loose", false, test);
    return;
  }
  if (row.key.empty()) return;
  const std::string family = RawFamilyName(row.key);
  const std::string bad = Number(Outside(row, bound)) + "x100";
  for (const char* run : {"sums", "short", "over"}) {
    test->series.push_back({run, family, "", bad});
  }
  if (HasLiteral(row)) {
    test->series.push_back({"loose", family, "", Number(bound) + "x100"});
  }
}

std::string Value(const Row& row, double bound) {
  if (row.key.empty()) return "";
  const double value = row.shape == "share" ? 0.6 : Outside(row, bound);
  return ShownKey(row) + ": " + Number(value) + "\n";
}

// Out of range on N steps from minute 10 to 39; beside it a run that is not so
// often enough, one that has ended, and one whose bound is looser in the rule.
AlertTest MakeTest(const Row& row, const Check& check,
                   const CheckBound& bound) {
  const std::string id(check.name);
  AlertTest test{id, AlertName("Check", id), "check", id, {}, {}};
  const std::string label = "check=\"" + id + "\"";
  const std::string n = std::to_string(bound.alert_after);
  const std::string few = std::to_string(bound.alert_after - 1);
  auto& s = test.series;
  s.push_back({"sums", "rlrun_info", "", "1x100"});
  s.push_back({"sums", "rlrun_state", "state=\"running\"", "1x100"});
  s.push_back({"short", "rlrun_state", "state=\"running\"", "1x100"});
  s.push_back({"over", "rlrun_state", "state=\"finished\"", "1x100"});
  AddValues(row, bound.bound, &test);
  s.push_back({"sums", "rlrun_check_failing_steps", label,
               few + "x9 " + n + "x29 0x60"});
  s.push_back({"short", "rlrun_check_failing_steps", label, few + "x100"});
  s.push_back({"over", "rlrun_check_failing_steps", label, n + "x100"});
  if (!row.shape.empty()) {
    s.push_back({"loose", "rlrun_state", "state=\"running\"", "1x100"});
    s.push_back({"loose", "rlrun_check_failing_steps", label, n + "x100"});
  }
  s.push_back(
      {"sums", "rlrun_check_threshold", label + ",bound=\"min\"", "0.125x100"});
  const std::string first =
      std::string(kTestRun) + ": " + std::string(check.means);
  test.moments.push_back({5, {}, {}, {}});
  test.moments.push_back(
      {15,
       {"info"},
       {Summary(kTestRun, row)},
       {first + "\n" + Value(row, bound.bound) + "Out of range on the last " +
        n + " " + std::string(Unit(check)) + "\nBound in force: min 0.125 "}});
  test.moments.push_back({60, {}, {}, {}});
  return test;
}

}  // namespace

std::string MaxOfExporters(std::string_view selector) {
  return "max without (instance, pod, container, endpoint, node, service, job) "
         "(" +
         std::string(selector) + ")";
}

std::vector<RecordingRule> RecordingRules() {
  std::vector<RecordingRule> rules = {
      {"run:rlrun_live:max",
       "max without (state, instance, pod, container, endpoint, node, service, "
       "job) (rlrun_state{state=~\"starting|running|stalled\"})"},
      {"run:rlrun_state:max", MaxOfExporters("rlrun_state")},
      {"run:rlrun_signature_active:max",
       MaxOfExporters("rlrun_signature_active")},
      {"run:rlrun_check_failing_steps:max",
       MaxOfExporters("rlrun_check_failing_steps")},
      {"run:rlrun_source_up:max", MaxOfExporters("rlrun_source_up")},
      {"run:rlrun_log_modified_timestamp_seconds:max",
       MaxOfExporters("rlrun_log_modified_timestamp_seconds")},
      {"run:rlrun_record_updated_timestamp_seconds:max",
       MaxOfExporters("rlrun_record_updated_timestamp_seconds")},
      {"run:rlrun_process_up:max", "max by (project, run) (rlrun_process_up)"}};
  const auto step = [&rules](const Row& row) {
    std::string expr = MaxOfExporters(RawFamilyName(row.key));
    if (!row.other_key.empty()) {
      expr += "\nor on (project, run)\n" +
              MaxOfExporters(RawFamilyName(row.other_key));
    }
    rules.push_back({Recorded(row), expr});
  };
  for (const Row& row : kRows) {
    if (!row.shape.empty()) step(row);
  }
  const std::string reasons(kReasons);
  rules.push_back({reasons + ":max",
                   MaxOfExporters("rlrun_step_trajectory_filter_reason")});
  rules.push_back(
      {reasons + ":share", reasons +
                               ":max\n/ ignoring (reason) group_left\nsum "
                               "without (reason) (" +
                               reasons + ":max)"});
  return rules;
}

RuleFile HealthAlerts() {
  RuleFile file{
      "One alert per row of the health table. The literal is the threshold;\n"
      "the exporter counts the steps in a row that are outside it and knows\n"
      "where the check applies. Rows relative to the run's own past have the\n"
      "count alone. Severity info: nobody is paged by them.",
      "rlrun-health",
      {},
      {}};
  const CheckOptions defaults;
  for (const Check& check : Checks()) {
    const Row& row = RowOf(check.name);
    const CheckBound& bound = defaults.*check.bound;
    file.alerts.push_back({AlertName("Check", check.name), Expr(row, bound),
                           "info", "check", std::string(check.name),
                           Summary(kRunTemplate, row),
                           Description(row, check)});
    file.tests.push_back(MakeTest(row, check, bound));
  }
  return file;
}

}  // namespace rlrun::alerts
