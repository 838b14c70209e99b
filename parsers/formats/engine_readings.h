// The newest throughput line of each replica of a source: remembered when it is
// seen, read when the facts are taken. What such a line looks like is in
// engine_line.h.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/formats/engine_line.h"
#include "parsers/lines/payload.h"
#include "parsers/model/log_events.h"

namespace rlrun {

class EngineReadings {
 public:
  // The views must live until EndBatch.
  void Note(const EngineLine& line, std::string_view payload,
            std::uint64_t offset, const ActorPrefix& prefix,
            const std::optional<Stamp>& stamp);
  // Copies what Note was given views of.
  void EndBatch();
  // Adds the readings to *events, later ones over earlier ones, and forgets the
  // lines. Replicas beyond kMaxEngines are counted, not kept.
  void Take(LogEvents* events);

 private:
  struct Slot {
    std::string pid, ip, number;
    EngineLineKind kind = EngineLineKind::kNone;
    std::uint64_t offset = 0;
    std::optional<Stamp> stamp;
    std::string_view view;  // of this batch; empty: `text` holds it
    std::string text;
  };

  std::vector<std::uint64_t> keys_;  // of slots_, side by side for the search
  std::vector<Slot> slots_;
  std::uint64_t dropped_ = 0;
};

}  // namespace rlrun
