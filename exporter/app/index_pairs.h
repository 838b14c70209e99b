// Pairs of indices into a list of files: the two are of one run. Plain data.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace rlrun {

using IndexPairs = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace rlrun
