#include "exporter/report/runbooks.h"

#include <algorithm>
#include <utility>

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

// Inside a string of PromQL that stands in Markdown's backticks.
std::string InQuery(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '`':
        out += "\\x60";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string FillRunbook(const Runbook& runbook, std::string_view project,
                        std::string_view run) {
  std::string out;
  std::string_view left = runbook.text;
  const std::pair<std::string_view, std::string> words[] = {
      {kUnfilled, ""},
      {"\"PROJECT\"", "\"" + InQuery(project) + "\""},
      {"\"RUN\"", "\"" + InQuery(run) + "\""}};
  while (!left.empty()) {
    std::size_t at = left.npos;
    const std::pair<std::string_view, std::string>* next = nullptr;
    for (const auto& word : words) {
      const std::size_t found = left.find(word.first);
      if (found >= at) continue;
      at = found;
      next = &word;
    }
    out += left.substr(0, at);
    if (next == nullptr) break;
    out += next->second;
    left.remove_prefix(at + next->first.size());
  }
  return out;
}

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
