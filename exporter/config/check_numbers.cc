#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using Spec = NumberSpec<RuleOptions>;
using Group = NumberGroup<RuleOptions>;

constexpr Spec kRoutingReplayPearson[] = {
    {"bound",
     [](RuleOptions& o) -> double& {
       return o.checks.routing_replay_pearson.bound;
     },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.routing_replay_pearson.alert_after;
     }},
};
constexpr Spec kActorLr[] = {
    {"bound", [](RuleOptions& o) -> double& { return o.checks.actor_lr.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.actor_lr.alert_after;
     }},
    {"tolerance",
     [](RuleOptions& o) -> double& { return o.checks.actor_lr_tolerance; },
     nullptr},
    {"last_part",
     [](RuleOptions& o) -> double& { return o.checks.actor_lr_last_part; },
     nullptr},
};
constexpr Spec kActorGradNorm[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.actor_grad_norm.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.actor_grad_norm.alert_after;
     }},
};
constexpr Spec kRewardNonzero[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.reward_nonzero.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.reward_nonzero.alert_after;
     }},
};
constexpr Spec kNumTurns[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.num_turns.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.num_turns.alert_after;
     }},
    {"floor",
     [](RuleOptions& o) -> double& { return o.checks.num_turns_floor; },
     nullptr},
    {"from", [](RuleOptions& o) -> double& { return o.checks.num_turns_from; },
     nullptr},
};
constexpr Spec kEnvSetupFailed[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.env_setup_failed.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.env_setup_failed.alert_after;
     }},
};
constexpr Spec kTimeoutShare[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.timeout_share.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.timeout_share.alert_after;
     }},
};
constexpr Spec kInvalidRatio[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.invalid_ratio.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.invalid_ratio.alert_after;
     }},
};
constexpr Spec kResponseClipRatio[] = {
    {"bound",
     [](RuleOptions& o) -> double& {
       return o.checks.response_clip_ratio.bound;
     },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.response_clip_ratio.alert_after;
     }},
};
constexpr Spec kAbortedRatio[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.aborted_ratio.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.aborted_ratio.alert_after;
     }},
};
constexpr Spec kValNonzero[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.val_nonzero.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.val_nonzero.alert_after;
     }},
};
constexpr Spec kRolloutKl[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.rollout_kl.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.rollout_kl.alert_after;
     }},
};
constexpr Spec kVfExplainedVar[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.vf_explained_var.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.vf_explained_var.alert_after;
     }},
    {"from",
     [](RuleOptions& o) -> double& { return o.checks.vf_explained_var_from; },
     nullptr},
};
constexpr Spec kCriticGradNorm[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.critic_grad_norm.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.critic_grad_norm.alert_after;
     }},
};
constexpr Spec kCriticAdvantagesMean[] = {
    {"bound",
     [](RuleOptions& o) -> double& {
       return o.checks.critic_advantages_mean.bound;
     },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.critic_advantages_mean.alert_after;
     }},
};
constexpr Spec kEffSampleSize[] = {
    {"bound",
     [](RuleOptions& o) -> double& { return o.checks.eff_sample_size.bound; },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.eff_sample_size.alert_after;
     }},
};
constexpr Spec kPgClipfracAbsent[] = {
    {"bound",
     [](RuleOptions& o) -> double& {
       return o.checks.pg_clipfrac_absent.bound;
     },
     nullptr},
    {"alert_after", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.checks.pg_clipfrac_absent.alert_after;
     }},
};

constexpr Group kGroups[] = {
    {"routing_replay_pearson", kRoutingReplayPearson},
    {"actor_lr", kActorLr},
    {"actor_grad_norm", kActorGradNorm},
    {"reward_nonzero", kRewardNonzero},
    {"num_turns", kNumTurns},
    {"env_setup_failed", kEnvSetupFailed},
    {"timeout_share", kTimeoutShare},
    {"invalid_ratio", kInvalidRatio},
    {"response_clip_ratio", kResponseClipRatio},
    {"aborted_ratio", kAbortedRatio},
    {"val_nonzero", kValNonzero},
    {"rollout_kl", kRolloutKl},
    {"vf_explained_var", kVfExplainedVar},
    {"critic_grad_norm", kCriticGradNorm},
    {"critic_advantages_mean", kCriticAdvantagesMean},
    {"eff_sample_size", kEffSampleSize},
    {"pg_clipfrac_absent", kPgClipfracAbsent},
};

}  // namespace

std::span<const NumberGroup<RuleOptions>> CheckNumbers() { return kGroups; }

}  // namespace rlrun
