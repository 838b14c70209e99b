// The numbers of the failure signatures. Filled by config from `rules:`.
#pragma once

namespace rlrun {

struct FailureOptions {};

}  // namespace rlrun
