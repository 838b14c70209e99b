#include "exporter/report/run_match.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace rlrun {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Insertions, deletions and replacements that make `b` of `a`: of the front of
// `b` that takes the fewest, and of all of it.
std::pair<std::size_t, std::size_t> Distance(std::string_view a,
                                             std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return {*std::min_element(row.begin(), row.end()), row.back()};
}

template <class Accepts>
bool HasId(const RunName& name, Accepts accepts) {
  return std::any_of(name.ids.begin(), name.ids.end(), accepts);
}

using Accepts = std::function<bool(const RunName&)>;

std::vector<std::size_t> Select(const std::vector<RunName>& runs,
                                const Accepts& accepts) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (accepts(runs[i])) out.push_back(i);
  }
  return out;
}

}  // namespace

std::string FullName(const RunName& name) {
  return name.project.empty() ? name.run : name.project + "/" + name.run;
}

std::vector<std::size_t> MatchRuns(std::string_view text,
                                   const std::vector<RunName>& runs) {
  const bool no_project = text.starts_with("-/");
  if (no_project) text.remove_prefix(2);
  if (text.empty()) return {};
  const auto in_scope = [no_project](const RunName& n) {
    return !no_project || n.project.empty();
  };
  const std::string wanted = Lower(text);
  const Accepts steps[] = {
      [&](const RunName& n) { return FullName(n) == text; },
      [&](const RunName& n) { return n.run == text; },
      [&](const RunName& n) {
        return HasId(n, [&](const std::string& id) { return id == text; });
      },
      [&](const RunName& n) {
        return Lower(n.run).starts_with(wanted) ||
               Lower(FullName(n)).starts_with(wanted) ||
               HasId(n, [&](const std::string& id) {
                 return Lower(id).starts_with(wanted);
               });
      },
      [&](const RunName& n) {
        return Lower(FullName(n)).find(wanted) != std::string::npos ||
               HasId(n, [&](const std::string& id) {
                 return Lower(id).find(wanted) != std::string::npos;
               });
      }};
  for (const Accepts& step : steps) {
    std::vector<std::size_t> found =
        Select(runs, [&](const RunName& n) { return in_scope(n) && step(n); });
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::size_t> NearestRuns(std::string_view text,
                                     const std::vector<RunName>& runs,
                                     std::size_t most) {
  constexpr std::size_t kLongest = 256;  // names are compared up to here
  const std::string wanted = Lower(text.substr(0, kLongest));
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>>
      order;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string run = Lower(runs[i].run).substr(0, kLongest);
    const std::string full = Lower(FullName(runs[i])).substr(0, kLongest);
    order.emplace_back(std::min(Distance(wanted, run), Distance(wanted, full)),
                       i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out;
  for (const auto& [distance, i] : order) {
    if (out.size() == most) break;
    out.push_back(i);
  }
  return out;
}

}  // namespace rlrun
