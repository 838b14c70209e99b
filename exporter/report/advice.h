// What somebody who sees a finding for the first time can do about it now: one
// sentence by finding, level and the key that its evidence rests on. The rules'
// own sentences serve alerts, which know neither.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "exporter/signatures/judgement.h"

namespace rlrun {

// What following it costs.
enum class Cost : std::uint8_t { kRead = 0, kConfirm, kNextRun, kIrreversible };

struct Advice {
  Cost cost = Cost::kRead;
  std::string_view text;  // literal
};

// The rule's own sentence for a finding that is not known here.
Advice AdviceOn(const Finding& finding);
// What a check means, for one that is not known here.
Advice AdviceOn(const CheckResult& check);

// An active finding tells of the same as the check, and more.
bool Covers(const Finding& finding, const CheckResult& check);

// What a key of evidence that no log prints stands for: `disk_full` are lines
// that tell of a full disk. Empty: not known here.
std::string_view EvidenceWords(std::string_view key);

}  // namespace rlrun
