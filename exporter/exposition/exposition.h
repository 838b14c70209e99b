// The Prometheus text exposition, versions 0.0.4 and OpenMetrics 1.0: escaping,
// UTF-8 repair, numbers, family headers, and the assembly of samples that were
// rendered once and are sent many times. Knows nothing of runs.
// All functions are pure; safe to call from any thread.
#pragma once

#include "exporter/exposition/collected.h"
#include "exporter/exposition/family.h"
#include "exporter/exposition/gzip.h"
#include "exporter/exposition/negotiate.h"
#include "exporter/exposition/sample_block.h"
#include "exporter/exposition/text.h"
