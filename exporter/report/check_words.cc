#include "exporter/report/check_words.h"

#include <algorithm>
#include <span>

#include "exporter/report/report_numbers.h"
#include "exporter/signatures/check.h"

namespace rlrun {

std::vector<const Finding*> ActiveFindings(
    const std::vector<Finding>& findings) {
  std::vector<const Finding*> out;
  for (const Finding& f : findings) {
    if (f.level != Level::kNone) out.push_back(&f);
  }
  std::stable_sort(
      out.begin(), out.end(),
      [](const Finding* a, const Finding* b) { return a->level > b->level; });
  return out;
}

bool IsOpenAtMin(const CheckResult& check) {
  return check.name == "actor_lr" && check.min == 0.0;
}

std::string BoundText(const Evidence& evidence) {
  if (!evidence.bound) return "";
  const Side side = SideOf(evidence);
  return (side == Side::kAbove   ? "above "
          : side == Side::kBelow ? "below "
                                 : "") +
         EvidenceNumber(evidence.key, *evidence.bound);
}

std::string CheckValue(const CheckResult& check) {
  const bool absent =
      check.name == "pg_clipfrac_absent" && check.failing_steps == 0;
  return check.value && !absent ? ReportNumber(*check.value) : "-";
}

std::string OutOfRange(const CheckResult& check) {
  const bool one = check.failing_steps == 1;
  const std::span<const Check> all = Checks();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Check& c) {
    return c.name == check.name;
  });
  const bool validations =
      it != all.end() && it->trigger == RuleTrigger::kValidation;
  const std::string count = std::to_string(check.failing_steps) +
                            (validations ? " validation" : " step") +
                            (one ? "" : "s");
  if (!check.since_step) return "for " + count;
  return "since step " + std::to_string(*check.since_step) + " (" + count + ")";
}

std::string HealthyRange(const CheckResult& check) {
  std::string out;
  if (check.name == "reward_nonzero") out = "not 0 since the start";
  if (check.name == "val_nonzero") out = "not all 0";
  if (check.name == "pg_clipfrac_absent") out = "absent";
  if (check.min) {
    out += (IsOpenAtMin(check) ? "more than " : "at least ") +
           ReportNumber(*check.min);
  }
  if (check.max) {
    out += (out.empty() ? "" : ", ") + std::string("at most ") +
           ReportNumber(*check.max);
  }
  return out;
}

}  // namespace rlrun
