// What is known of a run's processes on this host, as plain values. Whoever
// looks at processes fills it; "gone" is only said of what was seen alive here.
// Plain data; freely moved between threads. Times are Unix seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rlrun {

enum class ProcessPresence : std::uint8_t {
  kNeverSeen = 0,  // nothing is known: it may run on another host
  kAlive,
  kGone,  // was seen alive here and has ended
};

struct ProcessFact {
  ProcessPresence presence = ProcessPresence::kNeverSeen;
  // The rest is of the process that is, or was, the run's.
  std::int64_t pid = 0;
  std::optional<double> start_time;
  double last_seen = 0;
  double gone_since = 0;  // with kGone: first look that did not find it
  // Not kAlive, and a process that could not be looked at may be it or its
  // successor: no death may be concluded.
  bool incomplete = false;

  bool alive() const { return presence == ProcessPresence::kAlive; }
  // Was seen here, has ended, and nothing may have taken its place.
  bool died() const {
    return presence == ProcessPresence::kGone && !incomplete;
  }
  bool operator==(const ProcessFact&) const = default;
};

struct ProcessFacts {
  ProcessFact trainer;
  ProcessFact runner;
  // GPUs that the run's processes compute on; absent: none of them is alive
  // here, or it cannot be told.
  std::optional<std::size_t> gpus;

  bool operator==(const ProcessFacts&) const = default;
};

}  // namespace rlrun
