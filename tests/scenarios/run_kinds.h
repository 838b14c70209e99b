// The kinds of sample runs, one function each. Internal to sample_run.
#pragma once

#include "tests/scenarios/sample_run.h"

namespace rlrun::scenarios {

SampleRun MakeSyncRun(const RunOptions& options);
SampleRun MakeAsyncRun(const RunOptions& options);
SampleRun MakeSftRun(const RunOptions& options);

}  // namespace rlrun::scenarios
