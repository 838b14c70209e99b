// Keeps errors together that belong together, so that the first of them, not
// its loudest echo, is shown. An error belongs to the burst before it if it
// stands within 200 lines of the burst's newest error, or within 60 s of it by
// their stamps; a step line in between ends the burst: what the trainer goes on
// after did not stop it. So does a severe error behind ones that a run lives
// with (an agent's tool call that could not be read, a retry).
// Which lines are errors is decided by error_line.h.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/formats/error_line.h"
#include "parsers/model/log_events.h"

namespace rlrun {

class ErrorBursts {
 public:
  // `line_number` counts the lines of the text; `is_through`: the run is behind
  // its last step. Returns whether anything was taken.
  bool Offer(const ErrorLine& line, std::uint64_t line_number,
             const LogMark& mark, bool is_through, LogEvents* events);
  // A step line of training.
  void EndBurst() { open_.reset(); }

 private:
  bool OfferError(const ErrorLine& line, std::uint64_t line_number,
                  const LogMark& mark, bool is_through, LogEvents* events);
  bool OfferException(const ErrorLine& line, std::uint64_t line_number,
                      const LogMark& mark, LogEvents* events);
  bool IsNear(std::uint64_t line_number, const LogMark& mark) const;
  void Publish(LogEvents* events) const;

  std::optional<ErrorBurst> open_;
  std::uint64_t newest_line_ = 0;
  bool wants_exception_ = false;  // a traceback of the burst has not ended
  bool cause_is_wrapped_ = false;
  std::optional<std::uint64_t> health_timeout_line_;
};

}  // namespace rlrun
