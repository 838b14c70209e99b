#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using Spec = NumberSpec<RuleOptions>;
using Group = NumberGroup<RuleOptions>;

constexpr Spec kStall[] = {
    {"silence", [](RuleOptions& o) -> double& { return o.times.stall_silence; },
     nullptr},
    {"factor", [](RuleOptions& o) -> double& { return o.times.stall_factor; },
     nullptr},
};
constexpr Spec kNoProgress[] = {
    {"silence", [](RuleOptions& o) -> double& { return o.times.no_progress; },
     nullptr},
    {"steps",
     [](RuleOptions& o) -> double& { return o.times.no_progress_steps; },
     nullptr},
    {"first_step", [](RuleOptions& o) -> double& { return o.times.first_step; },
     nullptr},
    {"pause", [](RuleOptions& o) -> double& { return o.times.pause; }, nullptr},
    {"pause_factor",
     [](RuleOptions& o) -> double& { return o.times.pause_factor; }, nullptr},
};
constexpr Spec kTrainerCrash[] = {
    {"silence", [](RuleOptions& o) -> double& { return o.times.crash_silence; },
     nullptr},
};
constexpr Spec kDiedSilently[] = {
    {"grace", [](RuleOptions& o) -> double& { return o.times.died_grace; },
     nullptr},
};
constexpr Spec kEndedEarly[] = {
    {"slack", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.times.total_slack; }},
};
constexpr Spec kLost[] = {
    {"silence", [](RuleOptions& o) -> double& { return o.times.lost_silence; },
     nullptr},
};
constexpr Spec kDecision[] = {
    {"steps", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.times.decision_steps; }},
};

constexpr Group kGroups[] = {
    {"stall", kStall},
    {"no_progress", kNoProgress},
    {"trainer_crash", kTrainerCrash},
    {"died_silently", kDiedSilently},
    {"ended_early", kEndedEarly},
    {"lost", kLost},
    {"decision", kDecision},
};

}  // namespace

std::span<const NumberGroup<RuleOptions>> TimeNumbers() { return kGroups; }

}  // namespace rlrun
