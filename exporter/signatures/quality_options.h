// The numbers of the training-quality signals. Filled by config from `rules:`.
#pragma once

namespace rlrun {

struct QualityOptions {};

}  // namespace rlrun
