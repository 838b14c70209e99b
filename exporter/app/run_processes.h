// Between runs and the processes of this host: what is known of a run for
// finding its processes, and what was found for showing it.
// Pure functions.
#pragma once

#include "exporter/app/run_group.h"
#include "exporter/app/run_joins.h"
#include "exporter/process/process_report.h"
#include "exporter/store/process_facts.h"

namespace rlrun {

// The sources of the run that its processes write; those of older executions
// and copies that others write are left out. `id`: the group's.
RunKey MakeRunKey(const RunGroup& group);
// The same of a run of another exporter; its id is no group's.
RunKey MakeRunKey(const RunElsewhere& run);

ProcessFacts MakeProcessFacts(const RunProcesses& found);

}  // namespace rlrun
