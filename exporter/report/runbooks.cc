#include "exporter/report/runbooks.h"

#include <algorithm>

namespace rlrun {
namespace {

std::string Named(std::string_view front, std::string_view name) {
  std::string out(front);
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    out +=
        begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  return out;
}

}  // namespace

const Runbook* FindRunbook(std::string_view name) {
  const std::span<const Runbook> all = Runbooks();
  const auto it = std::find_if(
      all.begin(), all.end(), [&](const Runbook& r) { return r.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::string RunbookOfSignature(std::string_view signature) {
  return Named("RLRun", signature);
}

std::string RunbookOfCheck(std::string_view check) {
  return Named("RLRunCheck", check);
}

}  // namespace rlrun
