
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"
#include "tests/alerts/alert.h"

namespace rlrun::alerts {
namespace {

// A row of any table of rules.
struct Signature {
  std::string_view name;
  std::uint8_t severities;
  std::string_view means, next;
};

std::vector<Signature> Signatures() {
  std::vector<Signature> all;
  const auto add = [&all](const auto& rules) {
    for (const auto& rule : rules) {
      all.push_back({rule.name, rule.severities, rule.means, rule.next});
    }
  };
  add(FailureRules());
  add(QualityRules());
  add(TimeRules());
  add(EventRules());
  add(RecordRules());
  return all;
}

// Findings that end a run: its state is failed then.
bool IsOfTheEnd(std::string_view name) {
  if (name == "app_died") return true;  // of a run record
  for (const TimeRule& rule : EventRules()) {
    if (rule.name == name) return true;
  }
  return false;
}

// How a value of evidence is written.
std::string ValueTemplate(std::string_view name) {
  if (name == "stall" || name == "no_progress" || name == "possibly_stuck" ||
      name == "app_died" || name == "not_started") {
    return "{{ $e.Value | humanizeDuration }}";
  }
  if (name == "died_silently") return "{{ $e.Value | humanizeTimestamp }}";
  return "{{ printf \"%.5g\" $e.Value }}";
}

// In front of a key of evidence that would not explain itself.
std::string_view KeyPrefix(std::string_view name) {
  return name == "trainer_crash" ? "errors of the kind " : "";
}

// Behind the evidence.
std::string Supplement(std::string_view name) {
  if (name != "ended_early") return "";
  return "{{ range " +
         Query("max(rlrun_total_steps{run=%[1]q,project=%[2]q})") +
         " }} of {{ .Value }} planned{{ end }}";
}

std::string Description(std::string_view name, std::string_view means,
                        std::string_view next) {
  const std::string selector =
      "{run=%[1]q,project=%[2]q,signature=\"" + std::string(name) + "\"}";
  const std::string since =
      Query("max(rlrun_signature_since_step" + selector + ")");
  const std::string evidence =
      Query("max by (key) (rlrun_signature_evidence" + selector + ")");
  return std::string(kRunTemplate) + ": " + std::string(means) +
         "\nSince step: {{ range " + since +
         " }}{{ .Value }}{{ else }}none yet{{ end }}\nEvidence: {{ range $i, "
         "$e := " +
         evidence + " | sortByLabel \"key\" }}{{ if $i }}, {{ end }}" +
         std::string(KeyPrefix(name)) +
         "{{ $e.Labels.key }} = " + ValueTemplate(name) +
         "{{ else }}none{{ end }}" + Supplement(name) +
         "\nNext: " + std::string(next);
}

std::string Live() { return "\nand on (project, run) run:rlrun_live:max == 1"; }

std::string Active(std::string_view name, std::string_view severity) {
  return "run:rlrun_signature_active:max{signature=\"" + std::string(name) +
         "\",severity=\"" + std::string(severity) + "\"} == 1";
}

// A finding about an end is told for two hours: an exporter that meets an old
// log says nothing.
std::string RecentEnd(std::string_view name) {
  const std::string recent =
      "time() - run:rlrun_log_modified_timestamp_seconds:max < 7200";
  // A run may have a record and no log.
  if (name == "trainer_crash") {
    return "\nand on (project, run) (\n  " + recent +
           "\n  or on (project, run) time() - "
           "run:rlrun_record_updated_timestamp_seconds:max < 7200\n)";
  }
  if (name != "died_silently")
    return "\nand on (project, run) (" + recent + ")";
  // A process may die long after its last line.
  return "\nand on (project, run) (\n  " + recent +
         "\n  or on (project, run) time() - " +
         "max by (project, run) "
         "(rlrun_signature_evidence{signature=\"died_silently\",key=\"process_"
         "gone_since\"}) < 7200\n)";
}

Alert MakeAlert(const Signature& row, std::string_view severity) {
  return {AlertName("", row.name),
          Active(row.name, severity) +
              (IsOfTheEnd(row.name) ? RecentEnd(row.name) : Live()),
          std::string(severity),
          "signature",
          std::string(row.name),
          std::string(kRunTemplate) + ": " + FirstSentence(row.means),
          Description(row.name, row.means, row.next)};
}

constexpr std::string_view kAliveMeans =
    "The log has gone silent while the process is alive: a deadlock.";
constexpr std::string_view kAliveNext =
    "Take a stack dump of the process before anything else; restarting it is "
    "the reader's decision.";

Alert StallAlive() {
  Alert alert = MakeAlert(
      {"stall", LevelBit(Level::kWarning), kAliveMeans, kAliveNext}, "warning");
  alert.name = "RLRunStallProcessAlive";
  alert.severity = "critical";
  alert.expr += "\nand on (project, run) run:rlrun_process_up:max == 1";
  return alert;
}

// --- tests
// --------------------------------------------------------------------

struct TestEvidence {
  std::string key, value, shown;
  std::string text = key + " = " + shown;
};

TestEvidence EvidenceOf(std::string_view name) {
  if (name == "stall") return {"silence_seconds", "5400", "1h 30m 0s"};
  if (name == "no_progress") return {"no_step_seconds", "5400", "1h 30m 0s"};
  if (name == "possibly_stuck") {
    return {"record_silence_seconds", "900", "15m 0s"};
  }
  if (name == "app_died") return {"log_silence_seconds", "900", "15m 0s"};
  if (name == "not_started") return {"record_age_seconds", "2400", "40m 0s"};
  if (name == "died_silently") {
    return {"process_gone_since", "600", "1970-01-01 00:10:00 +0000 UTC"};
  }
  if (name == "trainer_crash") {
    return {"disk_full", "2", "2", "errors of the kind disk_full = 2"};
  }
  if (name == "ended_early") {
    return {"newest_step", "34", "34", "newest_step = 34 of 94 planned"};
  }
  return {"actor/some_key", "0.25", "0.25"};
}

TestMoment Firing(int minute, const Signature& row, std::string_view severity) {
  const TestEvidence evidence = EvidenceOf(row.name);
  const std::string first =
      std::string(kTestRun) + ": " + std::string(row.means);
  return {minute,
          {std::string(severity)},
          {std::string(kTestRun) + ": " + FirstSentence(row.means)},
          {first + "\nSince step: 41\nEvidence: " + evidence.text +
           "\nNext: " + std::string(row.next)}};
}

void AddCommon(const Signature& row, AlertTest* test) {
  const std::string label = "signature=\"" + std::string(row.name) + "\"";
  const TestEvidence evidence = EvidenceOf(row.name);
  auto& s = test->series;
  s.push_back({"sums", "rlrun_info", "", "1x160"});
  s.push_back({"sums", "rlrun_signature_since_step", label, "41x160"});
  s.push_back({"sums", "rlrun_signature_evidence",
               label + ",key=\"" + evidence.key + "\"",
               evidence.value + "x160"});
  if (row.name == "ended_early") {
    s.push_back({"sums", "rlrun_total_steps", "", "94x160"});
  }
}

// Minutes 10 to 29 at the first severity, 60 to 79 at the second.
AlertTest LiveTest(const Signature& row) {
  AlertTest test{std::string(row.name),
                 AlertName("", row.name),
                 "signature",
                 std::string(row.name),
                 {},
                 {}};
  AddCommon(row, &test);
  test.series.push_back({"sums", "rlrun_state", "state=\"running\"", "1x160"});
  // The same finding on a run that has ended, and a neighbour without it.
  test.series.push_back({"over", "rlrun_state", "state=\"running\"", "0x160"});
  test.series.push_back({"over", "rlrun_state", "state=\"finished\"", "1x160"});
  test.series.push_back({"calm", "rlrun_state", "state=\"running\"", "1x160"});
  test.moments.push_back({5, {}, {}, {}});
  int start = 10;
  for (const Level level : {Level::kInfo, Level::kWarning, Level::kCritical}) {
    if ((row.severities & LevelBit(level)) == 0) continue;
    const std::string severity(LevelName(level));
    const std::string labels = "signature=\"" + std::string(row.name) +
                               "\",severity=\"" + severity + "\"";
    test.series.push_back({"sums", "rlrun_signature_active", labels,
                           "0x" + std::to_string(start - 1) + " 1x19 0x80"});
    test.series.push_back({"over", "rlrun_signature_active", labels, "1x160"});
    test.series.push_back({"calm", "rlrun_signature_active", labels, "0x160"});
    test.moments.push_back(Firing(start + 5, row, severity));
    test.moments.push_back({start + 36, {}, {}, {}});
    start += 50;
  }
  return test;
}

// From minute 10 on, the log being written until minute 9: silent 2 h later.
AlertTest EndTest(const Signature& row) {
  AlertTest test{std::string(row.name),
                 AlertName("", row.name),
                 "signature",
                 std::string(row.name),
                 {},
                 {}};
  AddCommon(row, &test);
  const std::string severity =
      (row.severities & LevelBit(Level::kCritical)) != 0 ? "critical"
                                                         : "warning";
  const std::string labels = "signature=\"" + std::string(row.name) +
                             "\",severity=\"" + severity + "\"";
  auto& s = test.series;
  s.push_back({"sums", "rlrun_state", "state=\"failed\"", "1x160"});
  s.push_back({"sums", "rlrun_signature_active", labels, "0x9 1x150"});
  s.push_back(
      {"sums", "rlrun_log_modified_timestamp_seconds", "", "0+60x9 540x150"});
  // One that had ended long before it was met.
  s.push_back({"over", "rlrun_signature_active", labels, "1x160"});
  s.push_back(
      {"over", "rlrun_log_modified_timestamp_seconds", "", "-90000x160"});
  test.moments.push_back({5, {}, {}, {}});
  test.moments.push_back(Firing(15, row, severity));
  test.moments.push_back({150, {}, {}, {}});
  return test;
}

AlertTest AliveTest() {
  const Signature row{"stall", LevelBit(Level::kWarning), kAliveMeans,
                      kAliveNext};
  AlertTest test = LiveTest(row);
  test.name = "stall, its process alive";
  test.alert = "RLRunStallProcessAlive";
  test.moments[1].severities = {"critical"};
  test.series.push_back(
      {"sums", "rlrun_process_up", "role=\"trainer\"", "1x160"});
  // Two more that stall: one whose process is gone, one that has none here.
  for (const char* run : {"gone", "elsewhere"}) {
    test.series.push_back({run, "rlrun_state", "state=\"stalled\"", "1x160"});
    test.series.push_back({run, "rlrun_signature_active",
                           "signature=\"stall\",severity=\"warning\"",
                           "1x160"});
  }
  test.series.push_back(
      {"gone", "rlrun_process_up", "role=\"trainer\"", "0x160"});
  return test;
}

}  // namespace

RuleFile SignatureAlerts() {
  RuleFile file{
      "One alert per signature and severity. Windows of steps are the\n"
      "exporter's, hence no `for`; keep_firing_for bridges its restart. Live\n"
      "findings speak of runs that live; an end is told for 2 h.",
      "rlrun-signatures",
      {},
      {}};
  for (const Signature& row : Signatures()) {
    for (const Level level :
         {Level::kInfo, Level::kWarning, Level::kCritical}) {
      if ((row.severities & LevelBit(level)) == 0) continue;
      file.alerts.push_back(MakeAlert(row, LevelName(level)));
    }
    file.tests.push_back(IsOfTheEnd(row.name) ? EndTest(row) : LiveTest(row));
    if (row.name == "stall") {
      file.alerts.push_back(StallAlive());
      file.tests.push_back(AliveTest());
    }
  }
  return file;
}

}  // namespace rlrun::alerts
