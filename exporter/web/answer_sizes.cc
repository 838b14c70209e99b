#include "exporter/web/answer_sizes.h"

namespace rlrun {
namespace {

// Who asks for ever new paths makes the others unknown again, no more.
constexpr std::size_t kMostPaths = 256;
constexpr std::size_t kLongestPath = 256;

// Method and path, without the query.
std::string_view PathOf(std::string_view head) {
  const std::size_t method = head.find(' ');
  const std::size_t end = head.find_first_of(" ?\r\n", method + 1);
  return head.substr(0, end);
}

}  // namespace

std::optional<std::size_t> AnswerSizes::Expected(std::string_view head) const {
  const auto it = sizes_.find(PathOf(head));
  if (it == sizes_.end()) return std::nullopt;
  return it->second;
}

void AnswerSizes::Note(std::string_view head, std::size_t bytes) {
  const std::string_view path = PathOf(head);
  if (path.size() > kLongestPath) return;
  const auto it = sizes_.find(path);
  if (it != sizes_.end()) {
    it->second = bytes;
    return;
  }
  if (sizes_.size() >= kMostPaths) sizes_.clear();
  sizes_.emplace(path, bytes);
}

}  // namespace rlrun
