#include "exporter/metrics/catalogue.h"

#include <algorithm>
#include <map>
#include <string>

namespace rlrun {
namespace {

constexpr FamilyType kGauge = FamilyType::kGauge;
constexpr FamilyType kCounter = FamilyType::kCounter;
constexpr FamilyType kHistogram = FamilyType::kHistogram;
constexpr FamilyScope kRun = FamilyScope::kRun;
constexpr FamilyScope kExporter = FamilyScope::kExporter;

constexpr CatalogueRow kRows[] = {
    // The run.
    {"rlrun_info", kGauge, "", "framework,mode,sources,app_id",
     "Always 1: what the run is and where it is read from.", kRun},
    {"rlrun_source_up", kGauge, "", "source",
     "Whether the source could be read at the last try.", kRun},
    {"rlrun_data_source", kGauge, "", "state",
     "What the decision on a run that W&B keeps files of rests on: wandb_ok, "
     "log_fallback, unreachable; one of them is 1, or none where neither W&B "
     "nor a log can be read.",
     kRun},
    {"rlrun_last_step", kGauge, "", "line",
     "Newest step by class of line: train, val, rollouter, rollout, critic.",
     kRun},
    {"rlrun_total_steps", kGauge, "", "", "Planned steps, where stated.", kRun},
    {"rlrun_start_timestamp_seconds", kGauge, "seconds", "",
     "Unix time at which the run started.", kRun},
    {"rlrun_last_step_timestamp_seconds", kGauge, "seconds", "",
     "Unix time of the newest step.", kRun},
    {"rlrun_log_modified_timestamp_seconds", kGauge, "seconds", "",
     "Unix time at which the log was last written.", kRun},
    {"rlrun_record_updated_timestamp_seconds", kGauge, "seconds", "",
     "Unix time of the newest sign of life in the documents of the run record.",
     kRun},
    {"rlrun_attempts_total", kCounter, "", "",
     "Attempts of the run, as its record counts them.", kRun},
    {"rlrun_rollouts", kGauge, "", "",
     "Rollouts that the run record has summaries of.", kRun},
    {"rlrun_last_rollout_id", kGauge, "", "",
     "Id of the newest recorded rollout, from 0.", kRun},
    {"rlrun_rollout_samples", kGauge, "", "",
     "Samples of the newest recorded rollout.", kRun},
    {"rlrun_rollout_reward_mean", kGauge, "", "",
     "Mean reward of the newest recorded rollout.", kRun},
    {"rlrun_rollout_duration_seconds", kGauge, "seconds", "",
     "Duration of the newest recorded rollout.", kRun},
    {"rlrun_last_step_duration_seconds", kGauge, "seconds", "",
     "Duration of the newest training step.", kRun},
    {"rlrun_baseline_step_duration_seconds", kGauge, "seconds", "",
     "Trailing median of the run's own step durations.", kRun},
    {"rlrun_rewinds_total", kCounter, "", "",
     "Times the training step went backwards.", kRun},
    {"rlrun_nonfinite_values_total", kCounter, "", "key",
     "NaN and infinite values read, by step key (at most 50 keys).", kRun},
    {"rlrun_process_up", kGauge, "", "role",
     "Whether the process of this role, once seen on this host, is alive.",
     kRun},
    {"rlrun_process_start_timestamp_seconds", kGauge, "seconds", "role",
     "Unix time at which the process of this role started.", kRun},
    {"rlrun_process_gpus", kGauge, "", "",
     "GPUs of this host that the processes of the run compute on.", kRun},
    {"rlrun_phase", kGauge, "", "phase",
     "What the run is doing now, of the phases that it has shown.", kRun},
    {"rlrun_phase_seconds_total", kCounter, "seconds", "phase",
     "Time spent in a phase, as lines print it or the run record has it.",
     kRun},
    {"rlrun_samples_collected", kGauge, "", "",
     "Samples that the current step has so far.", kRun},
    {"rlrun_samples_required", kGauge, "", "",
     "Samples that the current step needs.", kRun},
    {"rlrun_log_errors_total", kCounter, "", "kind",
     "Errors that the log tells of, by kind.", kRun},
    {"rlrun_engine_prompt_tokens_per_second", kGauge, "", "engine",
     "Prompt tokens per second of an inference engine, newest line.", kRun},
    {"rlrun_engine_generation_tokens_per_second", kGauge, "", "engine",
     "Generated tokens per second of an inference engine, newest line.", kRun},
    {"rlrun_engine_kv_cache_usage_ratio", kGauge, "ratio", "engine",
     "Used share of an inference engine's KV cache, 0 to 1.", kRun},
    {"rlrun_engine_prefix_cache_hit_ratio", kGauge, "ratio", "engine",
     "Hit rate of an inference engine's prefix cache, 0 to 1.", kRun},
    {"rlrun_engine_requests", kGauge, "", "engine,state",
     "Requests of an inference engine that are running or waiting.", kRun},
    // What is held of it.
    {"rlrun_state", kGauge, "", "state",
     "What the run is in: starting, running, stalled, finished, failed, "
     "interrupted, lost; one of them is 1.",
     kRun},
    {"rlrun_health", kGauge, "", "level",
     "How the run fares: healthy, at_risk, critical; one of them is 1.", kRun},
    {"rlrun_decision", kGauge, "", "decision",
     "What its training quality speaks for: continue, wait, stop; one of them "
     "is 1. Absent once the run has ended.",
     kRun},
    {"rlrun_signature_active", kGauge, "", "signature,severity",
     "Whether the signature is matched at this severity. Absent where it does "
     "not apply.",
     kRun},
    {"rlrun_signature_evidence", kGauge, "", "signature,key",
     "Newest value of each key that an active signature rests on (at most 4).",
     kRun},
    {"rlrun_signature_since_step", kGauge, "", "signature",
     "Training step at which an active signature was matched.", kRun},
    {"rlrun_signature_activations_total", kCounter, "", "signature",
     "Times the signature became active.", kRun},
    {"rlrun_check_failing_steps", kGauge, "", "check",
     "Newest steps in a row that lie outside the healthy range of the check.",
     kRun},
    {"rlrun_check_threshold", kGauge, "", "check,bound",
     "Bound of the healthy range that is in force for the run: min, max.",
     kRun},
    // Its trials.
    {"rlrun_trials", kGauge, "", "split,state",
     "Trial directories without a result: running, stuck.", kRun},
    {"rlrun_trials_finished_total", kCounter, "", "split,reason",
     "Trials that have ended, by why.", kRun},
    {"rlrun_trials_scored_total", kCounter, "", "split",
     "Trials that have a reward; one without is missing, not 0.", kRun},
    {"rlrun_trials_solved_total", kCounter, "", "split",
     "Trials with a reward above 0.", kRun},
    {"rlrun_trial_reward", kHistogram, "", "split",
     "Rewards of scored trials. They may be negative, so that the sum may "
     "fall.",
     kRun},
    {"rlrun_trial_duration_seconds", kHistogram, "seconds", "split,stage",
     "Duration of finished trials by stage.", kRun},
    {"rlrun_trial_exceptions_total", kCounter, "", "split,exception",
     "Exceptions that trials ended with, by type (at most 50 of a split).",
     kRun},
    {"rlrun_trial_tokens_total", kCounter, "", "split,kind",
     "Tokens of finished trials.", kRun},
    {"rlrun_trials_dropped_total", kCounter, "", "split,reason",
     "Trajectories that the trainer dropped, by why.", kRun},
    {"rlrun_trials_scan_complete", kGauge, "", "",
     "Whether the trial directories have been walked through once; before that "
     "there is no other series of trials.",
     kRun},
    // How the exporter reads the run.
    {"rlrun_exporter_trial_errors_total", kCounter, "", "kind",
     "Results of trials and lines of dropped ones that cannot be read.", kRun},
    {"rlrun_exporter_config_blocks_total", kCounter, "", "outcome",
     "Dicts in the log that look like a trainer's config, by what became of "
     "them.",
     kRun},
    {"rlrun_exporter_engine_lines_dropped_total", kCounter, "", "",
     "Lines of inference engines beyond the 256 that a run may have.", kRun},
    {"rlrun_exporter_log_bytes_read_total", kCounter, "", "",
     "Bytes of the log read by this process.", kRun},
    {"rlrun_exporter_log_bytes_behind", kGauge, "", "",
     "Bytes of the log not read yet.", kRun},
    {"rlrun_exporter_lines_total", kCounter, "", "outcome",
     "Lines of the log by what became of them.", kRun},
    {"rlrun_exporter_values_skipped_total", kCounter, "", "reason",
     "Values of step lines that were not taken.", kRun},
    {"rlrun_exporter_log_bytes_lost_total", kCounter, "", "",
     "Bytes that were written to a file after it was rotated away, too late to "
     "be read.",
     kRun},
    {"rlrun_exporter_log_rotations_total", kCounter, "", "",
     "Times the log was replaced by another file.", kRun},
    {"rlrun_exporter_log_truncations_total", kCounter, "", "",
     "Times the log became shorter than what was read of it.", kRun},
    // The exporter.
    {"rlrun_exporter_build_info", kGauge, "", "version,revision",
     "Always 1: which exporter this is.", kExporter},
    {"rlrun_exporter_shards", kGauge, "", "shard",
     "Exporters that the runs are divided among, as this shard was told; "
     "absent "
     "without --shard.",
     kExporter},
    {"rlrun_exporter_runs", kGauge, "", "", "Runs that are exposed.",
     kExporter},
    {"rlrun_exporter_series", kGauge, "", "", "Series of all runs together.",
     kExporter},
    {"rlrun_exporter_series_dropped_total", kCounter, "", "reason",
     "Values of new step, engine and exception series refused by a cap.",
     kExporter},
    {"rlrun_exporter_files", kGauge, "", "outcome",
     "Files found below the roots by what they are.", kExporter},
    {"rlrun_exporter_root_up", kGauge, "", "root",
     "Whether the root could be listed at the last try.", kExporter},
    {"rlrun_exporter_name_collisions_total", kCounter, "", "",
     "Runs that claimed the project and name of another run.", kExporter},
    {"rlrun_exporter_tick_duration_seconds", kHistogram, "seconds", "",
     "Duration of one pass over everything that is followed.", kExporter},
    {"rlrun_exporter_config_last_reload_successful", kGauge, "", "",
     "Whether the last load of the configuration succeeded.", kExporter},
    {"rlrun_exporter_config_last_reload_success_timestamp_seconds", kGauge,
     "seconds", "", "Unix time of the last successful load.", kExporter},
    {"rlrun_exporter_scrape_errors_total", kCounter, "", "",
     "Scrapes that were answered with an error.", kExporter},
    // The process, under the names that every Prometheus client uses.
    {"process_cpu_seconds_total", kCounter, "seconds", "",
     "Total user and system CPU time spent in seconds.", kExporter},
    {"process_resident_memory_bytes", kGauge, "bytes", "",
     "Resident memory size in bytes.", kExporter},
    {"process_virtual_memory_bytes", kGauge, "bytes", "",
     "Virtual memory size in bytes.", kExporter},
    {"process_open_fds", kGauge, "", "", "Number of open file descriptors.",
     kExporter},
    {"process_max_fds", kGauge, "", "",
     "Maximum number of open file descriptors.", kExporter},
    {"process_start_time_seconds", kGauge, "seconds", "",
     "Start time of the process since unix epoch in seconds.", kExporter},
};

}  // namespace

std::span<const CatalogueRow> Catalogue() { return kRows; }

std::shared_ptr<const FamilyHeader> Family(std::string_view name) {
  static const auto headers = [] {
    std::map<std::string_view, std::shared_ptr<const FamilyHeader>> map;
    for (const CatalogueRow& row : kRows) {
      map[row.name] = std::make_shared<const FamilyHeader>(
          FamilyHeader{std::string(row.name), row.type, std::string(row.help),
                       std::string(row.unit)});
    }
    return map;
  }();
  const auto it = headers.find(name);
  return it == headers.end() ? nullptr : it->second;
}

bool IsCatalogueLabel(std::string_view name) {
  if (name == "run" || name == "project" || name == "key" || name == "le") {
    return true;
  }
  for (const CatalogueRow& row : kRows) {
    std::string_view rest = row.labels;
    while (!rest.empty()) {
      const std::string_view label = rest.substr(0, rest.find(','));
      if (label == name) return true;
      rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    }
  }
  return false;
}

}  // namespace rlrun
