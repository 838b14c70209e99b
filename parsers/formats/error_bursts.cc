#include "parsers/formats/error_bursts.h"

#include <cmath>

#include "parsers/formats/event_text.h"

namespace rlrun {
namespace {

using Kind = LogErrorKind;
using Role = ErrorLine::Role;
constexpr std::uint64_t kNearLines = 200;
constexpr double kNearSeconds = 60;

bool IsSevere(Kind kind) {
  return kind != Kind::kRetry && kind != Kind::kHttpRate &&
         kind != Kind::kSandbox && kind != Kind::kToolParser &&
         kind != Kind::kNonfiniteUpdate;
}

// The line says what happened, not only that something did.
bool IsSpecific(Kind kind) {
  return IsSevere(kind) && kind != Kind::kTraceback &&
         kind != Kind::kTrainerCrash;
}

std::optional<double> SecondsBetween(const Stamp& a, const Stamp& b) {
  if (a.year != b.year || a.month != b.month || a.day != b.day) {
    return std::nullopt;
  }
  const auto seconds = [](const Stamp& s) {
    return s.hour * 3600.0 + s.minute * 60.0 + s.second;
  };
  return std::abs(seconds(a) - seconds(b));
}

}  // namespace

bool ErrorBursts::Offer(const ErrorLine& line, std::uint64_t line_number,
                        const LogMark& mark, bool is_through,
                        LogEvents* events) {
  switch (line.role) {
    case Role::kNone:
      return false;
    case Role::kHealthTimeout: {
      // One under long prompts is none; two in short order are.
      const bool again = health_timeout_line_ &&
                         line_number - *health_timeout_line_ <= kNearLines;
      health_timeout_line_ = line_number;
      return again && OfferError(line, line_number, mark, is_through, events);
    }
    case Role::kError:
      return OfferError(line, line_number, mark, is_through, events);
    case Role::kJobEnd:
      // The block's first line has counted.
      if (open_ && open_->has(Kind::kTrainerCrash)) {
        newest_line_ = line_number;
        wants_exception_ = false;
        return true;
      }
      return OfferError(line, line_number, mark, is_through, events);
    case Role::kException:
    case Role::kWrapped:
      return OfferException(line, line_number, mark, events);
    case Role::kInterrupt:
      events->interrupt = {mark, EventText(line.text)};
      if (open_ && IsNear(line_number, mark)) {
        open_->interrupted = true;
        wants_exception_ = false;
        Publish(events);
      }
      return true;
  }
  return false;
}

bool ErrorBursts::OfferError(const ErrorLine& line, std::uint64_t line_number,
                             const LogMark& mark, bool is_through,
                             LogEvents* events) {
  if (is_through && line.is_normal_at_end) return false;
  ++events->errors[static_cast<std::size_t>(line.kind)];
  const bool severe = IsSevere(line.kind);
  if (!open_ || !IsNear(line_number, mark) || (severe && !open_->severe)) {
    open_.emplace();
    open_->first = {line.kind, mark, EventText(line.text)};
    open_->severe = severe;
    open_->of_helpers = line.of_helper;
    open_->after_end = is_through;
    wants_exception_ = false;
    cause_is_wrapped_ = false;
    if (!events->first_burst) events->first_burst = open_;
  }
  ErrorBurst& burst = *open_;
  if (line.kind == Kind::kTraceback) wants_exception_ = true;
  const bool knows_cause = burst.cause && burst.cause->kind != Kind::kTraceback;
  if (IsSpecific(line.kind) && !knows_cause) {
    burst.cause = {line.kind, mark, EventText(line.text)};
  }
  burst.of_helpers = burst.of_helpers && line.of_helper;
  burst.newest = mark;
  burst.kinds |= 1u << static_cast<unsigned>(line.kind);
  ++burst.errors;
  newest_line_ = line_number;
  Publish(events);
  return true;
}

// Of a chain of exceptions the one that is no carried-over copy.
bool ErrorBursts::OfferException(const ErrorLine& line,
                                 std::uint64_t line_number, const LogMark& mark,
                                 LogEvents* events) {
  if (!open_ || !wants_exception_ || !IsNear(line_number, mark)) return false;
  newest_line_ = line_number;
  if (!open_->cause || cause_is_wrapped_) {
    open_->cause = {Kind::kTraceback, mark, EventText(line.text)};
    cause_is_wrapped_ = line.role == Role::kWrapped;
    Publish(events);
  }
  // Behind a carried-over one stands the traceback that it carries.
  wants_exception_ = line.role == Role::kWrapped;
  return true;
}

bool ErrorBursts::IsNear(std::uint64_t line_number, const LogMark& mark) const {
  if (line_number - newest_line_ <= kNearLines) return true;
  if (!mark.stamp || !open_->newest.stamp) return false;
  const auto apart = SecondsBetween(*mark.stamp, *open_->newest.stamp);
  return apart && *apart <= kNearSeconds;
}

void ErrorBursts::Publish(LogEvents* events) const {
  events->newest_burst = open_;
  if (open_->severe) events->severe_burst = open_;
  if (events->first_burst &&
      events->first_burst->first.at.offset == open_->first.at.offset) {
    events->first_burst = open_;
  }
}

}  // namespace rlrun
