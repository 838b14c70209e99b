#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using Spec = NumberSpec<RuleOptions>;
using Group = NumberGroup<RuleOptions>;

constexpr Spec kR3Misalignment[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.r3_points; }},
    {"pearson", [](RuleOptions& o) -> double& { return o.failures.r3_pearson; },
     nullptr},
    {"pearson_proof",
     [](RuleOptions& o) -> double& { return o.failures.r3_pearson_proof; },
     nullptr},
    {"kl", [](RuleOptions& o) -> double& { return o.failures.r3_kl; }, nullptr},
};
constexpr Spec kFrozenModel[] = {
    {"steps", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.frozen_steps; }},
    {"tail_share",
     [](RuleOptions& o) -> double& { return o.failures.frozen_tail_share; },
     nullptr},
};
constexpr Spec kGradStarvation[] = {
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.starvation_window;
     }},
    {"grad",
     [](RuleOptions& o) -> double& { return o.failures.starvation_grad; },
     nullptr},
    {"cap_share",
     [](RuleOptions& o) -> double& { return o.failures.starvation_cap_share; },
     nullptr},
    {"growth",
     [](RuleOptions& o) -> double& { return o.failures.starvation_growth; },
     nullptr},
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.starvation_points;
     }},
};
constexpr Spec kNoSignal[] = {
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.no_signal_window;
     }},
    {"raise", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.no_signal_raise; }},
    {"hold", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.no_signal_hold; }},
    {"all", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.no_signal_all; }},
    {"long_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.no_signal_long_window;
     }},
    {"long_raise", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.no_signal_long_raise;
     }},
    {"long_hold", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.no_signal_long_hold;
     }},
    {"clip_ratio",
     [](RuleOptions& o) -> double& { return o.failures.no_signal_clip_ratio; },
     nullptr},
    {"env_share",
     [](RuleOptions& o) -> double& { return o.failures.no_signal_env_share; },
     nullptr},
};
constexpr Spec kEnvAvalanche[] = {
    {"rises", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.avalanche_rises; }},
    {"share",
     [](RuleOptions& o) -> double& { return o.failures.avalanche_share; },
     nullptr},
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.avalanche_points;
     }},
    {"count",
     [](RuleOptions& o) -> double& { return o.failures.avalanche_count; },
     nullptr},
    {"min_share",
     [](RuleOptions& o) -> double& { return o.failures.avalanche_min_share; },
     nullptr},
    {"recent", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.avalanche_recent;
     }},
    {"before", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.avalanche_before;
     }},
};
constexpr Spec kValFakeZero[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.fake_zero_points;
     }},
    {"reward",
     [](RuleOptions& o) -> double& { return o.failures.fake_zero_reward; },
     nullptr},
};
constexpr Spec kValidationMissing[] = {
    {"overdue",
     [](RuleOptions& o) -> double& { return o.failures.validation_overdue; },
     nullptr},
    {"nonfinite", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.validation_nonfinite;
     }},
};
constexpr Spec kNoToolCallCollapse[] = {
    {"first_turns",
     [](RuleOptions& o) -> double& { return o.failures.tools_first_turns; },
     nullptr},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.tools_window; }},
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.tools_points; }},
    {"turns_share",
     [](RuleOptions& o) -> double& { return o.failures.tools_turns_share; },
     nullptr},
    {"turns_floor",
     [](RuleOptions& o) -> double& { return o.failures.tools_turns_floor; },
     nullptr},
    {"env_share",
     [](RuleOptions& o) -> double& { return o.failures.tools_env_share; },
     nullptr},
    {"timeout_share",
     [](RuleOptions& o) -> double& { return o.failures.tools_timeout_share; },
     nullptr},
    {"alive_share",
     [](RuleOptions& o) -> double& { return o.failures.tools_alive_share; },
     nullptr},
    {"alive_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.tools_alive_window;
     }},
    {"alive_points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.tools_alive_points;
     }},
    {"reward_drop",
     [](RuleOptions& o) -> double& { return o.failures.tools_reward_drop; },
     nullptr},
};
constexpr Spec kCriticStarvation[] = {
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.critic_window; }},
    {"variance",
     [](RuleOptions& o) -> double& { return o.failures.critic_variance; },
     nullptr},
    {"grad", [](RuleOptions& o) -> double& { return o.failures.critic_grad; },
     nullptr},
    {"default_clip",
     [](RuleOptions& o) -> double& { return o.failures.critic_default_clip; },
     nullptr},
    {"edge", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.critic_edge; }},
    {"gain", [](RuleOptions& o) -> double& { return o.failures.critic_gain; },
     nullptr},
};
constexpr Spec kAllNegativeBatchCollapse[] = {
    {"advantage",
     [](RuleOptions& o) -> double& { return o.failures.negative_advantage; },
     nullptr},
    {"run", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.negative_run; }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.negative_window; }},
    {"recent", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.negative_recent; }},
    {"back", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.negative_back; }},
    {"turns",
     [](RuleOptions& o) -> double& { return o.failures.negative_turns; },
     nullptr},
    {"reward_share",
     [](RuleOptions& o) -> double& { return o.failures.negative_reward_share; },
     nullptr},
    {"reward_noise",
     [](RuleOptions& o) -> double& { return o.failures.negative_reward_noise; },
     nullptr},
};
constexpr Spec kDisNotReachingActor[] = {
    {"tolerance",
     [](RuleOptions& o) -> double& { return o.failures.dis_tolerance; },
     nullptr},
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.dis_points; }},
};
constexpr Spec kStepSlowdown[] = {
    {"recent",
     [](RuleOptions& o) -> double& { return o.failures.slowdown_recent; },
     nullptr},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.slowdown_window; }},
    {"before", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.slowdown_before; }},
    {"needed", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.slowdown_needed; }},
    {"first",
     [](RuleOptions& o) -> double& { return o.failures.slowdown_first; },
     nullptr},
    {"long_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.failures.slowdown_long_window;
     }},
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.slowdown_points; }},
};
constexpr Spec kRecords[] = {
    {"silence",
     [](RuleOptions& o) -> double& { return o.failures.record_silence; },
     nullptr},
    {"startup",
     [](RuleOptions& o) -> double& { return o.failures.record_startup; },
     nullptr},
    {"lines", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.record_lines; }},
    {"retries", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.failures.record_retries; }},
};

constexpr Group kGroups[] = {
    {"r3_misalignment", kR3Misalignment},
    {"frozen_model", kFrozenModel},
    {"grad_starvation", kGradStarvation},
    {"no_signal", kNoSignal},
    {"env_avalanche", kEnvAvalanche},
    {"val_fake_zero", kValFakeZero},
    {"validation_missing", kValidationMissing},
    {"no_tool_call_collapse", kNoToolCallCollapse},
    {"critic_starvation", kCriticStarvation},
    {"all_negative_batch_collapse", kAllNegativeBatchCollapse},
    {"dis_not_reaching_actor", kDisNotReachingActor},
    {"step_slowdown", kStepSlowdown},
    {"records", kRecords},
};

}  // namespace

std::span<const NumberGroup<RuleOptions>> FailureNumbers() { return kGroups; }

}  // namespace rlrun
