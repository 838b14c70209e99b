#include "exporter/signatures/judge.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "exporter/signatures/check.h"
#include "exporter/signatures/level_log.h"
#include "exporter/signatures/quality_gradient.h"

namespace rlrun {
namespace {

constexpr std::int64_t kRecoveredFor = 10;  // steps
constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kTimeFindings = 8;  // room for those of time and events
constexpr std::size_t kMostClaims = 3;    // as many as levels are held
constexpr LevelLog::Rules kSteps{3, 20, 256};
// Validations are rare: the newest stands until the next one.
constexpr LevelLog::Rules kValidations{1, 0, 64};
// Others ask for the level of these on the same step.
constexpr std::array<std::string_view, 2> kFirst = {"no_signal", "reward_drop"};
// Judged at each training step and at each validation; a validation clears it
// at once.
constexpr std::string_view kByBoth = "validation_missing";
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

Raw RawOf(const RuleResult& result) {
  switch (result.kind) {
    case RuleResult::Kind::kNotApplicable:
      return Raw::kNotApplicable;
    case RuleResult::Kind::kNotEvaluated:
      return Raw::kNotEvaluated;
    case RuleResult::Kind::kEvaluated:
      break;
  }
  return RawOf(result.level);
}

Raw RawOf(const CheckOutcome& outcome) {
  switch (outcome.kind) {
    case CheckOutcome::Kind::kNotApplicable:
      return Raw::kNotApplicable;
    case CheckOutcome::Kind::kNotEvaluated:
      return Raw::kNotEvaluated;
    case CheckOutcome::Kind::kHealthy:
      return Raw::kNone;
    case CheckOutcome::Kind::kFailing:
      break;
  }
  return Raw::kWarning;
}

// The main score that had the value at that step, else the first one of the
// newest validation; empty: there is none.
std::string_view ScoreKey(const History& history, std::int64_t step,
                          double value) {
  const auto& all = history.validations();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->frame.step != step) continue;
    for (const MainScore& score : it->scores) {
      if (score.value == value) return score.key;
    }
  }
  if (all.empty() || all.back().scores.empty()) return {};
  return all.back().scores.front().key;
}

// Results with a level and the steps they were found on, of the newest steps.
// Memory is used again: most steps of a sick run bring another one.
class Claims {
 public:
  // The newest one; null: none.
  const RuleResult* newest() const {
    return size_ == 0 ? nullptr : &At(size_ - 1).result;
  }
  void Prefetch() const { PrefetchTail(claims_, claims_.size()); }
  // Of the one that makes room for the next.
  void PrefetchEvidence() const {
    if (size_ == kMostClaims) {
      const auto& evidence = At(0).result.evidence;
      PrefetchTail(evidence, evidence.size());
    }
  }
  void DropFrom(std::int64_t step) {
    while (size_ != 0 && At(size_ - 1).step >= step) --size_;
  }
  // The oldest one makes room. `step` is behind those that are here.
  void Add(std::int64_t step, RuleResult* result) {
    if (claims_.empty()) claims_.resize(kMostClaims);
    if (size_ == kMostClaims) {
      first_ = (first_ + 1) % kMostClaims;
      --size_;
    }
    Claim& claim = claims_[(first_ + size_) % kMostClaims];
    ++size_;
    claim.step = step;
    std::swap(claim.result, *result);
  }

 private:
  struct Claim {
    std::int64_t step = 0;
    RuleResult result;
  };
  const Claim& At(std::size_t i) const {
    return claims_[(first_ + i) % kMostClaims];
  }

  std::vector<Claim> claims_;  // empty until the first one, then all places
  std::size_t first_ = 0, size_ = 0;
};

// The rules and the order in which they are judged; the same for all runs.
class RuleTable {
 public:
  struct Row : StepRule {
    bool by_both = false;         // kByBoth
    std::bitset<kRoles> watched;  // none: all
  };
  explicit RuleTable(std::vector<StepRule>&& rules) {
    for (const StepRule& rule : rules) {
      Row row{rule, rule.name == kByBoth, {}};
      for (const Role role : rule.roles) row.watched[RoleIndex(role)] = true;
      rows_.push_back(row);
    }
    for (const std::string_view name : kFirst) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].name == name) order_.push_back(i);
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (std::find(kFirst.begin(), kFirst.end(), rows_[i].name) ==
          kFirst.end()) {
        order_.push_back(i);
      }
    }
  }
  static std::shared_ptr<const RuleTable> Default() {
    static const auto table = std::make_shared<const RuleTable>(AllStepRules());
    return table;
  }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  std::vector<Row> rows_;
  std::vector<std::size_t> order_;
};

}  // namespace

class Judge::Impl : public RuleLevels {
 public:
  Impl(std::shared_ptr<const RunRules> rules,
       std::shared_ptr<const RuleTable> table);

  void SetRules(std::shared_ptr<const RunRules> rules);
  void SetFacts(std::shared_ptr<const RunFacts> facts);
  void Apply(const StepRecord& record);
  void StartNewText();
  const History& history() const { return history_; }
  void Prefetch(std::size_t stage) const {
    if (stage == 0) {
      PrefetchBytes(this, sizeof *this);
    } else if (stage == 1) {
      history_.PrefetchHeads();
      PrefetchTail(notes_, notes_.size());
      PrefetchTail(check_notes_, check_notes_.size());
    } else if (stage == 2) {
      history_.PrefetchPoints();
      steps_.Prefetch();
      for (const Note& note : notes_) note.claims.Prefetch();
    } else {
      for (const Note& note : notes_) note.claims.PrefetchEvidence();
    }
  }
  Judgement StepJudgement() const;
  std::optional<Level> raw_level(std::string_view rule) const;
  Level published(std::string_view rule) const override;

 private:
  // What a column of the logs cannot hold. Columns: the rules, then the checks.
  struct Note {
    std::uint64_t activations = 0;
    std::int64_t counted = kNever;  // step of the newest activation
    Claims claims;                  // of the newest steps
  };
  struct CheckNote {
    CheckOutcome outcome;  // newest evaluated one
    std::int64_t step = 0;
    bool known = false;
  };

  RuleInput Input(Level before) const;
  LevelLog& LogOf(RuleTrigger trigger) {
    return trigger == RuleTrigger::kValidation ? validations_ : steps_;
  }
  const LevelLog& LogOf(RuleTrigger trigger) const {
    return trigger == RuleTrigger::kValidation ? validations_ : steps_;
  }
  void Rewind(std::int64_t step);
  void BeginValidation();
  void MarkSpikes();
  // Rules and checks of the kind; `roles`: only rules that watch one of them.
  void Run(RuleTrigger trigger, const std::bitset<kRoles>* roles);
  void RunRule(std::size_t index);
  void RunCheck(std::size_t index);
  void Count(std::size_t column, const LevelLog& log);
  Finding FindingOf(std::size_t index) const;
  CheckResult ResultOf(std::size_t index) const;

  std::shared_ptr<const RunRules> rules_;
  std::shared_ptr<const RunFacts> facts_;
  std::shared_ptr<const RuleTable> shared_;
  const std::vector<RuleTable::Row>& table_;  // of shared_
  History history_;
  LevelLog steps_, validations_;
  std::vector<Note> notes_;  // per rule
  std::vector<CheckNote> check_notes_;
  bool counts_ = true;
};

Judge::Impl::Impl(std::shared_ptr<const RunRules> rules,
                  std::shared_ptr<const RuleTable> table)
    : shared_(std::move(table)),
      table_(shared_->rows()),
      steps_(table_.size() + Checks().size(), kSteps),
      validations_(table_.size() + Checks().size(), kValidations),
      notes_(table_.size()),
      check_notes_(Checks().size()) {
  rules_ = rules ? std::move(rules) : std::make_shared<const RunRules>();
  facts_ = std::make_shared<const RunFacts>();
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].by_both) steps_.HoldNewestOnly(i);
  }
}

RuleInput Judge::Impl::Input(Level before) const {
  return {history_, *facts_, *rules_, *this, before};
}

void Judge::Impl::SetFacts(std::shared_ptr<const RunFacts> facts) {
  facts_ = facts ? std::move(facts) : std::make_shared<const RunFacts>();
  std::optional<double> batch;
  if (facts_->prompts_per_step && facts_->responses_per_prompt) {
    batch = static_cast<double>(*facts_->prompts_per_step) *
            static_cast<double>(*facts_->responses_per_prompt);
  }
  history_.SetBatch(batch);
  history_.SetPrompts(
      facts_->prompts_per_step
          ? std::optional(static_cast<double>(*facts_->prompts_per_step))
          : std::nullopt);
}

void Judge::Impl::SetRules(std::shared_ptr<const RunRules> rules) {
  rules_ = rules ? std::move(rules) : std::make_shared<const RunRules>();
  std::vector<bool> active;
  for (const StepRule& rule : table_) {
    active.push_back(published(rule.name) != Level::kNone);
  }
  counts_ = false;
  bool first = true;
  history_.Replay([&] {
    if (first) steps_.DropFrom(history_.newest().step);
    first = false;
    steps_.Begin(history_.newest().step);
    MarkSpikes();
    Run(RuleTrigger::kTrainingStep, nullptr);
  });
  if (validations_.newest()) Run(RuleTrigger::kValidation, nullptr);
  counts_ = true;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (active[i] || published(table_[i].name) == Level::kNone) continue;
    ++notes_[i].activations;
  }
}

void Judge::Impl::Apply(const StepRecord& record) {
  const History::Change change = history_.Apply(record);
  if (change.rewound_to) Rewind(*change.rewound_to);
  if (change.training) {
    if (steps_.newest() != history_.newest().step) {
      steps_.Begin(history_.newest().step);
    }
    MarkSpikes();
    Run(RuleTrigger::kTrainingStep,
        change.has_training_keys ? nullptr : &change.roles);
  }
  const auto& validations = history_.validations();
  if (change.validation) BeginValidation();
  // A validation may stand in front of the training line of its step.
  if (change.validation ||
      (change.training && !validations.empty() &&
       validations.back().frame.step == history_.newest().step)) {
    Run(RuleTrigger::kValidation, nullptr);
  }
}

void Judge::Impl::BeginValidation() {
  const std::int64_t step = history_.validations().back().frame.step;
  if (validations_.newest() == step) return;
  validations_.DropFrom(step);
  validations_.Begin(step);
}

void Judge::Impl::Rewind(std::int64_t step) {
  steps_.DropFrom(step);
  const auto& validations = history_.validations();
  const std::int64_t kept =
      validations.empty() ? kNever : validations.back().frame.step + 1;
  validations_.DropFrom(kept);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const bool by_step = table_[i].trigger == RuleTrigger::kTrainingStep;
    const std::int64_t from = by_step ? step : kept;
    Note& note = notes_[i];
    if (note.counted >= from) note.counted = kNever;
    note.claims.DropFrom(from);
  }
  for (CheckNote& note : check_notes_) {
    if (note.step >= step) note = {};
  }
  // The validation that is the newest now is an older one.
  if (!validations_.newest()) return;
  for (std::size_t i = 0; i < Checks().size(); ++i) {
    if (Checks()[i].trigger == RuleTrigger::kValidation) RunCheck(i);
  }
}

void Judge::Impl::StartNewText() {
  history_.StartNewText();
  Rewind(kNever);
}

void Judge::Impl::MarkSpikes() {
  const auto& o = rules_->options.quality.grad_explosion;
  const StepFrame& step = history_.newest();
  if (step.point(Role::kActorGradNorm) &&
      IsGradientSpike(history_.series(Role::kActorGradNorm), o)) {
    history_.MarkSpike(Role::kActorGradNorm);
  }
}

void Judge::Impl::Run(RuleTrigger trigger, const std::bitset<kRoles>* roles) {
  for (const std::size_t i : shared_->order()) {
    const RuleTable::Row& row = table_[i];
    const bool too = row.by_both && steps_.newest();
    if (row.trigger != trigger && !too) continue;
    const bool watches =
        roles == nullptr || row.watched.none() || (row.watched & *roles).any();
    if (watches) RunRule(i);
  }
  const std::span<const Check> checks = Checks();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].trigger == trigger) RunCheck(i);
  }
}

void Judge::Impl::RunRule(std::size_t i) {
  LevelLog& log = LogOf(table_[i].trigger);
  RuleResult result = table_[i].evaluate(Input(log.before(i).last[0]));
  log.Set(i, RawOf(result));
  Count(i, log);
  const std::int64_t step = *log.newest();
  Claims& claims = notes_[i].claims;
  claims.DropFrom(step);
  if (result.kind != RuleResult::Kind::kEvaluated ||
      result.level == Level::kNone) {
    return;
  }
  if (result.evidence.size() > kMostEvidence) {
    result.evidence.resize(kMostEvidence);
  }
  claims.Add(step, &result);
}

// One activation counts once, also when its step is judged again.
void Judge::Impl::Count(std::size_t i, const LevelLog& log) {
  if (!counts_ || log.before(i).published != Level::kNone ||
      log.now(i).published == Level::kNone ||
      notes_[i].counted == *log.newest()) {
    return;
  }
  ++notes_[i].activations;
  notes_[i].counted = *log.newest();
}

void Judge::Impl::RunCheck(std::size_t i) {
  const Check& check = Checks()[i];
  LevelLog& log = LogOf(check.trigger);
  const RuleInput input = Input(Level::kNone);
  const CheckOutcome outcome =
      check.evaluate(input, rules_->options.checks.*check.bound);
  log.Set(table_.size() + i, RawOf(outcome));
  if (!LevelOf(RawOf(outcome))) return;
  check_notes_[i].outcome = outcome;
  check_notes_[i].step = *log.newest();
  check_notes_[i].known = true;
}

Level Judge::Impl::published(std::string_view rule) const {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].name == rule) {
      return LogOf(table_[i].trigger).now(i).published;
    }
  }
  return Level::kNone;
}

std::optional<Level> Judge::Impl::raw_level(std::string_view rule) const {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].name == rule) return LevelOf(LogOf(table_[i].trigger).raw(i));
  }
  return {};
}

Finding Judge::Impl::FindingOf(std::size_t i) const {
  const StepRule& rule = table_[i];
  const LevelTrack& track = LogOf(rule.trigger).now(i);
  Finding finding;
  finding.name = rule.name;
  finding.severities = rule.severities;
  finding.level = track.published;
  finding.activations = notes_[i].activations;
  finding.means = rule.means;
  finding.next = rule.next;
  if (track.published == Level::kNone) return finding;
  finding.since_step = track.since;
  if (const RuleResult* claim = notes_[i].claims.newest()) {
    finding.evidence = claim->evidence;
    finding.detail = claim->detail;
  }
  return finding;
}

CheckResult Judge::Impl::ResultOf(std::size_t i) const {
  const Check& check = Checks()[i];
  const CheckNote& note = check_notes_[i];
  CheckResult result;
  result.name = check.name;
  if (check.role != Role::kCount) {
    result.key = KeyText::Lasting(history_.key(check.role));
  } else {
    result.key = std::string(ScoreKey(history_, note.step, note.outcome.value));
  }
  result.label = check.label;
  const LevelTrack& track = LogOf(check.trigger).now(table_.size() + i);
  result.failing_steps = track.failing;
  result.alert_after = (rules_->options.checks.*check.bound).alert_after;
  result.means = check.means;
  if (!note.known) return result;
  if (result.failing_steps < note.outcome.least) result.failing_steps = 0;
  if (result.failing_steps != 0) result.since_step = track.failing_since;
  result.min = note.outcome.min;
  result.max = note.outcome.max;
  result.value = note.outcome.value;
  result.step = note.step;
  return result;
}

Judgement Judge::Impl::StepJudgement() const {
  Judgement judgement;
  judgement.training_steps = history_.steps();
  judgement.findings.reserve(table_.size() + kTimeFindings);
  judgement.checks.reserve(Checks().size());
  const std::int64_t newest = history_.newest().step;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const LevelTrack& track = LogOf(table_[i].trigger).now(i);
    if (track.applies) judgement.findings.push_back(FindingOf(i));
    if (track.cleared >= 0 && track.published == Level::kNone &&
        newest - track.cleared <= kRecoveredFor) {
      judgement.recovered.push_back({table_[i].name, track.cleared});
    }
  }
  const std::span<const Check> checks = Checks();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const LevelLog& log = LogOf(checks[i].trigger);
    if (log.now(table_.size() + i).applies) {
      judgement.checks.push_back(ResultOf(i));
    }
  }
  return judgement;
}

std::vector<StepRule> AllStepRules() {
  std::vector<StepRule> all(FailureRules().begin(), FailureRules().end());
  all.insert(all.end(), QualityRules().begin(), QualityRules().end());
  return all;
}

Judge::Judge(std::shared_ptr<const RunRules> rules)
    : impl_(std::make_unique<Impl>(std::move(rules), RuleTable::Default())) {}
Judge::Judge(std::shared_ptr<const RunRules> rules, std::vector<StepRule> table)
    : impl_(std::make_unique<Impl>(
          std::move(rules),
          std::make_shared<const RuleTable>(std::move(table)))) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

void Judge::SetRules(std::shared_ptr<const RunRules> rules) {
  impl_->SetRules(std::move(rules));
}
void Judge::SetFacts(std::shared_ptr<const RunFacts> facts) {
  impl_->SetFacts(std::move(facts));
}
void Judge::Apply(const StepRecord& record) { impl_->Apply(record); }
void Judge::StartNewText() { impl_->StartNewText(); }
void Judge::Prefetch(std::size_t stage) const { impl_->Prefetch(stage); }
const History& Judge::history() const { return impl_->history(); }
Judgement Judge::StepJudgement() const { return impl_->StepJudgement(); }
std::optional<Level> Judge::raw_level(std::string_view rule) const {
  return impl_->raw_level(rule);
}

}  // namespace rlrun
