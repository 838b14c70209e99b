#include "exporter/discovery/path_glob.h"

namespace rlrun {
namespace {

// Matches the set that starts behind `[` in `p`; *used gets its length up to
// and with `]`. False and *used = 0 if the set is not closed: `[` is then text.
bool MatchSet(std::string_view p, char c, std::size_t* used) {
  std::size_t i = 0;
  const bool negated = !p.empty() && (p[0] == '!' || p[0] == '^');
  if (negated) ++i;
  bool found = false;
  bool first = true;
  while (i < p.size() && (first || p[i] != ']')) {
    first = false;
    if (i + 2 < p.size() && p[i + 1] == '-' && p[i + 2] != ']') {
      found = found || (p[i] <= c && c <= p[i + 2]);
      i += 3;
    } else {
      found = found || p[i] == c;
      ++i;
    }
  }
  if (i >= p.size()) {
    *used = 0;
    return false;
  }
  *used = i + 1;
  return found != negated;
}

}  // namespace

bool HasGlob(std::string_view path) {
  return path.find_first_of("*?[") != std::string_view::npos;
}

bool MatchSegment(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  // Greedy with one point of return: the last `*` seen.
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, star_n = 0;
  while (n < name.size()) {
    bool ok = false;
    std::size_t step = 1;
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = p++;
        star_n = n;
        continue;
      }
      if (pattern[p] == '?') {
        ok = true;
      } else if (pattern[p] == '[') {
        std::size_t used = 0;
        ok = MatchSet(pattern.substr(p + 1), name[n], &used);
        if (used == 0) ok = name[n] == '[';
        step = 1 + used;
      } else {
        ok = pattern[p] == name[n];
      }
    }
    if (ok) {
      p += step;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_n;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) parts.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace rlrun
