// The series of a run's inference engines as text: those whose newest line is
// not older than kEngineLifetime. They count against the ceiling of all series.
// Not thread-safe; only the thread that runs Tick touches it. The blocks it
// gives out are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "exporter/exposition/sample_block.h"
#include "exporter/store/run_events.h"
#include "exporter/store/step_state.h"

namespace rlrun {

class EngineSeries {
 public:
  EngineSeries() = default;
  ~EngineSeries();  // gives its share of the budget back
  EngineSeries(const EngineSeries&) = delete;
  EngineSeries& operator=(const EngineSeries&) = delete;

  // `common`: text of the labels of the run; `now`: Unix seconds; `budget` may
  // be null, and is always the same one, which outlives this object. Values
  // beyond it are counted in it. The same block as last time where nothing has
  // changed.
  std::shared_ptr<const SampleBlock> Render(const RunEvents& events,
                                            std::string_view common, double now,
                                            SeriesBudget* budget);

 private:
  SeriesBudget* budget_ = nullptr;
  std::size_t held_ = 0;                      // of the budget
  std::shared_ptr<const SampleBlock> block_;  // last one given out, made from:
  std::string common_;
  std::uint64_t version_ = 0;
  std::size_t current_ = 0;  // engines
};

}  // namespace rlrun
