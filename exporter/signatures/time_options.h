// The numbers of the time and event rules. Filled by config from `rules:`.
#pragma once

namespace rlrun {

struct TimeOptions {};

}  // namespace rlrun
