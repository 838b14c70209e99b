#include "exporter/metrics/judgement_block.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/step_families.h"

namespace rlrun {
namespace {

using Header = std::shared_ptr<const FamilyHeader>;

constexpr std::size_t kMaxEvidence = 4;
constexpr std::size_t kStates = 16;        // samples of states, about
constexpr std::size_t kNameAndValue = 80;  // bytes of a sample, about

struct Families {
  Header failing = Family("rlrun_check_failing_steps");
  Header threshold = Family("rlrun_check_threshold");
  Header decision = Family("rlrun_decision");
  Header health = Family("rlrun_health");
  Header activations = Family("rlrun_signature_activations_total");
  Header active = Family("rlrun_signature_active");
  Header evidence = Family("rlrun_signature_evidence");
  Header since = Family("rlrun_signature_since_step");
  Header state = Family("rlrun_state");
};

class Writer {
 public:
  explicit Writer(std::string_view common) : common_(common) {}

  void Add(const Header& family, Label label, double value) {
    builder_.Add(family, common_, {&label, 1}, value);
  }
  void Add(const Header& family, Label first, Label second, double value) {
    const std::array<Label, 2> labels = {first, second};
    builder_.Add(family, common_, labels, value);
  }
  // One sample per name, one of them 1.
  template <std::size_t N, typename Value>
  void AddState(const Header& family, std::string_view label,
                const std::array<std::string_view, N>& names, Value current) {
    for (std::size_t i = 0; i < N; ++i) {
      Add(family, {label, names[i]},
          i == static_cast<std::size_t>(current) ? 1 : 0);
    }
  }
  void Reserve(std::size_t samples) {
    builder_.Reserve(samples, kNameAndValue + common_.size());
  }
  SampleBlock Build() { return builder_.Build(); }

 private:
  std::string_view common_;
  BlockBuilder builder_;
};

// The first of each name.
template <typename T>
std::vector<const T*> ByName(const std::vector<T>& all) {
  std::vector<const T*> out;
  out.reserve(all.size());
  for (const T& item : all) {
    const bool is_new = std::none_of(
        out.begin(), out.end(),
        [&item](const T* other) { return other->name == item.name; });
    if (is_new) out.push_back(&item);
  }
  return out;
}

void AddEvidence(const Header& family, const Finding& finding, Writer* out) {
  std::set<std::string> keys;
  for (const Evidence& evidence : finding.evidence) {
    if (keys.size() == kMaxEvidence) break;
    const auto [key, is_new] = keys.insert(KeyLabelValue(evidence.key));
    if (!is_new) continue;
    out->Add(family, {"signature", finding.name}, {"key", *key},
             evidence.value);
  }
}

// Family after family in the order of their names: so the block is in order
// when it is built.
void AddFindings(const Families& family,
                 const std::vector<const Finding*>& findings, Writer* out) {
  for (const Finding* f : findings) {
    out->Add(family.activations, {"signature", f->name},
             static_cast<double>(f->activations));
  }
  for (const Finding* f : findings) {
    for (const Level level :
         {Level::kInfo, Level::kWarning, Level::kCritical}) {
      if ((f->severities & LevelBit(level)) == 0) continue;
      out->Add(family.active, {"signature", f->name},
               {"severity", LevelName(level)}, f->level == level ? 1 : 0);
    }
  }
  for (const Finding* f : findings) {
    if (f->level != Level::kNone) AddEvidence(family.evidence, *f, out);
  }
  for (const Finding* f : findings) {
    if (f->level == Level::kNone || !f->since_step) continue;
    out->Add(family.since, {"signature", f->name},
             static_cast<double>(*f->since_step));
  }
}

void AddChecks(const Families& family,
               const std::vector<const CheckResult*>& checks, Writer* out) {
  for (const CheckResult* c : checks) {
    out->Add(family.failing, {"check", c->name},
             static_cast<double>(c->failing_steps));
  }
  for (const CheckResult* c : checks) {
    const Label name{"check", c->name};
    if (c->min) out->Add(family.threshold, name, {"bound", "min"}, *c->min);
    if (c->max) out->Add(family.threshold, name, {"bound", "max"}, *c->max);
  }
}

}  // namespace

SampleBlock RenderJudgement(const Judgement& judgement,
                            std::string_view common) {
  static const Families family;
  Writer out(common);
  const auto checks = ByName(judgement.checks);
  const auto findings = ByName(judgement.findings);
  out.Reserve(kStates + 2 * checks.size() + 3 * findings.size());
  AddChecks(family, checks, &out);
  if (judgement.decision) {
    out.AddState(family.decision, "decision", kDecisionNames,
                 *judgement.decision);
  }
  out.AddState(family.health, "level", kHealthNames, judgement.health);
  AddFindings(family, findings, &out);
  out.AddState(family.state, "state", kRunStateNames, judgement.state);
  return out.Build();
}

}  // namespace rlrun
