#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "exporter/metrics/step_families.h"
#include "exporter/signatures/check.h"
#include "exporter/signatures/role.h"
#include "tests/alerts/alert.h"

namespace rlrun::alerts {
namespace {

constexpr std::string_view kReasons = "run:rlrun_trajectory_filter_reason";

// How the comment of a rule puts the bound that is in force unless configured.
// Empty: the check looks at more than one number.
struct Bound {
  std::string_view check;
  std::string_view words;
};
constexpr Bound kBounds[] = {
    {"routing_replay_pearson", "at least "},
    {"actor_lr", ""},
    {"actor_grad_norm", ""},
    {"reward_nonzero", ""},
    {"num_turns", ""},
    {"env_setup_failed", "at most "},
    {"timeout_share", "at most "},
    {"invalid_ratio", "at most "},
    {"response_clip_ratio", "at most "},
    {"aborted_ratio", "at most "},
    {"val_nonzero", ""},
    {"rollout_kl", "at most "},
    {"vf_explained_var", "at least "},
    {"critic_grad_norm", "at most "},
    {"critic_advantages_mean", "at least "},
    {"eff_sample_size", "at least "},
    {"pg_clipfrac_absent", ""},
};

std::string_view BoundWords(std::string_view check) {
  for (const Bound& row : kBounds) {
    if (row.check == check) return row.words;
  }
  throw std::runtime_error("tests/alerts/health_alerts.cc has no row for " +
                           std::string(check));
}

// Of the trajectory filter; empty: the check looks at no share of them.
std::string_view ReasonOf(const Check& check) {
  if (check.role == Role::kTimeoutShare) return "timeout";
  if (check.role == Role::kEnvSetupFailedShare) return "env_setup_failed";
  return {};
}

// What a check looks at, verbatim, as verl, slime and TRL print it.
std::vector<std::string> KeysOf(const Check& check) {
  std::vector<std::string> keys;
  const auto add = [&keys](Role role) {
    const RoleRow& row = RoleTable()[RoleIndex(role)];
    for (std::uint8_t rank = 0; rank < kKeyRanks; ++rank) {
      const std::string key(row.key(rank));
      if (key.empty()) continue;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  };
  if (check.role == Role::kCount) return keys;
  if (check.role == Role::kTaskReward) {
    add(Role::kScore);
    add(Role::kReward);
  } else {
    add(check.role);
  }
  return keys;
}

std::string_view Unit(const Check& check) {
  return check.trigger == RuleTrigger::kValidation ? "validations" : "steps";
}

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

// The exporter knows where a check applies, under which keys a trainer prints
// what it looks at, and the bound of the run: its count is enough.
std::string Expr(const Check& check, const CheckBound& bound) {
  return "run:rlrun_check_failing_steps:max{check=\"" +
         std::string(check.name) +
         "\"} >= " + std::to_string(bound.alert_after) +
         "\nand on (project, run) run:rlrun_live:max == 1";
}

// For who reads the rules.
std::string Comment(const Check& check, const CheckBound& bound) {
  const std::string_view words = BoundWords(check.name);
  if (words.empty()) return "";
  const std::string_view reason = ReasonOf(check);
  return (reason.empty()
              ? KeysOf(check).front()
              : "share of trajectory_filter/reason/" + std::string(reason)) +
         ": healthy " + std::string(words) + Number(bound.bound);
}

// A line with the newest value of what the check looks at, under the key that
// the run prints; of several the first.
std::string ValueLine(const Check& check) {
  const std::string_view reason = ReasonOf(check);
  const std::string shown =
      "{{ printf \"%.5g\" .Value }}{{ else }}not printed{{ end }}\n";
  if (!reason.empty()) {
    return "share of trajectory_filter/reason/" + std::string(reason) +
           ": {{ range " +
           Query("max(" + std::string(kReasons) +
                 ":share{run=%[1]q,project=%[2]q,reason=\"" +
                 std::string(reason) + "\"})") +
           " }}" + shown;
  }
  const std::vector<std::string> keys = KeysOf(check);
  if (keys.empty()) return "";
  std::string query;
  for (const std::string& key : keys) {
    query += (query.empty() ? "" : " or on () ") +
             ("label_replace(max(" + RawFamilyName(key)) +
             "{run=%[1]q,project=%[2]q}), \"key\", \"" + key +
             "\", \"\", \"\")";
  }
  return "{{ range " + Query(query) +
         " }}{{ .Labels.key }}: {{ printf \"%.5g\" .Value }}{{ else }}" +
         keys.front() + ": not printed{{ end }}\n";
}

std::string Summary(std::string_view run, const Check& check) {
  return std::string(run) + ": check " + std::string(check.name) +
         " is out of its healthy range";
}

std::string Description(const Check& check) {
  const std::string selector =
      "{run=%[1]q,project=%[2]q,check=\"" + std::string(check.name) + "\"}";
  const std::string out = std::string(kRunTemplate) + ": " +
                          std::string(check.means) + "\n" + ValueLine(check);
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

// The line about `key` while its value is 0.6; empty: the check has none.
std::string Value(const Check& check, const std::string& key, AlertTest* test) {
  const std::string reason(ReasonOf(check));
  if (!reason.empty()) {
    const std::string family = "rlrun_step_trajectory_filter_reason";
    test->series.push_back(
        {"sums", family, "reason=\"" + reason + "\"", "60x100"});
    test->series.push_back({"sums", family, "reason=\"completed\"", "40x100"});
    return "share of trajectory_filter/reason/" + reason + ": 0.6\n";
  }
  if (key.empty()) return "";
  test->series.push_back({"sums", RawFamilyName(key), "", "0.6x100"});
  return key + ": 0.6\n";
}

// Out of range on N steps from minute 10 to 39, as a trainer that prints `key`
// has it; beside it a run that is not so often enough, and one that has ended.
AlertTest MakeTest(const Check& check, const CheckBound& bound,
                   const std::string& key) {
  const std::string id(check.name);
  AlertTest test{id + (key.empty() ? "" : ", " + key),
                 AlertName("Check", id),
                 "check",
                 id,
                 {},
                 {}};
  const std::string label = "check=\"" + id + "\"";
  const std::string n = std::to_string(bound.alert_after);
  const std::string few = std::to_string(bound.alert_after - 1);
  auto& s = test.series;
  s.push_back({"sums", "rlrun_info", "", "1x100"});
  s.push_back({"sums", "rlrun_state", "state=\"running\"", "1x100"});
  s.push_back({"short", "rlrun_state", "state=\"running\"", "1x100"});
  s.push_back({"over", "rlrun_state", "state=\"finished\"", "1x100"});
  const std::string value = Value(check, key, &test);
  s.push_back({"sums", "rlrun_check_failing_steps", label,
               few + "x9 " + n + "x29 0x60"});
  s.push_back({"short", "rlrun_check_failing_steps", label, few + "x100"});
  s.push_back({"over", "rlrun_check_failing_steps", label, n + "x100"});
  s.push_back(
      {"sums", "rlrun_check_threshold", label + ",bound=\"min\"", "0.125x100"});
  const std::string first =
      std::string(kTestRun) + ": " + std::string(check.means);
  test.moments.push_back({5, {}, {}, {}});
  test.moments.push_back(
      {15,
       {"info"},
       {Summary(kTestRun, check)},
       {first + "\n" + value + "Out of range on the last " + n + " " +
        std::string(Unit(check)) + "\nBound in force: min 0.125 "}});
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
      "One alert per row of the health table. The exporter counts the steps "
      "in\n"
      "a row that are out of range: it knows where a check applies, the keys\n"
      "of each trainer, and the bounds that are configured for a run. The\n"
      "comments name the bounds of who configures none. Severity info: nobody\n"
      "is paged by them.",
      "rlrun-health",
      {},
      {}};
  const CheckOptions defaults;
  for (const Check& check : Checks()) {
    const CheckBound& bound = defaults.*check.bound;
    file.alerts.push_back({AlertName("Check", check.name), Expr(check, bound),
                           "info", "check", std::string(check.name),
                           Summary(kRunTemplate, check), Description(check),
                           Comment(check, bound)});
    std::vector<std::string> keys = KeysOf(check);
    if (keys.empty()) keys.emplace_back();
    for (const std::string& key : keys) {
      file.tests.push_back(MakeTest(check, bound, key));
    }
  }
  return file;
}

}  // namespace rlrun::alerts
