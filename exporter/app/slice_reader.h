// What a thread of its own reads in slices, beside the logs of a root: trial
// directories, record stores. `Pass` belongs to that thread; the others are for
// any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "exporter/app/now.h"

namespace rlrun {

class SliceReader {
 public:
  virtual ~SliceReader() = default;
  // Does what is due until `go_on`, which is asked before every few calls of
  // the file system, says no. Returns the seconds until something is due; 0:
  // more is waiting.
  virtual double Pass(Now now, const std::function<bool()>& go_on) = 0;
  // There is something to take.
  virtual bool HasNews() const = 0;
  // Before the first Pass: calls of every reader that shares `since` count as
  // calls of this one.
  virtual void ShareWait(std::shared_ptr<std::atomic<double>> since) = 0;
};

}  // namespace rlrun
