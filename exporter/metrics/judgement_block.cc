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
  SampleBlock Build() { return builder_.Build(); }

 private:
  std::string_view common_;
  BlockBuilder builder_;
};

// The first of each name.
template <typename T>
std::vector<const T*> ByName(const std::vector<T>& all) {
  std::vector<const T*> out;
  std::set<std::string_view> names;
  for (const T& item : all) {
    if (names.insert(item.name).second) out.push_back(&item);
  }
  return out;
}

void AddEvidence(const Families& family, const Finding& finding, Writer* out) {
  std::set<std::string> keys;
  for (const Evidence& evidence : finding.evidence) {
    if (keys.size() == kMaxEvidence) break;
    const auto [key, is_new] = keys.insert(KeyLabelValue(evidence.key));
    if (!is_new) continue;
    out->Add(family.evidence, {"signature", finding.name}, {"key", *key},
             evidence.value);
  }
}

void AddFinding(const Families& family, const Finding& finding, Writer* out) {
  const Label signature{"signature", finding.name};
  out->Add(family.activations, signature,
           static_cast<double>(finding.activations));
  for (const Level level : {Level::kInfo, Level::kWarning, Level::kCritical}) {
    if ((finding.severities & LevelBit(level)) == 0) continue;
    out->Add(family.active, signature, {"severity", LevelName(level)},
             finding.level == level ? 1 : 0);
  }
  if (finding.level == Level::kNone) return;
  AddEvidence(family, finding, out);
  if (finding.since_step) {
    out->Add(family.since, signature, static_cast<double>(*finding.since_step));
  }
}

void AddCheck(const Families& family, const CheckResult& check, Writer* out) {
  const Label name{"check", check.name};
  out->Add(family.failing, name, static_cast<double>(check.failing_steps));
  if (check.min) out->Add(family.threshold, name, {"bound", "min"}, *check.min);
  if (check.max) out->Add(family.threshold, name, {"bound", "max"}, *check.max);
}

}  // namespace

SampleBlock RenderJudgement(const Judgement& judgement,
                            std::string_view common) {
  static const Families family;
  Writer out(common);
  for (const CheckResult* check : ByName(judgement.checks)) {
    AddCheck(family, *check, &out);
  }
  if (judgement.decision) {
    out.AddState(family.decision, "decision", kDecisionNames,
                 *judgement.decision);
  }
  out.AddState(family.health, "level", kHealthNames, judgement.health);
  for (const Finding* finding : ByName(judgement.findings)) {
    AddFinding(family, *finding, &out);
  }
  out.AddState(family.state, "state", kRunStateNames, judgement.state);
  return out.Build();
}

}  // namespace rlrun
