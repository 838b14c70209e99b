#include "exporter/signatures/state_findings.h"

#include <algorithm>
#include <utility>

#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"

namespace rlrun {
namespace {

// Steps for which a cleared finding is listed.
constexpr std::int64_t kListed = 10;

}  // namespace

StateFindings::StateFindings() {
  for (const auto rules : {EventRules(), TimeRules(), RecordRules()}) {
    for (const TimeRule& rule : rules) {
      Entry entry;
      entry.rule = &rule;
      entry.held.name = rule.name;
      entry.held.severities = rule.severities;
      entry.held.means = rule.means;
      entry.held.next = rule.next;
      entries_.push_back(std::move(entry));
    }
  }
}

void StateFindings::Judge(const TimeOptions& options,
                          const StateInputs& inputs) {
  const bool trained = inputs.times.training_lines != training_lines_;
  if (trained || inputs.times.texts != texts_) {
    for (Entry& entry : entries_) Quiet(&entry.held);
  }
  training_lines_ = inputs.times.training_lines;
  texts_ = inputs.times.texts;
  for (Entry& entry : entries_) Evaluate(options, inputs, &entry);
  Publish(options, inputs);
  NoteChanges(inputs, trained);
}

void StateFindings::Evaluate(const TimeOptions& options,
                             const StateInputs& inputs, Entry* entry) {
  RuleResult result = entry->rule->evaluate(options, inputs);
  entry->applies = result.kind != RuleResult::Kind::kNotApplicable;
  if (result.kind == RuleResult::Kind::kNotEvaluated) return;
  entry->held.level = result.level;
  entry->held.evidence = std::move(result.evidence);
  entry->held.detail = std::move(result.detail);
}

void StateFindings::Publish(const TimeOptions& options,
                            const StateInputs& inputs) {
  published_.clear();
  for (const Entry& entry : entries_) {
    if (entry.applies) published_.push_back(entry.held);
  }
  SuppressFindings(&published_);
  const RunState state = DecideState(options, inputs, published_, lost_).state;
  lost_ = state == RunState::kLost;
  if (IsEnded(state)) {
    ClearWaiting(&published_);
    for (Entry& entry : entries_) {
      // What an end has cleared does not come back with the next line.
      if (entry.rule->name == "stall" || entry.rule->name == "no_progress") {
        Quiet(&entry.held);
      }
    }
  }
}

// Counts what has become active; lists what a training line has cleared.
void StateFindings::NoteChanges(const StateInputs& inputs, bool trained) {
  if (trained && inputs.newest_step) {
    std::erase_if(recovered_, [&](const Recovered& r) {
      return *inputs.newest_step < r.step ||
             *inputs.newest_step - r.step > kListed;
    });
  }
  for (Entry& entry : entries_) {
    const auto it = std::find_if(
        published_.begin(), published_.end(),
        [&](const Finding& f) { return f.name == entry.rule->name; });
    const bool active = it != published_.end() && it->level != Level::kNone;
    if (active && !entry.active) {
      ++entry.activations;
      entry.since_step = inputs.newest_step;
    } else if (entry.active && !active) {
      if (trained) NoteRecovered(entry, inputs.newest_step);
      entry.since_step.reset();
    }
    entry.active = active;
    if (it == published_.end()) continue;
    it->activations = entry.activations;
    it->since_step = entry.since_step;
  }
}

void StateFindings::NoteRecovered(const Entry& entry,
                                  std::optional<std::int64_t> step) {
  // A rewind below the finding takes it back.
  if (!step || entry.since_step.value_or(*step) > *step) return;
  std::erase_if(recovered_,
                [&](const Recovered& r) { return r.name == entry.rule->name; });
  recovered_.push_back({entry.rule->name, *step});
}

}  // namespace rlrun
