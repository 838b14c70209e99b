// Every number of the rules by the names of the configuration:
// `rules.<check or signature>.<number>`. One table per family of rules.
// Pure; safe from any thread.
#pragma once

#include <span>

#include "exporter/config/number_spec.h"
#include "exporter/signatures/options.h"

namespace rlrun {

std::span<const NumberGroup<RuleOptions>> CheckNumbers();
std::span<const NumberGroup<RuleOptions>> FailureNumbers();
std::span<const NumberGroup<RuleOptions>> QualityNumbers();
std::span<const NumberGroup<RuleOptions>> TimeNumbers();

}  // namespace rlrun
