#include "exporter/signatures/history.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace rlrun {
namespace {

constexpr std::size_t kKeptSteps = 512;
constexpr std::size_t kMaxDrafts = 8;
constexpr std::size_t kReplayed = 12;
constexpr std::size_t kMostUnused = 64;
constexpr int kMostRounded = 4;  // decimals of a console that rounds

bool Same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Roles that differ between two readings of one step.
std::bitset<kRoles> Changes(const StepFrame& before, const StepFrame& after) {
  std::bitset<kRoles> changed =
      (before.present ^ after.present) | (before.is_point ^ after.is_point);
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (!Same(before.values[i], after.values[i])) changed[i] = true;
  }
  return changed;
}

}  // namespace

History::History() {
  series_.reserve(kRoles);
  for (const RoleRow& row : RoleTable()) {
    series_.emplace_back(row.capacity, row.carried);
  }
}

History::Draft History::Read(const StepRecord& record,
                             const KeyLayout& layout) {
  Draft line;
  line.frame.step = record.step;
  line.frame.cut = record.cut;
  line.training = layout.training;
  if (layout.actor_rollout_corr) has_actor_rollout_corr_ = true;
  double zero_std = 0;
  for (std::size_t i = 0; i < record.pairs.size(); ++i) {
    const StepRecord::Pair& pair = record.pairs[i];
    const KeyLayout::Key& key = layout.keys[i];
    if (key.filter && line.reasons.Take(record.Key(pair), pair.value)) continue;
    if (key.zero_std) zero_std += pair.value;
    if (key.found.role == Role::kCount) continue;
    line.frame.Set(key.found.role, pair.value, key.found.rank);
  }
  // A count that is not printed beside others is 0; without any nothing tells.
  if (layout.zero_std && prompts_ && *prompts_ > 0) {
    line.frame.Set(Role::kFracZeroStd, std::min(zero_std / *prompts_, 1.0));
  }
  if (line.frame.has(Role::kExplainedVariance)) has_critic_ = true;
  if (line.reasons.counted) old_reason_keys_ = line.reasons.old_keys;
  return line;
}

void History::Merge(const Draft& line, Draft* into) {
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (!line.frame.present[i]) continue;
    into->frame.Set(static_cast<Role>(i), line.frame.values[i],
                    line.frame.ranks[i]);
  }
  into->frame.cut = into->frame.cut || line.frame.cut;
  into->training = into->training || line.training;
  FilterReasons& reasons = into->reasons;
  reasons.counted = reasons.counted || line.reasons.counted;
  for (const auto& [reason, count] : line.reasons.counts) {
    reasons.Put(reason, count);
  }
}

History::Change History::Apply(const StepRecord& record) {
  Change change;
  decimals_ = std::max(decimals_, record.decimals);
  if (record.pairs.empty() || record.step < 0 ||
      record.step > std::numeric_limits<std::int32_t>::max()) {
    return change;
  }
  const KeyLayout& layout = layouts_.Of(record);
  Draft line = Read(record, layout);
  if (record.by_rollout) {
    ApplyRollout(record, line, &change);
    nonfinite_.Apply(record, layout);
    return change;
  }
  if (line.training) dialect_ = record.dialect;
  change.has_training_keys = line.training;
  change.again = step_count_ != 0 && record.step == newest_.step;
  if (line.training && step_count_ != 0 && record.step < newest_.step) {
    DropFrom(record.step);
    change.rewound_to = record.step;
    ++rewinds_;
  }
  nonfinite_.Apply(record, layout);
  change.validation = layout.validation && validations_.Apply(record);
  const bool training = line.training;
  if (change.again) {
    AddTo(line, &change);
  } else if (training) {
    Begin(std::move(line), &change);
  } else {
    Keep(line);
  }
  if (change.training && training) validations_.NoteTraining();
  return change;
}

void History::Begin(Draft line, Change* change) {
  const std::int64_t step = line.frame.step;
  if (!rollouts_.empty()) TakeRollout(&line);
  for (Draft& draft : drafts_) {
    if (draft.frame.step != step) continue;
    Merge(line, &draft);
    line = std::move(draft);
    break;
  }
  // Lines of later steps may run ahead, but not across a rewind.
  std::erase_if(drafts_, [&](const Draft& draft) {
    return change->rewound_to || draft.frame.step <= step;
  });
  if (step_count_ != 0 && !change->rewound_to) {
    if (recent_.size() == kReplayed - 1) recent_.pop_front();
    recent_.push_back({newest_, newest_reasons_.Sums()});
  }
  newest_ = line.frame;
  newest_reasons_ = std::move(line.reasons);
  BeginNewest(newest_reasons_.Sums());
  change->training = true;
  change->roles = newest_.present;
}

// What the newest step's printed values amount to. The task reward is one key
// for the whole run: the score, from the first step on that prints it.
void History::Derive(const ReasonSums& reasons) {
  if (!score_since_ && newest_.has(Role::kScore)) {
    score_since_ = newest_.step;
    series_[RoleIndex(Role::kTaskReward)].Clear();
    nonzero_since_.reset();
  }
  DeriveFrame(reasons, {score_since_.has_value(), batch_}, &newest_);
}

// The steps that printed scores were dropped again.
void History::CopyReward() {
  score_since_.reset();
  nonzero_since_.reset();
  Series& reward = series_[RoleIndex(Role::kTaskReward)];
  reward.Clear();
  const Series& from = series(Role::kReward);
  for (std::size_t i = 0; i < from.values().size(); ++i) {
    reward.Add(from.steps()[i], from.values()[i]);
    if (from.values()[i] != 0 && !nonzero_since_) {
      nonzero_since_ = from.steps()[i];
    }
  }
}

void History::BeginNewest(const ReasonSums& reasons) {
  Derive(reasons);
  ++step_count_;
  tied_.push_front(newest_.tied);
  training_steps_.push_front(static_cast<std::int32_t>(newest_.step));
  if (training_steps_.size() > kKeptSteps) {
    training_steps_.pop_back();
    tied_.pop_back();
  }
  AddPoints(newest_.is_point);
  NoteStep();
}

void History::Replay(const std::function<void()>& judged) {
  if (step_count_ == 0) return;
  std::deque<Past> steps = recent_;
  steps.push_back({newest_, newest_reasons_.Sums()});
  DropSteps(steps.front().frame.step);
  for (const Past& past : steps) {
    newest_ = past.frame;
    BeginNewest(past.reasons);
    judged();
  }
}

void History::AddTo(const Draft& line, Change* change) {
  const StepFrame before = newest_;
  Draft merged{newest_, std::move(newest_reasons_), true};
  Merge(line, &merged);
  newest_ = merged.frame;
  newest_reasons_ = std::move(merged.reasons);
  Derive(newest_reasons_.Sums());
  const std::bitset<kRoles> changed = Changes(before, newest_);
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (changed[i]) series_[i].DropFrom(newest_.step);
  }
  AddPoints(newest_.is_point & changed);
  tied_.front() = newest_.tied;
  if (nonzero_since_ == newest_.step) nonzero_since_.reset();
  NoteStep();
  change->training = true;
  change->roles = line.frame.present | changed;
}

void History::Keep(const Draft& line) {
  if (line.frame.present.none() && !line.reasons.counted) return;
  for (Draft& draft : drafts_) {
    if (draft.frame.step == line.frame.step) return Merge(line, &draft);
  }
  if (drafts_.size() == kMaxDrafts) drafts_.erase(drafts_.begin());
  drafts_.push_back(line);
}

void History::AddPoints(const std::bitset<kRoles>& roles) {
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (roles[i]) series_[i].Add(newest_.step, newest_.values[i]);
  }
}

// What the newest step tells of the run as a whole.
void History::NoteStep() {
  NoteUnused();
  seen_ |= newest_.present;
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (newest_.present[i]) ranks_[i] = newest_.ranks[i];
  }
  if (nonzero_since_ || !newest_.point(Role::kTaskReward)) return;
  const bool by_score = score_since_.has_value();
  const auto not_zero = [this](Role role) {
    return newest_.value(role).value_or(0) != 0;
  };
  if (not_zero(Role::kTaskReward) ||
      not_zero(by_score ? Role::kScoreMax : Role::kRewardMax) ||
      not_zero(by_score ? Role::kScoreMin : Role::kRewardMin)) {
    nonzero_since_ = newest_.step;
  }
}

void History::NoteUnused() {
  DropUnused(newest_.step);
  const std::bitset<kRoles> rest = newest_.present & ~newest_.is_point;
  if (rest.none()) return;
  if (unused_.size() >= kMostUnused) {
    unused_.erase(unused_.begin(), unused_.begin() + kMostUnused / 2);
  }
  for (std::size_t i = 0; i < kRoles; ++i) {
    if (!rest[i]) continue;
    unused_.push_back({static_cast<std::int32_t>(newest_.step),
                       static_cast<Role>(i), newest_.values[i]});
  }
}

void History::DropUnused(std::int64_t step) {
  while (!unused_.empty() && unused_.back().step >= step) unused_.pop_back();
}

std::size_t History::flat_zero_steps() const {
  return nonzero_since_ ? 0 : series(Role::kTaskReward).count();
}

void History::DropFrom(std::int64_t step) {
  DropSteps(step);
  while (!recent_.empty() && recent_.back().frame.step >= step) {
    recent_.pop_back();
  }
  validations_.DropFrom(step);
  nonfinite_.DropFrom(step);
  newest_ = {};
  newest_.step = training_steps_.empty() ? 0 : training_steps_.front();
  newest_reasons_ = {};
}

void History::DropSteps(std::int64_t step) {
  for (Series& s : series_) s.DropFrom(step);
  DropUnused(step);
  const bool all = !training_steps_.empty() && training_steps_.back() >= step;
  while (!training_steps_.empty() && training_steps_.front() >= step) {
    training_steps_.pop_front();
    tied_.pop_front();
    --step_count_;
  }
  // The numbers of older steps are not known any more.
  if (all) step_count_ = 0;
  if (nonzero_since_ && *nonzero_since_ >= step) nonzero_since_.reset();
  if (score_since_ && *score_since_ >= step) CopyReward();
}

void History::StartNewText() {
  History fresh;
  fresh.rewinds_ = rewinds_;
  fresh.batch_ = batch_;
  fresh.prompts_ = prompts_;
  *this = std::move(fresh);
}

std::string_view History::key(Role role) const {
  const std::size_t i = RoleIndex(role);
  if (!seen_[i]) return {};
  switch (role) {
    case Role::kTaskReward:
      return key(score_since_ ? Role::kScore : Role::kReward);
    case Role::kEntropy:
      if (ranks_[i] == 1) return key(Role::kEntropyLoss);
      break;
    case Role::kClippedLength:
      return key(Role::kResponseLengthMax);
    case Role::kEnvSetupFailed:
    case Role::kEnvSetupFailedShare:
      return old_reason_keys_ ? "trajectory_filter/env_failure_count"
                              : "trajectory_filter/reason/env_setup_failed";
    case Role::kTimeout:
    case Role::kTimeoutShare:
      return old_reason_keys_ ? "trajectory_filter/timeout_count"
                              : "trajectory_filter/reason/timeout";
    case Role::kFilterReasons:
      return "trajectory_filter/reason";
    case Role::kStepTime:
      return key(Role::kStepSeconds);
    default:
      break;
  }
  return RoleTable()[i].key(ranks_[i]);
}

double History::quantum() const {
  if (decimals_ == 0 || decimals_ > kMostRounded) return 0;
  constexpr double kHalf[] = {0.5, 0.05, 0.005, 0.0005, 0.00005};
  return kHalf[decimals_];
}

}  // namespace rlrun
