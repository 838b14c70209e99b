// The series of a run's trial directories. Looks at the totals; decides nothing
// about them.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "exporter/exposition/sample_block.h"
#include "exporter/store/trial_totals.h"

namespace rlrun {

// `common`: text of AppendLabels, the labels that every series of the run
// carries. At most `max_exceptions` series of exceptions, the most frequent
// first; *exceptions is how many are written. While the first walk is under way
// there is nothing but that.
SampleBlock RenderTrials(const TrialTotals& totals, std::string_view common,
                         std::size_t max_exceptions, std::size_t* exceptions);

// Series of exceptions that RenderTrials would write without a limit.
std::size_t CountExceptionSeries(const TrialTotals& totals);

}  // namespace rlrun
