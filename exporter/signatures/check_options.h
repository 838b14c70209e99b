// The bounds and patience of the health table. Filled by config from `rules:`.
#pragma once

namespace rlrun {

struct CheckOptions {};

}  // namespace rlrun
