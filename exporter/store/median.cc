#include "exporter/store/median.h"

#include <algorithm>
#include <cstddef>

namespace rlrun {
namespace {

constexpr std::size_t kFew = 64;

// Puts the k-th smallest at its place, none smaller behind it, none larger in
// front of it. What is compared decides no jump but where the next value goes:
// of random values half of the jumps would be guessed wrongly. At most
// quadratic, hence for a few values only.
void SelectOfFew(std::span<double> v, std::size_t k) {
  std::size_t begin = 0, end = v.size();
  while (end - begin > 1) {
    const double a = v[begin], b = v[begin + (end - begin) / 2], c = v[end - 1];
    const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    std::size_t less = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const double x = v[i];
      v[i] = v[less];
      v[less] = x;
      less += x < pivot ? 1 : 0;
    }
    if (k < less) {
      end = less;
      continue;
    }
    std::size_t equal = less;
    for (std::size_t i = less; i < end; ++i) {
      const double x = v[i];
      v[i] = v[equal];
      v[equal] = x;
      equal += x == pivot ? 1 : 0;
    }
    if (k < equal) return;
    begin = equal;
  }
}

}  // namespace

double Median(std::span<double> values) {
  const std::size_t middle = values.size() / 2;
  if (values.size() <= kFew) {
    SelectOfFew(values, middle);
  } else {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(middle),
                     values.end());
  }
  if (values.size() % 2 != 0) return values[middle];
  double below = values[0];
  for (std::size_t i = 1; i < middle; ++i) below = std::max(below, values[i]);
  return (below + values[middle]) / 2;
}

}  // namespace rlrun
