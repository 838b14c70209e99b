#include "exporter/metrics/run_block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/judgement_block.h"
#include "exporter/metrics/step_families.h"
#include "exporter/metrics/trial_block.h"

namespace rlrun {
namespace {

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

const RunFamilies& Families() {
  static const RunFamilies families;
  return families;
}

// Words for phases that the contract does not have, of one run.
constexpr std::size_t kMaxOtherPhases = 50;

// Adds samples of one run to a block.
class Writer {
 public:
  explicit Writer(std::string_view common) : common_(common) {
    builder_.Reserve(40, 120);
  }

  void Add(const Header& family, double value) {
    builder_.AddRendered(family, common_, {}, value);
  }
  void Add(const Header& family, std::uint64_t value) {
    Add(family, static_cast<double>(value));
  }
  template <typename T>
  void Add(const Header& family, const std::optional<T>& value) {
    if (value) Add(family, static_cast<double>(*value));
  }
  void Add(const Header& family, std::string_view label, std::string_view text,
           double value) {
    const Label l{label, text};
    builder_.Add(family, common_, {&l, 1}, value);
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
    builder_.Add(Families().info, common_, labels, 1);
  }
  void AddSourceUp(const Run& run) {
    const Header& family = Families().source_up;
    for (const RunSource& source : run.sources) {
      Add(family, "source", source.name, source.up ? 1 : 0);
    }
    if (run.sources.empty()) {
      Add(family, "source", run.source, run.progress.up ? 1 : 0);
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
      Add(family.phase, "phase", KeyLabelValue(current), 1);
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
      Add(family.phase_seconds, "phase", KeyLabelValue(name), seconds);
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
    if (record.rollouts_listed) Add(family.rollouts, record.rollouts);
    if (record.newest.empty()) return;
    const RecordedRollout& newest = record.newest.back();
    Add(family.last_rollout, static_cast<double>(newest.id));
    Add(family.rollout_samples, newest.samples);
    Add(family.rollout_reward, newest.mean_reward);
    Add(family.rollout_seconds, newest.seconds);
  }
  void AddSamples(const RunEvents& events) {
    const SampleProgress* samples = events.current_samples();
    if (samples == nullptr) return;
    const RunFamilies& family = Families();
    Add(family.samples_collected, static_cast<double>(samples->collected));
    Add(family.samples_required, static_cast<double>(samples->required));
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
  SampleBlock Build() { return builder_.Build(); }

 private:
  std::string_view common_;
  BlockBuilder builder_;
};

// Whether console text of the run could be read: only then its errors are
// known, and be it that there are none.
bool ReadsConsole(const Run& run) {
  return HasConsole(run) && (run.progress.up || run.progress.bytes_read != 0);
}

}  // namespace

RunSeries::RunSeries(std::shared_ptr<FamilyTable> table)
    : table_(std::move(table)) {}

RunSeries::~RunSeries() {
  for (const StepKey* key : keys_) {
    if (key != nullptr) table_->Release(key);
  }
  if (trial_budget_ != nullptr) trial_budget_->used -= trial_held_;
}

void RunSeries::AcquireKeys(const Run& run) {
  const std::size_t known = keys_.size();
  const std::size_t count = run.steps.key_count();
  if (known == count) return;
  keys_.reserve(count);
  for (std::size_t i = known; i < count; ++i) {
    keys_.push_back(table_->Acquire(run.steps.key(i)));
    if (keys_[i] != nullptr) order_.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order_.begin(), order_.end(),
            [this](std::uint32_t a, std::uint32_t b) {
              const StepFamily* left = keys_[a]->family;
              const StepFamily* right = keys_[b]->family;
              return left == right ? a < b : left->name < right->name;
            });
  values_.resize(count);
  current_.assign(count, 0);
}

void RunSeries::UpdateCommon(const Run& run) {
  common_.clear();
  std::vector<Label> labels = {{"run", run.identity.run},
                               {"project", run.identity.project}};
  for (const auto& [name, value] : run.labels) {
    // The configuration refuses other names; a broken line would cost the
    // whole scrape.
    if (table_->step_families().AllowsStaticLabel(name)) {
      labels.push_back({name, value});
    }
  }
  AppendLabels(&common_, labels);
}

std::shared_ptr<const SampleBlock> RunSeries::RenderSteps(const Run& run) {
  AcquireKeys(run);
  UpdateCommon(run);
  const bool same_keys = steps_.block() != nullptr &&
                         steps_generation_ == table_->generation() &&
                         steps_common_ == common_;
  if (same_keys && steps_version_ == run.steps.version()) {
    return steps_.block();
  }
  std::fill(current_.begin(), current_.end(), std::uint8_t{0});
  std::size_t i = 0;
  run.steps.ForEachCurrent([&](std::string_view key, double value) {
    while (run.steps.key(i).data() != key.data()) ++i;
    values_[i] = value;
    current_[i] = 1;
  });
  steps_version_ = run.steps.version();
  shown_values_.clear();
  std::size_t before = 0;
  bool same = same_keys;
  for (const std::uint32_t index : order_) {
    if (current_[index] == 0) continue;
    same = same && before < shown_.size() && shown_[before] == index;
    ++before;
    shown_values_.push_back(values_[index]);
  }
  if (same && before == shown_.size()) {
    steps_.Revise(shown_values_);
  } else {
    SetSteps();
  }
  return steps_.block();
}

void RunSeries::SetSteps() {
  shown_.clear();
  BlockBuilder builder;
  builder.Reserve(order_.size(), common_.size() + 64);
  for (const std::uint32_t index : order_) {
    if (current_[index] == 0) continue;
    shown_.push_back(index);
    builder.AddRendered(keys_[index]->family->header, common_,
                        keys_[index]->labels, values_[index]);
  }
  steps_.Set(builder.Build(), shown_values_);
  steps_common_ = common_;
  steps_generation_ = table_->generation();
}

std::shared_ptr<const SampleBlock> RunSeries::RenderJudged(
    const Run& run, std::shared_ptr<const Judgement> judgement) {
  UpdateCommon(run);
  return judged_.Render(std::move(judgement), common_);
}

std::shared_ptr<const SampleBlock> RunSeries::RenderRun(const Run& run) {
  UpdateCommon(run);
  const RunFamilies& family = Families();
  const SourceProgress& progress = run.progress;
  Writer out(common_);
  // In the order of the names, which saves sorting.
  if (run.record != nullptr) {
    out.Add(family.attempts, run.record->record.attempts);
  }
  out.Add(family.baseline, run.durations.baseline());
  const bool has_console = ReadsConsole(run);
  if (has_console) {
    out.Add(family.config_blocks, "outcome", kConfigOutcomeNames,
            progress.config_blocks);
    out.Add(family.engine_lines, run.events.engines_dropped);
  }
  out.Add(family.lines, "outcome", kLineOutcomeNames, progress.lines);
  out.Add(family.bytes_behind, progress.bytes_behind);
  out.Add(family.bytes_lost, progress.bytes_lost);
  out.Add(family.bytes_read, progress.bytes_read);
  out.Add(family.rotations, progress.rotations);
  out.Add(family.truncations, progress.truncations);
  out.Add(family.skipped, "reason", kSkipReasonNames, progress.values_skipped);
  out.AddInfo(run);
  for (std::size_t c = 0; c < kLineClasses; ++c) {
    const auto line_class = static_cast<LineClass>(c);
    const auto step = run.steps.last_step(line_class);
    if (!step) continue;
    out.Add(family.last_step, "line", LineClassName(line_class),
            static_cast<double>(*step));
  }
  if (run.record != nullptr && run.record->progress.current) {
    out.Add(family.last_step, "line", "record",
            static_cast<double>(*run.record->progress.current));
  }
  out.Add(family.last_duration, run.durations.newest());
  out.Add(family.last_step_time, run.last_step_time);
  if (has_console) {
    out.Add(family.errors, "kind", kLogErrorKindNames, run.events.errors);
  }
  if (HasLog(run)) out.Add(family.modified, progress.modified_time);
  if (run.record != nullptr) {
    out.Add(family.record_updated, run.record->updated_at);
  }
  for (const auto& [key, count] : run.steps.nonfinite()) {
    out.Add(family.nonfinite, "key", KeyLabelValue(key),
            static_cast<double>(count));
  }
  out.AddPhases(run);
  out.AddProcesses(run);
  out.Add(family.rewinds, run.steps.rewinds());
  out.AddRollouts(run);
  out.AddSamples(run.events);
  out.AddSourceUp(run);
  out.AddDataSource(run);
  out.Add(family.start_time, run.start_time);
  out.Add(family.total_steps, run.total_steps);
  return std::make_shared<const SampleBlock>(out.Build());
}

std::shared_ptr<const SampleBlock> RunSeries::RenderEngines(const Run& run,
                                                            double now) {
  UpdateCommon(run);
  return engines_.Render(run.events, common_, now, run.steps.budget());
}

std::shared_ptr<const SampleBlock> RunSeries::RenderTrials(
    const Run& run, SeriesBudget* budget) {
  UpdateCommon(run);
  std::size_t most = CountExceptionSeries(*run.trials);
  if (trial_budget_ != nullptr) trial_budget_->used -= trial_held_;
  trial_held_ = 0;
  trial_budget_ = budget;
  if (budget != nullptr) {
    const std::size_t left =
        budget->max > budget->used ? budget->max - budget->used : 0;
    if (most > left) budget->refused += most - left;
    most = std::min(most, left);
  }
  std::size_t written = 0;
  auto block = std::make_shared<const SampleBlock>(
      rlrun::RenderTrials(*run.trials, common_, most, &written));
  if (budget != nullptr) budget->used += trial_held_ = written;
  return block;
}

std::shared_ptr<const SampleBlock> RunSeries::RenderProcesses(const Run& run) {
  UpdateCommon(run);
  Writer out(common_);
  out.AddProcesses(run);
  return std::make_shared<const SampleBlock>(out.Build());
}

}  // namespace rlrun
