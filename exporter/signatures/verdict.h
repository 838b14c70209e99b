// Health and decision of a run (signatures.md, "Verdict"), and the one function
// that puts a whole Judgement together. Decides on training quality only:
// stall, process and infrastructure findings never give `stop`. A failed check
// makes a run at_risk and changes no decision. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exporter/signatures/judgement.h"
#include "exporter/signatures/state_findings.h"
#include "exporter/signatures/state_inputs.h"
#include "exporter/signatures/time_options.h"

namespace rlrun {

// What may give `stop` while critical: every training-quality signal, and the
// failure signatures about training itself.
bool IsQuality(std::string_view finding);

Health DecideHealth(const Judgement& judgement);

struct DecisionResult {
  std::optional<Decision> decision;  // absent: the run has ended
  std::string reason;                // a sentence
  WaitReason wait = WaitReason::kNone;
};
DecisionResult DecideDecision(const TimeOptions& options,
                              const StateInputs& inputs,
                              const Judgement& judgement);

// `steps`: findings and checks of step rules, as the judge has them.
Judgement MakeJudgement(Judgement steps, const StateFindings& times,
                        const TimeOptions& options, const StateInputs& inputs);

}  // namespace rlrun
