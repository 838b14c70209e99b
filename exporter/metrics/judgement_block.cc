#include "exporter/metrics/judgement_block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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

// Samples as text.
class TextWriter {
 public:
  explicit TextWriter(std::string_view common) : common_(common) {}

  void Add(const Header& family, Label label, double value) {
    builder_.Add(family, common_, {&label, 1}, value);
  }
  void Add(const Header& family, Label first, Label second, double value) {
    const std::array<Label, 2> labels = {first, second};
    builder_.Add(family, common_, labels, value);
  }
  void AddEvidence(const Header& family, std::string_view signature,
                   const Evidence& evidence) {
    const std::string key = KeyLabelValue(evidence.key);
    Add(family, {"signature", signature}, {"key", key}, evidence.value);
  }
  void Reserve(std::size_t samples) {
    builder_.Reserve(samples, kNameAndValue + common_.size());
  }
  SampleBlock Build() { return builder_.Build(); }

 private:
  std::string_view common_;
  BlockBuilder builder_;
};

// What they are and their values, without a text. Names are there for good.
class ShapeWriter {
 public:
  explicit ShapeWriter(SampleShape* shape) : shape_(shape) { shape_->Clear(); }

  void Add(const Header& family, Label label, double value) {
    shape_->Add(family.get(), SampleShape::Lasting(label.value), value);
  }
  void Add(const Header& family, Label first, Label second, double value) {
    shape_->Add(family.get(),
                SampleShape::Both(SampleShape::Lasting(first.value),
                                  SampleShape::Lasting(second.value)),
                value);
  }
  void AddEvidence(const Header& family, std::string_view signature,
                   const Evidence& evidence) {
    shape_->Add(family.get(),
                SampleShape::Both(SampleShape::Lasting(signature),
                                  SampleShape::Text(evidence.key)),
                evidence.value);
  }

 private:
  SampleShape* shape_;
};

// One sample per name, one of them 1.
template <std::size_t N, typename Value, typename Out>
void AddState(const Header& family, std::string_view label,
              const std::array<std::string_view, N>& names, Value current,
              Out* out) {
  for (std::size_t i = 0; i < N; ++i) {
    out->Add(family, {label, names[i]},
             i == static_cast<std::size_t>(current) ? 1 : 0);
  }
}

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

template <typename Out>
void AddEvidence(const Header& family, const Finding& finding, Out* out) {
  std::array<const Evidence*, kMaxEvidence> shown{};
  std::size_t count = 0;
  for (const Evidence& evidence : finding.evidence) {
    if (count == kMaxEvidence) break;
    const bool is_new =
        std::none_of(shown.begin(), shown.begin() + count,
                     [&](const Evidence* e) { return e->key == evidence.key; });
    if (!is_new) continue;
    shown[count++] = &evidence;
    out->AddEvidence(family, finding.name, evidence);
  }
}

// Family after family in the order of their names: so the block is in order
// when it is built.
template <typename Out>
void AddFindings(const Families& family,
                 const std::vector<const Finding*>& findings, Out* out) {
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

template <typename Out>
void AddChecks(const Families& family,
               const std::vector<const CheckResult*>& checks, Out* out) {
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

template <typename Out>
void AddAll(const Judgement& judgement,
            const std::vector<const Finding*>& findings,
            const std::vector<const CheckResult*>& checks, Out* out) {
  static const Families family;
  AddChecks(family, checks, out);
  if (judgement.decision) {
    AddState(family.decision, "decision", kDecisionNames, *judgement.decision,
             out);
  }
  AddState(family.health, "level", kHealthNames, judgement.health, out);
  AddFindings(family, findings, out);
  AddState(family.state, "state", kRunStateNames, judgement.state, out);
}

template <typename T>
std::vector<const T*> Pointers(const std::vector<T>& all) {
  std::vector<const T*> out;
  out.reserve(all.size());
  for (const T& item : all) out.push_back(&item);
  return out;
}

}  // namespace

SampleBlock RenderJudgement(const Judgement& judgement,
                            std::string_view common) {
  TextWriter out(common);
  const auto checks = ByName(judgement.checks);
  const auto findings = ByName(judgement.findings);
  out.Reserve(kStates + 2 * checks.size() + 3 * findings.size());
  AddAll(judgement, findings, checks, &out);
  return out.Build();
}

std::shared_ptr<const SampleBlock> JudgementBlock::Render(
    const Judgement& judgement, std::string_view common) {
  const std::uint64_t before = shape_.hash();
  ShapeWriter shape(&shape_);
  AddAll(judgement, Pointers(judgement.findings), Pointers(judgement.checks),
         &shape);
  if (block_.can_revise() && shape_.hash() == before && common == common_) {
    block_.Revise(shape_.values());
    return block_.block();
  }
  common_ = common;
  SampleBlock block = RenderJudgement(judgement, common);
  if (block.samples != shape_.values().size()) {
    // A name that is there twice: rendered anew each time.
    shape_.Clear();
    return std::make_shared<const SampleBlock>(std::move(block));
  }
  block_.Set(std::move(block), shape_.values());
  return block_.block();
}

}  // namespace rlrun
