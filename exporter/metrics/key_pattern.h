// The pattern of a key template, parsed once and matched against step keys.
// KeyTemplate (options.h) says what a pattern means.
// Immutable; safe to use from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/metrics/options.h"

namespace rlrun {

class KeyPattern {
 public:
  // Returns an empty string and fills *pattern, or says what is wrong with the
  // template: its pattern, its family or a label name.
  static std::string Parse(const KeyTemplate& source, KeyPattern* pattern);

  // Whether `key` matches; then *values holds one text per label_names() entry,
  // each of them pointing into `key` and not empty.
  bool Matches(std::string_view key,
               std::vector<std::string_view>* values) const;
  const std::vector<std::string>& label_names() const { return label_names_; }

 private:
  enum class Kind { kLiteral, kOne, kMany, kAt };
  struct Part {
    Kind kind;
    std::string literal;
  };
  std::string AddPart(std::string_view text, bool last);

  std::vector<Part> parts_;
  std::vector<std::string> label_names_;  // in the order of the parts
};

}  // namespace rlrun
