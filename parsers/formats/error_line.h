// Says of one line whether it is an error that the run's operator would want to
// know of, and which. How errors belong together is for error_bursts.h.
//
//   (TaskRunner pid=7) ERROR:2026-07-16 18:48:04,595:Failed to decode tool
//   call: Extra data: line 2 column 9
//
// Accepts, at the front of a payload, of a logger's message, or of the message
//   behind `(raylet)`, `[rankN]:` and a glog head: fixed phrases; `Traceback
//   (most recent call last):`; an exception `pkg.NameError: text` by its name
//   or text; Hydra's block; in messages of level WARNING and up also phrases
//   anywhere in the first 512 bytes.
// Ignores: the same words elsewhere (escaped tracebacks inside a printed
// object,
//   answers of a model); raylet's "over 95% full", NCCL's warnings,
//   TorchMemorySaver's failed malloc.
// Rejects: nothing.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "parsers/model/log_events.h"

namespace rlrun {

struct ErrorLine {
  enum class Role : std::uint8_t {
    kNone,
    kError,
    kException,      // of no kind of its own: how a traceback ends
    kWrapped,        // the same, carried over from another process
    kInterrupt,      // KeyboardInterrupt, SIGTERM
    kJobEnd,         // the last line of Hydra's block
    kHealthTimeout,  // one alone is none
  };
  Role role = Role::kNone;
  LogErrorKind kind = LogErrorKind::kTraceback;
  // Normal for processes that are stopped when their run is through.
  bool is_normal_at_end = false;
  std::string_view text;  // the line from where the error begins
  // Printed by an actor that only generates; set by the caller.
  bool of_helper = false;
};

// `payload`: the line behind its prefixes; `has_actor`: it had one.
ErrorLine ParseErrorLine(std::string_view payload, bool has_actor);

}  // namespace rlrun
