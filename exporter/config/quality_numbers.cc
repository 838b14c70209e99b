#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using Spec = NumberSpec<RuleOptions>;
using Group = NumberGroup<RuleOptions>;

constexpr Spec kNanInf[] = {
    {"grad_norm_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.nan_inf.grad_norm_window;
     }},
    {"grad_norm_critical", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.nan_inf.grad_norm_critical;
     }},
    {"other_key_steps", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.nan_inf.other_key_steps;
     }},
};
constexpr Spec kLossSpike[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_spike.points;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.loss_spike.ratio; },
     nullptr},
    {"noises",
     [](RuleOptions& o) -> double& { return o.quality.loss_spike.noises; },
     nullptr},
    {"critical_hits", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_spike.critical_hits;
     }},
    {"critical_steps", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_spike.critical_steps;
     }},
    {"critical_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.loss_spike.critical_ratio;
     },
     nullptr},
};
constexpr Spec kLossDivergence[] = {
    {"in_a_row", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_divergence.in_a_row;
     }},
    {"best_of", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_divergence.best_of;
     }},
    {"best_share",
     [](RuleOptions& o) -> double& {
       return o.quality.loss_divergence.best_share;
     },
     nullptr},
    {"noises",
     [](RuleOptions& o) -> double& { return o.quality.loss_divergence.noises; },
     nullptr},
    {"rising_over", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.loss_divergence.rising_over;
     }},
};
constexpr Spec kPlateau[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.quality.plateau.points; }},
    {"ratio", [](RuleOptions& o) -> double& { return o.quality.plateau.ratio; },
     nullptr},
};
constexpr Spec kRewardStagnation[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.reward_stagnation.points;
     }},
    {"range_share",
     [](RuleOptions& o) -> double& {
       return o.quality.reward_stagnation.range_share;
     },
     nullptr},
};
constexpr Spec kRewardDrop[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.reward_drop.points;
     }},
    {"in_a_row", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.reward_drop.in_a_row;
     }},
    {"gain_share",
     [](RuleOptions& o) -> double& { return o.quality.reward_drop.gain_share; },
     nullptr},
    {"noises",
     [](RuleOptions& o) -> double& { return o.quality.reward_drop.noises; },
     nullptr},
};
constexpr Spec kEvalRegression[] = {
    {"validations", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.eval_regression.validations;
     }},
    {"loss",
     [](RuleOptions& o) -> double& { return o.quality.eval_regression.loss; },
     nullptr},
    {"share",
     [](RuleOptions& o) -> double& { return o.quality.eval_regression.share; },
     nullptr},
    {"noises",
     [](RuleOptions& o) -> double& { return o.quality.eval_regression.noises; },
     nullptr},
};
constexpr Spec kGradExplosion[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_explosion.points;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.grad_explosion.ratio; },
     nullptr},
    {"critical_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.grad_explosion.critical_ratio;
     },
     nullptr},
    {"critical_hits", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_explosion.critical_hits;
     }},
    {"critical_steps", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_explosion.critical_steps;
     }},
    {"level_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_explosion.level_window;
     }},
    {"level_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.grad_explosion.level_ratio;
     },
     nullptr},
    {"critic_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_explosion.critic_window;
     }},
    {"critic_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.grad_explosion.critic_ratio;
     },
     nullptr},
};
constexpr Spec kGradVanishing[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_vanishing.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_vanishing.window;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.grad_vanishing.ratio; },
     nullptr},
    {"floor",
     [](RuleOptions& o) -> double& { return o.quality.grad_vanishing.floor; },
     nullptr},
    {"critical_zeros", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.grad_vanishing.critical_zeros;
     }},
};
constexpr Spec kLrAnomaly[] = {
    {"zero_steps", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.lr_anomaly.zero_steps;
     }},
    {"jump_ratio",
     [](RuleOptions& o) -> double& { return o.quality.lr_anomaly.jump_ratio; },
     nullptr},
    {"decayed",
     [](RuleOptions& o) -> double& { return o.quality.lr_anomaly.decayed; },
     nullptr},
};
constexpr Spec kEntropyCollapse[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.entropy_collapse.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.entropy_collapse.window;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.entropy_collapse.ratio; },
     nullptr},
    {"floor",
     [](RuleOptions& o) -> double& { return o.quality.entropy_collapse.floor; },
     nullptr},
};
constexpr Spec kEntropyExplosion[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.entropy_explosion.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.entropy_explosion.window;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.entropy_explosion.ratio;
     },
     nullptr},
    {"floor",
     [](RuleOptions& o) -> double& {
       return o.quality.entropy_explosion.floor;
     },
     nullptr},
};
constexpr Spec kKlBlowup[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.quality.kl_blowup.points; }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& { return o.quality.kl_blowup.window; }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.kl_blowup.ratio; },
     nullptr},
    {"floor",
     [](RuleOptions& o) -> double& { return o.quality.kl_blowup.floor; },
     nullptr},
    {"critical_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.kl_blowup.critical_ratio;
     },
     nullptr},
    {"critical_floor",
     [](RuleOptions& o) -> double& {
       return o.quality.kl_blowup.critical_floor;
     },
     nullptr},
    {"ppo_kl",
     [](RuleOptions& o) -> double& { return o.quality.kl_blowup.ppo_kl; },
     nullptr},
    {"ppo_kl_points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.kl_blowup.ppo_kl_points;
     }},
    {"ppo_kl_critical",
     [](RuleOptions& o) -> double& {
       return o.quality.kl_blowup.ppo_kl_critical;
     },
     nullptr},
    {"k3_kl",
     [](RuleOptions& o) -> double& { return o.quality.kl_blowup.k3_kl; },
     nullptr},
    {"k3_kl_points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.kl_blowup.k3_kl_points;
     }},
    {"k3_kl_critical",
     [](RuleOptions& o) -> double& {
       return o.quality.kl_blowup.k3_kl_critical;
     },
     nullptr},
    {"k3_kl_critical_points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.kl_blowup.k3_kl_critical_points;
     }},
};
constexpr Spec kLengthCollapse[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.length_collapse.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.length_collapse.window;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.length_collapse.ratio; },
     nullptr},
    {"critical_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.length_collapse.critical_ratio;
     },
     nullptr},
    {"floor_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.length_collapse.floor_ratio;
     },
     nullptr},
    {"reward_noises",
     [](RuleOptions& o) -> double& {
       return o.quality.length_collapse.reward_noises;
     },
     nullptr},
};
constexpr Spec kLengthExplosion[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.length_explosion.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.length_explosion.window;
     }},
    {"ratio",
     [](RuleOptions& o) -> double& { return o.quality.length_explosion.ratio; },
     nullptr},
    {"clip_window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.length_explosion.clip_window;
     }},
    {"clip",
     [](RuleOptions& o) -> double& { return o.quality.length_explosion.clip; },
     nullptr},
    {"clip_critical",
     [](RuleOptions& o) -> double& {
       return o.quality.length_explosion.clip_critical;
     },
     nullptr},
    {"creep_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.length_explosion.creep_ratio;
     },
     nullptr},
    {"creep_clip",
     [](RuleOptions& o) -> double& {
       return o.quality.length_explosion.creep_clip;
     },
     nullptr},
};
constexpr Spec kRewardHackingSuspect[] = {
    {"points", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.reward_hacking_suspect.points;
     }},
    {"window", nullptr,
     [](RuleOptions& o) -> std::size_t& {
       return o.quality.reward_hacking_suspect.window;
     }},
    {"range_share",
     [](RuleOptions& o) -> double& {
       return o.quality.reward_hacking_suspect.range_share;
     },
     nullptr},
    {"length_ratio",
     [](RuleOptions& o) -> double& {
       return o.quality.reward_hacking_suspect.length_ratio;
     },
     nullptr},
    {"score_noises",
     [](RuleOptions& o) -> double& {
       return o.quality.reward_hacking_suspect.score_noises;
     },
     nullptr},
};

constexpr Group kGroups[] = {
    {"nan_inf", kNanInf},
    {"loss_spike", kLossSpike},
    {"loss_divergence", kLossDivergence},
    {"plateau", kPlateau},
    {"reward_stagnation", kRewardStagnation},
    {"reward_drop", kRewardDrop},
    {"eval_regression", kEvalRegression},
    {"grad_explosion", kGradExplosion},
    {"grad_vanishing", kGradVanishing},
    {"lr_anomaly", kLrAnomaly},
    {"entropy_collapse", kEntropyCollapse},
    {"entropy_explosion", kEntropyExplosion},
    {"kl_blowup", kKlBlowup},
    {"length_collapse", kLengthCollapse},
    {"length_explosion", kLengthExplosion},
    {"reward_hacking_suspect", kRewardHackingSuspect},
};

}  // namespace

std::span<const NumberGroup<RuleOptions>> QualityNumbers() { return kGroups; }

}  // namespace rlrun
