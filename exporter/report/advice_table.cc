#include "exporter/report/advice_table.h"

namespace rlrun {
namespace {

constexpr Cost kRead = Cost::kRead, kConfirm = Cost::kConfirm,
               kNextRun = Cost::kNextRun, kUndo = Cost::kIrreversible;
constexpr Level kAny = Level::kNone, kCritical = Level::kCritical;

constexpr AdviceRow kFindings[] = {
    {"trainer_crash", kAny, "cuda_oom", kNextRun,
     "A GPU ran out of memory: take a smaller micro batch or a lower memory "
     "fraction of the engine, then resume from the newest whole checkpoint."},
    {"trainer_crash", kAny, "host_oom", kNextRun,
     "The host ran out of memory: take fewer workers per host or a higher "
     "memory limit, then resume from the newest whole checkpoint."},
    {"trainer_crash", kAny, "disk_full", kConfirm,
     "Make room on the full disk, check that the newest checkpoint is whole, "
     "then resume from it."},
    {"trainer_crash", kAny, "nccl", kConfirm,
     "Look for the worker that died first: an error of NCCL is mostly its "
     "echo. Resume from the newest whole checkpoint once that cause is gone."},
    {"trainer_crash", kAny, "actor_died", kConfirm,
     "Read the dead worker's own log and its host's journal for why it died, "
     "then resume from the newest whole checkpoint."},
    {"trainer_crash", kAny, "http_auth", kConfirm,
     "Renew the token or the access that was refused, then resume from the "
     "newest whole checkpoint."},
    {"trainer_crash", kAny, "record_status_failed", kRead,
     "Its record says that it failed: read the end of its log, or how its app "
     "ended in the launcher, for the error; then resume from the newest whole "
     "checkpoint."},
    {"trainer_crash", kAny, "", kRead,
     "Read the first error of the burst (what follows it is mostly its echo), "
     "remove its cause, then resume from the newest whole checkpoint."},
    {"died_silently", kAny, "", kConfirm,
     "Look in the host's journal at the time of the last line for the OOM "
     "killer, a kill or a reboot; then resume from the newest whole "
     "checkpoint."},
    {"ended_early", kAny, "", kRead,
     "Look in the log for an error in front of its end; if it was ended on "
     "purpose, nothing is to be done."},
    {"stall", kAny, "", kConfirm,
     "Check on its host that the process lives. If it does, take stack dumps "
     "before anybody ends it; if it does not, look in the journal for how it "
     "died."},
    {"no_progress", kAny, "", kRead,
     "Read the last lines of the log for what repeats, and check that the "
     "engine, environment or service that they wait for answers."},
    {"possibly_stuck", kAny, "", kRead,
     "Read the end of the log and look whether its app still works: long "
     "rollouts, downloads and conversions report nothing."},
    {"app_died", kAny, "", kRead,
     "Read the error that the log ends in, then close the record by hand or "
     "start the run again from its newest checkpoint."},
    {"auth_failure", kAny, "", kConfirm,
     "Find out which service refused, and renew that token or the account's "
     "access. If steps still come, only a side service is concerned."},
    {"cuda_oom", kAny, "", kRead,
     "See whether another step comes. If none does, start again with a "
     "smaller micro batch or a lower memory fraction of the engine."},
    {"nccl_failure", kAny, "", kConfirm,
     "Look for a worker that died before this error, and take stack dumps "
     "while the others live."},
    {"retry_loop", kAny, "", kConfirm,
     "Check that what is tried again answers: a judge, an engine or a "
     "download. Steps come again once it does."},
    {"frozen_model", kAny, "", kNextRun,
     "Read scheduler, warm-up and total steps in the config block of the log "
     "and state all three at the next launch: until then every step trains "
     "nothing."},
    {"grad_starvation", kAny, "", kNextRun,
     "Let it run; next time shorter responses or another aggregation of the "
     "loss over tokens."},
    {"no_signal", kAny, "clip_ratio", kNextRun,
     "Answers are cut before they are scored: read a few of them, then widen "
     "the response window or leave the longest tasks out in the next run."},
    {"no_signal", kAny, "env_setup_failed", kConfirm,
     "Environments do not start: take node and image from the set-up log of a "
     "failed trajectory and pull the image there by hand."},
    {"no_signal", kAny, "", kConfirm,
     "Score a few answers of the newest step by hand. All right: the data is "
     "too easy; all wrong: it is too hard; else the reward is broken."},
    {"r3_misalignment", kAny, "", kConfirm,
     "Read in the config block of the log whether routing replay is on and "
     "which engine and trainer versions run together, and put that right "
     "before a relaunch from a checkpoint of before."},
    {"env_avalanche", kAny, "", kConfirm,
     "Take node and image from the set-up log of a failed trajectory, pull "
     "the image there by hand, and launch no further runs until that works."},
    {"val_fake_zero", kAny, "", kConfirm,
     "Pull the images of the validation split by hand and open one validation "
     "trajectory before you believe the zeros."},
    {"validation_missing", kAny, "", kRead,
     "Read the last lines of the log: does a validation still run? If it "
     "hangs, give its trajectories a timeout in the next run."},
    {"no_tool_call_collapse", kCritical, "", kUndo,
     "Read samples of the newest rollouts; if they call no tools any more, "
     "roll back to a checkpoint from before the fall."},
    {"no_tool_call_collapse", kAny, "", kRead,
     "Read samples of the newest rollouts: the reward holds without tools. If "
     "tools are wanted, make the reward need them in the next run."},
    {"critic_starvation", kAny, "", kNextRun,
     "Next run: CRITIC_GRAD_CLIP=10, a warm CRITIC_MODEL_PATH, "
     "CRITIC_WARMUP=20."},
    {"all_negative_batch_collapse", kAny, "", kUndo,
     "Roll back to a checkpoint from before the drift, and set "
     "GAE_WHITEN_ADVANTAGES=True in the next run."},
    {"dis_not_reaching_actor", kAny, "", kNextRun,
     "Read policy loss and bypass mode in the config block of the log, and "
     "put the policy-loss mirror into hydra_args.sh before the next launch: "
     "results of this run say nothing about SAO."},
    {"step_slowdown", kAny, "", kConfirm,
     "See in the keys timing_s/* which part of the step grew, then compare "
     "its nodes and replicas with the run's own config."},
    {"nan_inf", kCritical, "grad_norm", kUndo,
     "Roll back to a checkpoint from before the first gradient norm that is "
     "no number; next run bf16 instead of fp16 or a lower learning rate."},
    {"nan_inf", kCritical, "", kUndo,
     "Roll back to a checkpoint from before the first value that is no "
     "number; next run bf16 instead of fp16, a lower learning rate, clipped "
     "gradients."},
    {"nan_inf", kAny, "grad_norm", kRead,
     "Watch the next 10 steps: the update of that step was skipped. Two more "
     "like it make it critical."},
    {"nan_inf", kAny, "", kRead,
     "Look up what computes this key: training itself rests on others, so "
     "nothing has to be stopped for it."},
    {"loss_spike", kCritical, "", kUndo,
     "Roll back to a checkpoint from before the first spike, and lower the "
     "learning rate or clip gradients."},
    {"loss_spike", kAny, "", kRead,
     "Watch the next 20 steps: a single spike mostly heals. If it does not, "
     "look at the batch of that step."},
    {"eval_regression", kCritical, "", kConfirm,
     "Run the validation again on the newest and on an older checkpoint, and "
     "keep the better one: the newest scores are below those of the start."},
    {"eval_regression", kAny, "", kConfirm,
     "Wait for one more validation, and keep the checkpoint of the best one "
     "so far."},
    {"grad_explosion", kCritical, "", kUndo,
     "Roll back to a checkpoint from before the first such gradient, look at "
     "its batch, and clip gradients or lower the learning rate."},
    {"grad_explosion", kAny, "", kRead,
     "Watch the next 20 steps: one such gradient is clipped and does little "
     "harm. Two more like it make it critical."},
    {"lr_anomaly", kAny, "", kNextRun,
     "Compare the configured schedule and its total steps with the rate that "
     "is printed; behind a resume, check that the scheduler was restored."},
    {"entropy_collapse", kCritical, "", kUndo,
     "The reward falls with it: roll back to a checkpoint with entropy left; "
     "next run clip higher, an entropy bonus or more temperature."},
    {"entropy_collapse", kAny, "", kRead,
     "Look at the validations: with a steady score it may have converged. "
     "Keep a checkpoint with entropy left in any case."},
    {"kl_blowup", kAny, "k3_kl", kConfirm,
     "Check that the engine has the trainer's newest weights and that their "
     "versions fit: rollout and trainer disagree."},
    {"kl_blowup", kCritical, "ppo_kl", kUndo,
     "Roll back to a checkpoint from before the rise, with fewer updates per "
     "batch or a smaller learning rate."},
    {"kl_blowup", kCritical, "", kUndo,
     "Roll back to a checkpoint from before the rise, with a smaller learning "
     "rate or a larger KL coefficient."},
    {"kl_blowup", kAny, "ppo_kl", kNextRun,
     "Keep the checkpoint from before the rise; next run fewer updates per "
     "batch, fresher samples or a smaller learning rate."},
    {"kl_blowup", kAny, "", kNextRun,
     "Keep the checkpoint from before the rise; next run a smaller learning "
     "rate or a larger KL coefficient."},
    {"length_collapse", kCritical, "", kUndo,
     "Read samples of the newest rollouts; if they say nothing any more, roll "
     "back to a checkpoint from before the fall."},
    {"length_collapse", kAny, "", kRead,
     "Read samples of the newest rollouts: are the short answers sound? Keep "
     "a checkpoint from before the fall until you know."},
    {"length_explosion", kAny, "", kRead,
     "Read samples of the longest answers. Sound: a wider window in the next "
     "run; repetition: a penalty for length or overlong filtering."},
};

constexpr AdviceRow kChecks[] = {
    {"routing_replay_pearson", kAny, "", kConfirm,
     "Compare with rollout_corr/kl at the same steps. Small: watch entropy; "
     "else check the replay setting and the engine and trainer versions."},
    {"actor_lr", kAny, "", kRead,
     "Compare schedule, warm-up and total steps in the config block of the "
     "log with the launch command."},
    {"actor_grad_norm", kAny, "", kRead,
     "Look at response_length/mean. Long answers: let it run; else look "
     "whether rewards still differ within a step."},
    {"reward_nonzero", kAny, "", kConfirm,
     "Open one trajectory with the output of its verifier, and read the "
     "filter reasons, before you touch a hyperparameter."},
    {"num_turns", kAny, "", kRead,
     "Read the filter reasons first; if they are as ever, read samples of the "
     "newest rollouts for why they stop calling tools."},
    {"env_setup_failed", kAny, "", kConfirm,
     "Take node and image from the set-up log of a failed trajectory, and "
     "pull the image on that node by hand."},
    {"timeout_share", kAny, "", kConfirm,
     "Look whether timing_s/gen or the engines' waiting requests rose at the "
     "same step, and whether trajectories that timed out still make calls; "
     "next run a larger time budget or fewer sandboxes at a time."},
    {"invalid_ratio", kAny, "", kRead,
     "Take the largest trajectory_filter/reason and follow that one; judge "
     "reward trends with care until it is solved."},
    {"response_clip_ratio", kAny, "", kRead,
     "Read samples of clipped answers. Sound: a wider window in the next run; "
     "repetition: a penalty for length or overlong filtering."},
    {"aborted_ratio", kAny, "", kRead,
     "Look for errors of the engine in the log at the same steps, and compare "
     "the longest prompt and answer with the engine's limits."},
    {"val_nonzero", kAny, "", kConfirm,
     "Open one validation trajectory by hand: did its environment start, and "
     "was it scored?"},
    {"rollout_kl", kAny, "", kConfirm,
     "See whether it began with the first step (then pin another pair of "
     "engine and trainer) or later (then sync weights more often)."},
    {"vf_explained_var", kAny, "", kRead,
     "See whether it rises at all: a slow critic is no fault. If it does not, "
     "warm it up in the next run (CRITIC_WARMUP=20)."},
    {"critic_grad_norm", kAny, "", kRead,
     "See whether critic/vf_explained_var moves: then let it run. Else next "
     "run: CRITIC_GRAD_CLIP=10, a warm CRITIC_MODEL_PATH, CRITIC_WARMUP=20."},
    {"critic_advantages_mean", kAny, "", kNextRun,
     "Keep the checkpoint from before the drift and watch turns and reward; "
     "next run GAE_WHITEN_ADVANTAGES=True."},
    {"eff_sample_size", kAny, "", kRead,
     "See whether stale samples are dropped at the same steps and whether "
     "rollout_corr/kl rose; next run sync weights more often."},
    {"pg_clipfrac_absent", kAny, "", kNextRun,
     "Read bypass mode and policy loss in the config block of the log, and "
     "put the mirror into hydra_args.sh before the next launch."},
};

}  // namespace

std::span<const AdviceRow> FindingAdvice() { return kFindings; }
std::span<const AdviceRow> CheckAdvice() { return kChecks; }

}  // namespace rlrun
