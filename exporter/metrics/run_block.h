// The series of one run as text: its current step values, and what is known of
// the run itself. Looks at the store's structs; decides nothing about them.
// Not thread-safe; only the thread that runs Tick touches it. The blocks it
// gives out are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exporter/exposition/repeated_block.h"
#include "exporter/exposition/sample_block.h"
#include "exporter/exposition/sample_shape.h"
#include "exporter/metrics/engine_series.h"
#include "exporter/metrics/family_table.h"
#include "exporter/metrics/judgement_block.h"
#include "exporter/signatures/judgement.h"
#include "exporter/store/run.h"

namespace rlrun {

// Belongs to one Run for its whole life: always call it with the same one.
class RunSeries {
 public:
  explicit RunSeries(std::shared_ptr<FamilyTable> table);
  ~RunSeries();  // releases its keys
  RunSeries(const RunSeries&) = delete;
  RunSeries& operator=(const RunSeries&) = delete;

  // Tells the table of the keys that the run has got since the last call. Call
  // it for every run before the first one is rendered, so that a collision
  // shows in all of them at once.
  void AcquireKeys(const Run& run);

  // The current step series. The same block as last time where nothing that it
  // shows has changed, else a new one.
  std::shared_ptr<const SampleBlock> RenderSteps(const Run& run);

  // Asks for the memory that the three that follow will touch; twice, a while
  // apart.
  void Prefetch(std::size_t stage) const;

  // What is held of the run.
  std::shared_ptr<const SampleBlock> RenderJudged(const Run& run,
                                                  const Judgement& judgement);

  // The run's own families and the exporter's about it. What is not known has
  // no sample.
  std::shared_ptr<const SampleBlock> RenderRun(const Run& run);

  // Its engines at `now`, Unix seconds.
  std::shared_ptr<const SampleBlock> RenderEngines(const Run& run, double now);

  // Its trial directories, run.trials, which is not null. Series of exceptions
  // take their share of `budget` (may be null, outlives this).
  std::shared_ptr<const SampleBlock> RenderTrials(const Run& run,
                                                  SeriesBudget* budget);

  // Only what is known of its processes, which RenderRun shows as well.
  std::shared_ptr<const SampleBlock> RenderProcesses(const Run& run);

 private:
  // Text of the labels that every series of the run carries; static ones are
  // the same for its whole life.
  void UpdateCommon(const Run& run);
  // All of the current step series anew.
  void SetSteps();

  std::shared_ptr<FamilyTable> table_;
  std::vector<const StepKey*> keys_;  // by index in StepState; null: hidden
  std::vector<std::uint32_t> order_;  // indices of keys_ by family name
  RunIdentity identity_;              // as common_ has it
  std::string common_;
  std::vector<double> values_;         // of the keys that are current,
  std::vector<std::uint8_t> current_;  // marked here; both by index

  EngineSeries engines_;
  SeriesBudget* trial_budget_ = nullptr;
  std::size_t trial_held_ = 0;  // of trial_budget_

  RepeatedBlock steps_;               // last one given out, made from:
  std::vector<std::uint32_t> shown_;  // indices of keys_, in its order
  std::string steps_common_;
  std::uint64_t steps_version_ = 0;
  std::uint64_t steps_generation_ = 0;
  std::vector<double> shown_values_;

  RepeatedBlock run_;  // last one given out, of the samples and labels:
  SampleShape run_shape_;
  std::string run_common_;

  JudgementBlock judged_;
};

}  // namespace rlrun
