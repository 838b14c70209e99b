#include "exporter/config/checks.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace rlrun {
namespace {

// Labels that series of the exporter, present or planned, carry themselves.
constexpr std::array<std::string_view, 30> kReserved = {
    "run",       "project", "key",      "line",      "source",      "outcome",
    "reason",    "phase",   "stage",    "statistic", "data_source", "variable",
    "framework", "mode",    "sources",  "signature", "severity",    "check",
    "bound",     "kind",    "engine",   "state",     "role",        "exception",
    "split",     "level",   "decision", "le",        "job",         "instance"};

bool IsLabelName(std::string_view name) {
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9');
         });
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string CheckRootLabel(std::string_view name, std::string_view value) {
  if (!IsLabelName(name)) {
    return "no label name; letters, digits and _ make one";
  }
  if (name.starts_with("__")) return "label names with __ are Prometheus's own";
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    return "the exporter's own series use this label";
  }
  if (value.empty()) {
    return "must not be empty; Prometheus takes an empty label for an absent "
           "one";
  }
  return "";
}

std::string CheckRunName(const std::string& pattern) {
  if (pattern.empty()) return "";
  const RE2 re(pattern, RE2::Quiet);
  if (!re.ok()) {
    const bool other_syntax = pattern.find("(?<") != pattern.npos;
    return re.error() +
           (other_syntax ? "; named groups are written (?P<run>...)" : "");
  }
  const auto& groups = re.NamedCapturingGroups();
  if (groups.find("run") == groups.end()) {
    return "the pattern has no group (?P<run>...)";
  }
  for (const auto& [group, number] : groups) {
    if (group != "run" && group != "project") {
      return "unknown group " + group + "; only run and project are used";
    }
  }
  return "";
}

std::string CheckRootPath(std::string_view path) {
  if (path.empty()) return "must not be empty";
  if (path == "~" || path.starts_with("~/")) {
    return "~ is not expanded; write the whole path";
  }
  return "";
}

std::string_view NearestName(std::string_view name,
                             const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t best = 1 + std::max<std::size_t>(1, name.size() / 3);
  if (name.size() > 100) return nearest;
  for (const std::string_view candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace rlrun
