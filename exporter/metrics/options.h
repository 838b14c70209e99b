// How step keys become series. Filled by config from `keys:`.
#pragma once

#include <string>
#include <vector>

namespace rlrun {

// A key that matches `pattern` becomes a sample of `family` with labels.
// `<name>` matches one segment between slashes and becomes the label `name`;
// `<name...>`, at most once in a pattern, matches one or more segments;
// `<name@>`, at its end only, matches from the last segment that contains an
// `@` to the end of the key. A label is never empty: a key that would make it
// so does not match.
struct KeyTemplate {
  std::string pattern;  // `timing_s/<phase>`
  std::string family;   // without `rlrun_step_`: `timing_s`
  // Label that is always added with a fixed value; empty name: none.
  std::string fixed_label;
  std::string fixed_value;
};

struct MetricsOptions {
  // Globs over verbatim keys. A key is exposed if it matches any of `include`
  // (empty: every key) and none of `exclude`.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  // Tried in front of the built-in table; the first match wins.
  std::vector<KeyTemplate> templates;
};

}  // namespace rlrun
