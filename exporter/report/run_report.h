// The status report of one run as values: signatures.md, "The status report".
// Made once from what the store and the judge hold; text, JSON and pages are
// written from it alone.
// Plain data; MakeRunReport is pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/report_numbers.h"
#include "exporter/report/trend.h"
#include "exporter/signatures/history.h"
#include "exporter/signatures/judgement.h"
#include "exporter/signatures/options.h"
#include "exporter/store/run.h"

namespace rlrun {

struct ReportSource {
  std::string name;  // `log`, `jsonl`, ...: the label `source`
  std::string path;
  bool up = false;
  // Files that were read one after the other, `path` the first of them.
  std::size_t files = 1;
  std::string newest_path = {};  // of several files
};

struct ReportProcess {
  std::string role;                  // `runner`, `trainer`
  std::optional<std::int64_t> pid;   // absent: seen here, and gone
  std::optional<double> start_time;  // Unix seconds
};

// What a report is made of. Times are Unix seconds.
struct ReportInput {
  const Run& run;
  const History& history;
  const Judgement& judgement;
  const RunRules& rules;
  double now = 0;
  std::vector<ReportSource> sources;
  std::vector<ReportProcess> processes;  // that were ever seen here
  std::optional<std::int64_t> gpus;
  std::optional<double> phase_since;
  // Of the text's last stamp, where it stands beside the newest step and the
  // text was never seen to grow: how long the run was written.
  std::optional<double> last_stamp = {};
};

struct ReportValue {
  std::string label;  // as the report shows it
  std::string key;    // verbatim
  double value = 0;
  std::optional<std::int64_t> step;
};

// Bytes of a log's line that a report quotes.
inline constexpr std::size_t kMaxLogText = 200;

// One line of values. Its values come in the order in which they are shown.
struct ReportLine {
  std::string_view name;  // `reward`, `grads`, `critic`, `traj`, `val`, `also`
  std::vector<ReportValue> values;
  std::string note;  // shown behind the values; may be empty
};

// Of its trial directories, all splits together.
struct ReportTrials {
  bool complete = false;  // else the first walk is under way: nothing is known
  std::uint64_t finished = 0, scored = 0, solved = 0;
  std::uint64_t running = 0, stuck = 0;
  std::optional<double> reward_mean;             // of the scored ones
  std::map<std::string, std::uint64_t> reasons;  // why they ended
  std::map<std::string, std::uint64_t> dropped;  // why the trainer dropped them
};

// Of its run record.
struct ReportRollouts {
  std::optional<std::uint64_t> count;   // absent: nobody counts them
  std::vector<RecordedRollout> newest;  // known ones, at most 5, by id
};

struct RunReport {
  std::string project, run, framework, mode, path;
  // Of its run record; empty: not stated. Names that --run takes as well.
  std::string run_id, app_id, metric_run_id;
  std::vector<ReportSource> sources;

  RunState state = RunState::kStarting;
  std::string state_reason;
  Health health = Health::kHealthy;
  std::optional<Decision> decision;
  std::string decision_reason;
  std::string headline;  // one line, without a mark

  std::optional<std::int64_t> step, total_steps;
  std::optional<double> epoch;
  std::string phase;  // empty: not known
  std::optional<double> phase_seconds;
  std::optional<double> start_time, last_step_time, modified_time;
  std::optional<double> running_seconds;   // until now, or the last write
  std::optional<double> seconds_per_step;  // mean of averaged_steps
  std::size_t averaged_steps = 0;          // the last ones, at most 10
  // Trainers count validation and checkpoint in: the curve of step times, and
  // the rules, take them off again.
  bool steps_hold_more = false;
  std::optional<double> silence_seconds;  // since the last write

  std::vector<ReportProcess> processes;
  std::optional<std::int64_t> gpus;
  std::optional<std::int64_t> attempts;
  std::optional<double> record_seconds;    // since its record was updated
  std::optional<ReportRollouts> rollouts;  // absent: it has no record
  std::optional<ReportTrials> trials;      // absent: there are no trials
  std::vector<ReportLine> lines;           // those that have something to show
  std::optional<Trend> reward_trend;
  std::string log_text;     // redacted, one line, at most 200 bytes
  std::string data_source;  // `log`, `unreachable`, ...
  std::string baseline;

  std::vector<Finding> findings;  // those that apply, active or not
  std::vector<CheckResult> checks;
  std::vector<Recovered> recovered;
  std::vector<std::string> recommendations;  // at most 3
  std::vector<std::string> thin;  // why the evidence is thin; empty: it is not
  std::vector<std::string> unknown;  // facts that no source states
};

RunReport MakeRunReport(const ReportInput& input);

}  // namespace rlrun
