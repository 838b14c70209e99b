// Which samples a run has, but for its steps and what is held of it: the run's
// own families and the exporter's about it. What is not known has no sample.
// Part of run_block.cc, which has them rendered. Safe from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/step_families.h"
#include "exporter/store/run.h"

namespace rlrun {

using Header = std::shared_ptr<const FamilyHeader>;

// The families of a run, looked up once.
struct RunFamilies {
  Header attempts = Family("rlrun_attempts_total");
  Header baseline = Family("rlrun_baseline_step_duration_seconds");
  Header config_blocks = Family("rlrun_exporter_config_blocks_total");
  Header engine_lines = Family("rlrun_exporter_engine_lines_dropped_total");
  Header lines = Family("rlrun_exporter_lines_total");
  Header bytes_behind = Family("rlrun_exporter_log_bytes_behind");
  Header bytes_read = Family("rlrun_exporter_log_bytes_read_total");
  Header rotations = Family("rlrun_exporter_log_rotations_total");
  Header bytes_lost = Family("rlrun_exporter_log_bytes_lost_total");
  Header truncations = Family("rlrun_exporter_log_truncations_total");
  Header skipped = Family("rlrun_exporter_values_skipped_total");
  Header info = Family("rlrun_info");
  Header last_rollout = Family("rlrun_last_rollout_id");
  Header last_step = Family("rlrun_last_step");
  Header last_duration = Family("rlrun_last_step_duration_seconds");
  Header last_step_time = Family("rlrun_last_step_timestamp_seconds");
  Header errors = Family("rlrun_log_errors_total");
  Header modified = Family("rlrun_log_modified_timestamp_seconds");
  Header nonfinite = Family("rlrun_nonfinite_values_total");
  Header phase = Family("rlrun_phase");
  Header phase_seconds = Family("rlrun_phase_seconds_total");
  Header process_gpus = Family("rlrun_process_gpus");
  Header process_start = Family("rlrun_process_start_timestamp_seconds");
  Header process_up = Family("rlrun_process_up");
  Header record_updated = Family("rlrun_record_updated_timestamp_seconds");
  Header rewinds = Family("rlrun_rewinds_total");
  Header rollout_reward = Family("rlrun_rollout_reward_mean");
  Header rollout_samples = Family("rlrun_rollout_samples");
  Header rollout_seconds = Family("rlrun_rollout_duration_seconds");
  Header rollouts = Family("rlrun_rollouts");
  Header samples_collected = Family("rlrun_samples_collected");
  Header samples_required = Family("rlrun_samples_required");
  Header source_up = Family("rlrun_source_up");
  Header data_source = Family("rlrun_data_source");
  Header start_time = Family("rlrun_start_timestamp_seconds");
  Header total_steps = Family("rlrun_total_steps");
};

inline const RunFamilies& Families() {
  static const RunFamilies families;
  return families;
}

// Words for phases that the contract does not have, of one run.
constexpr std::size_t kMaxOtherPhases = 50;

// Whether console text of the run could be read: only then its errors are
// known, and be it that there are none.
inline bool ReadsConsole(const Run& run) {
  return HasConsole(run) && (run.progress.up || run.progress.bytes_read != 0);
}

// Tells `sink` of the samples of one run. Of a label's text a sink is told
// whether it stays where it is.
template <typename Sink>
class RunSamples {
 public:
  explicit RunSamples(Sink* sink) : sink_(sink) {}

  // Families in the order of their names: a RepeatedBlock needs that.
  void AddAll(const Run& run) {
    const RunFamilies& family = Families();
    const SourceProgress& progress = run.progress;
    if (run.record != nullptr) {
      Add(family.attempts, run.record->record.attempts);
    }
    Add(family.baseline, run.durations.baseline());
    AddDataSource(run);
    const bool has_console = ReadsConsole(run);
    if (has_console) {
      Add(family.config_blocks, "outcome", kConfigOutcomeNames,
          progress.config_blocks);
      Add(family.engine_lines, run.events.engines_dropped);
    }
    Add(family.lines, "outcome", kLineOutcomeNames, progress.lines);
    Add(family.bytes_behind, progress.bytes_behind);
    Add(family.bytes_lost, progress.bytes_lost);
    Add(family.bytes_read, progress.bytes_read);
    Add(family.rotations, progress.rotations);
    Add(family.truncations, progress.truncations);
    Add(family.skipped, "reason", kSkipReasonNames, progress.values_skipped);
    AddInfo(run);
    AddNewestRollout(run);
    for (std::size_t c = 0; c < kLineClasses; ++c) {
      const auto line_class = static_cast<LineClass>(c);
      const auto step = run.steps.last_step(line_class);
      if (!step) continue;
      Add(family.last_step, "line", LineClassName(line_class),
          static_cast<double>(*step));
    }
    if (run.record != nullptr && run.record->progress.current) {
      Add(family.last_step, "line", "record",
          static_cast<double>(*run.record->progress.current));
    }
    Add(family.last_duration, run.durations.newest());
    Add(family.last_step_time, run.last_step_time);
    if (has_console) {
      Add(family.errors, "kind", kLogErrorKindNames, run.events.errors);
    }
    if (HasLog(run)) Add(family.modified, progress.modified_time);
    for (const auto& [key, count] : run.steps.nonfinite()) {
      AddText(family.nonfinite, "key", KeyLabelValue(key),
              static_cast<double>(count));
    }
    AddPhases(run);
    AddProcesses(run);
    if (run.record != nullptr) {
      Add(family.record_updated, run.record->updated_at);
    }
    Add(family.rewinds, run.steps.rewinds());
    AddRollouts(run);
    AddSamples(run.events);
    AddSourceUp(run);
    Add(family.start_time, run.start_time);
    Add(family.total_steps, run.total_steps);
  }
  // A role that was never seen here, or whose end is not certain, has no
  // sample.
  void AddProcesses(const Run& run) {
    if (!run.processes) return;
    const RunFamilies& family = Families();
    Add(family.process_gpus, run.processes->gpus);
    const std::array<std::pair<std::string_view, const ProcessFact*>, 2> roles =
        {std::pair{"trainer", &run.processes->trainer},
         std::pair{"runner", &run.processes->runner}};
    for (const auto& [role, fact] : roles) {
      if (!fact->alive() && !fact->died()) continue;
      if (fact->start_time) {
        Add(family.process_start, "role", role, *fact->start_time);
      }
    }
    for (const auto& [role, fact] : roles) {
      if (!fact->alive() && !fact->died()) continue;
      Add(family.process_up, "role", role, fact->alive() ? 1 : 0);
    }
  }

 private:
  void Add(const Header& family, double value) { sink_->Add(family, value); }
  void Add(const Header& family, std::uint64_t value) {
    Add(family, static_cast<double>(value));
  }
  template <typename T>
  void Add(const Header& family, const std::optional<T>& value) {
    if (value) Add(family, static_cast<double>(*value));
  }
  void Add(const Header& family, std::string_view label, std::string_view text,
           double value) {
    sink_->Add(family, {label, text}, value);
  }
  void AddText(const Header& family, std::string_view label,
               std::string_view text, double value) {
    sink_->AddText(family, {label, text}, value);
  }
  // One sample per name of a closed set.
  template <std::size_t N>
  void Add(const Header& family, std::string_view label,
           const std::array<std::string_view, N>& names,
           const std::array<std::uint64_t, N>& values) {
    for (std::size_t i = 0; i < N; ++i) {
      Add(family, label, names[i], static_cast<double>(values[i]));
    }
  }
  void AddInfo(const Run& run) {
    std::string sources;
    for (const RunSource& source : run.sources) {
      if (!sources.empty()) sources += ",";
      sources += source.name;
    }
    if (sources.empty()) sources = run.source;
    const std::array<Label, 4> labels = {
        Label{"framework", run.framework}, Label{"mode", RunModeName(run.mode)},
        Label{"sources", sources},
        Label{"app_id", run.record != nullptr
                            ? std::string_view(run.record->record.app_id)
                            : std::string_view()}};
    sink_->AddTexts(Families().info, labels, 1);
  }
  void AddSourceUp(const Run& run) {
    const Header& family = Families().source_up;
    for (const RunSource& source : run.sources) {
      AddText(family, "source", source.name, source.up ? 1 : 0);
    }
    if (run.sources.empty()) {
      AddText(family, "source", run.source, run.progress.up ? 1 : 0);
    }
  }
  // Of a run without W&B it says no more than rlrun_source_up does.
  void AddDataSource(const Run& run) {
    if (!run.had_wandb) return;
    for (const std::string_view state :
         {"wandb_ok", "log_fallback", "unreachable"}) {
      Add(Families().data_source, "state", state,
          run.data_source == state ? 1 : 0);
    }
  }
  // In the order of the contract, then words that it does not have.
  void AddPhases(const Run& run) {
    const RunFamilies& family = Families();
    const std::string_view current = CurrentPhase(run);
    for (std::size_t p = 0; p < kRunPhases; ++p) {
      const std::string_view name = kRunPhaseNames[p];
      const bool shown = ((run.events.phases_shown >> p) & 1u) != 0 ||
                         current == name || RecordedSeconds(run, name);
      if (shown) Add(family.phase, "phase", name, current == name ? 1 : 0);
    }
    if (!current.empty() && !IsKnownPhase(current)) {
      AddText(family.phase, "phase", KeyLabelValue(current), 1);
    }
    for (std::size_t p = 0; p < kRunPhases; ++p) {
      std::optional<double> seconds = run.events.phase_seconds[p];
      if (!seconds) seconds = RecordedSeconds(run, kRunPhaseNames[p]);
      if (!seconds) continue;
      Add(family.phase_seconds, "phase", kRunPhaseNames[p], *seconds);
    }
    if (run.record == nullptr) return;
    std::size_t others = 0;
    for (const auto& [name, seconds] : run.record->phase_seconds) {
      if (IsKnownPhase(name) || name.empty() || ++others > kMaxOtherPhases) {
        continue;
      }
      AddText(family.phase_seconds, "phase", KeyLabelValue(name), seconds);
    }
  }
  static bool IsKnownPhase(std::string_view name) {
    return std::find(kRunPhaseNames.begin(), kRunPhaseNames.end(), name) !=
           kRunPhaseNames.end();
  }
  static std::optional<double> RecordedSeconds(const Run& run,
                                               std::string_view name) {
    if (run.record == nullptr) return std::nullopt;
    const auto it = run.record->phase_seconds.find(std::string(name));
    return it == run.record->phase_seconds.end() ? std::nullopt
                                                 : std::optional(it->second);
  }
  void AddRollouts(const Run& run) {
    if (run.record == nullptr) return;
    const RunFamilies& family = Families();
    const RecordedRun& record = *run.record;
    if (!record.newest.empty()) {
      const RecordedRollout& newest = record.newest.back();
      Add(family.rollout_seconds, newest.seconds);
      Add(family.rollout_reward, newest.mean_reward);
      Add(family.rollout_samples, newest.samples);
    }
    if (record.rollouts_listed) Add(family.rollouts, record.rollouts);
  }
  void AddNewestRollout(const Run& run) {
    if (run.record == nullptr || run.record->newest.empty()) return;
    Add(Families().last_rollout,
        static_cast<double>(run.record->newest.back().id));
  }
  void AddSamples(const RunEvents& events) {
    const SampleProgress* samples = events.current_samples();
    if (samples == nullptr) return;
    const RunFamilies& family = Families();
    Add(family.samples_collected, static_cast<double>(samples->collected));
    Add(family.samples_required, static_cast<double>(samples->required));
  }

  Sink* sink_;
};

}  // namespace rlrun
