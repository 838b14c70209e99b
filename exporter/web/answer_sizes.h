// How large the answer to a request will be, by what was answered under the
// same path before: so that no more of them are made at once than memory may be
// spent on.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

class AnswerSizes {
 public:
  // `head` of a request; bytes, or nothing where there was no answer yet.
  std::optional<std::size_t> Expected(std::string_view head) const;
  void Note(std::string_view head, std::size_t bytes);

 private:
  std::map<std::string, std::size_t, std::less<>> sizes_;
};

}  // namespace rlrun
