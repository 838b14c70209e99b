// The numbers of the training-quality signals, with the default that
// signatures.md gives each. Filled by config from `rules:`. Widths of medians
// that points carry (M_10 and M_50 of series.h) and of F, T and noise are part
// of the definitions and no options.
// Plain data.
#pragma once

#include <cstddef>

namespace rlrun {

struct QualityOptions {
  struct NanInf {
    std::size_t grad_norm_window = 10;   // printed gradient norms looked at
    std::size_t grad_norm_critical = 3;  // not finite among them: critical
    std::size_t other_key_steps = 3;     // any other key, this often in a row
  } nan_inf;
  struct LossSpike {
    std::size_t points = 30;          // judged from this point of the loss on
    double ratio = 1.1;               // x over the median of the 10 before
    double noises = 8;                // x above that median, in units of noise
    std::size_t critical_hits = 3;    // hits within `critical_steps`
    std::size_t critical_steps = 20;  // training steps
    double critical_ratio = 10;       // a hit over the largest loss seen
  } loss_spike;
  struct LossDivergence {
    std::size_t in_a_row = 10;     // points on which it must hold
    std::size_t best_of = 200;     // points whose best M_10 is compared with
    double best_share = 0.2;       // above the best by this share of it
    double noises = 3;             // and by this many times the noise
    std::size_t rising_over = 10;  // points ago, when M_10 was lower
  } loss_divergence;
  struct Plateau {
    std::size_t points = 100;  // newest points that brought nothing better
    double ratio = 0.999;      // of the best M_50 before: not reached
  } plateau;
  struct RewardStagnation {
    std::size_t points = 100;   // a best M_50 older than this is compared with
    double range_share = 0.02;  // gain in shares of the range of M_50
  } reward_stagnation;
  struct RewardDrop {
    std::size_t points = 24;   // judged from this point of R on
    std::size_t in_a_row = 5;  // points on which it must hold
    double gain_share = 0.5;   // of what was gained, 0..1, lost again
    double noises = 4;         // and this many times the noise
  } reward_drop;
  struct EvalRegression {
    std::size_t validations = 3;  // needed
    double loss = 0.05;           // below the reference, absolute
    double share = 0.2;           // and by this share of the reference
    double noises = 4;            // and by this many noises of validations
  } eval_regression;
  struct GradExplosion {
    std::size_t points = 10;          // judged from this point on
    double ratio = 10;                // x over U: a hit
    double critical_ratio = 100;      // x over U
    std::size_t critical_hits = 3;    // hits within `critical_steps`
    std::size_t critical_steps = 20;  // training steps
    std::size_t level_window = 10;    // k of the M_k compared with F
    double level_ratio = 10;          // that M_k over F
    std::size_t critic_window = 3;    // k of the critic's M_k
    double critic_ratio = 10;         // that M_k over the critic's T
  } grad_explosion;
  struct GradVanishing {
    std::size_t points = 20;          // judged from this point on
    std::size_t window = 20;          // k of M_k, and points searched for 0
    double ratio = 0.01;              // M_k under this share of F
    double floor = 1e-8;              // M_k under this
    std::size_t critical_zeros = 10;  // exact zeros among the `window` points
  } grad_vanishing;
  struct LrAnomaly {
    std::size_t zero_steps = 5;  // points in a row that are exactly 0
    double jump_ratio = 1.5;     // x over the previous value
    double decayed = 0.99;       // which was at most this share of the peak
  } lr_anomaly;
  struct EntropyCollapse {
    std::size_t points = 15;  // judged from this point on
    std::size_t window = 10;  // k of M_k
    double ratio = 0.05;      // of F
    double floor = 0.01;      // nats; the bound is never below
  } entropy_collapse;
  struct EntropyExplosion {
    std::size_t points = 15;  // judged from this point on
    std::size_t window = 10;  // k of M_k
    double ratio = 3;         // of F
    double floor = 1;         // nats; the bound is never below
  } entropy_explosion;
  struct KlBlowup {
    std::size_t points = 10;        // of the KL loss, judged from there on
    std::size_t window = 5;         // k of the KL loss's M_k
    double ratio = 4;               // of T (F while there is no T)
    double floor = 0.2;             // the bound is never below
    double critical_ratio = 10;     // of F
    double critical_floor = 1;      // the bound is never below
    double ppo_kl = 0.05;           // in size, on each of ...
    std::size_t ppo_kl_points = 3;  // ... so many points
    double ppo_kl_critical = 0.5;   // the median of as many sizes
    double k3_kl = 0.01;            // on each of ...
    std::size_t k3_kl_points = 5;   // ... so many points
    double k3_kl_critical = 0.1;    // on each of ...
    std::size_t k3_kl_critical_points = 3;  // ... so many points
  } kl_blowup;
  struct LengthCollapse {
    std::size_t points = 10;       // judged from this point on
    std::size_t window = 5;        // k of M_k
    double ratio = 0.5;            // of T
    double critical_ratio = 0.25;  // of U; a warning if R got better
    double floor_ratio = 0.05;     // of U; critical whatever R does
    double reward_noises = 2;      // M_k of R over F by this many: better
  } length_collapse;
  struct LengthExplosion {
    std::size_t points = 10;       // judged from this point on
    std::size_t window = 5;        // k of M_k of the length
    double ratio = 2;              // of T
    std::size_t clip_window = 10;  // k of M_k of the clip ratio
    double clip = 0.5;             // share of cut answers, 0..1
    double clip_critical = 0.9;    // share of cut answers, 0..1
    double creep_ratio = 3;        // of F, together with ...
    double creep_clip = 0.15;      // ... this share of cut answers
  } length_explosion;
  struct RewardHacking {
    std::size_t points = 10;     // judged from this point on
    std::size_t window = 5;      // k of every M_k
    double range_share = 0.5;    // M_k of the reward over F, in ranges of it
    double length_ratio = 0.25;  // M_k of the length under this share of F
    double score_noises = 3;     // M_k of the score under F by this many
  } reward_hacking_suspect;
};

}  // namespace rlrun
