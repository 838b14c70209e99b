// The two times of a Tick, always injected. Plain data.
#pragma once

namespace rlrun {

struct Now {
  double steady = 0;  // seconds since any fixed point; never goes back
  double wall = 0;    // Unix seconds
};

}  // namespace rlrun
