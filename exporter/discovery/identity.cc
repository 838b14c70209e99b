#include "exporter/discovery/identity.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <vector>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

constexpr std::array<std::string_view, 24> kGeneric = {
    "train",   "training", "output",        "console",    "log",
    "logs",    "main",     "run",           "runs",       "stdout",
    "stderr",  "nohup",    "metrics",       "logging",    "trainer_log",
    "files",   "wandb",    "trainer_state", "latest-run", "out",
    "history", "results",  "events",        "data"};

// `<prefix>` alone or followed by `-`, `_`, `.` and digits.
bool IsNumberedName(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return name.find_first_not_of("0123456789-_.") == std::string_view::npos;
}

// `Nov29_22-00-00_host`: below `runs/`, where whoever writes events was given
// no directory.
bool IsEventDirectory(std::string_view name) {
  constexpr std::string_view kShape = "Aaa00_00-00-00_";
  if (name.size() <= kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool fits = kShape[i] == '0'   ? std::isdigit(c) != 0
                      : kShape[i] == 'A' ? std::isupper(c) != 0
                      : kShape[i] == 'a' ? std::islower(c) != 0
                                         : name[i] == kShape[i];
    if (!fits) return false;
  }
  return true;
}

// `run-20260102_030405-<id>`, `offline-run-...`.
bool IsWandbDirectory(std::string_view name) {
  return name.starts_with("run-") || name.starts_with("offline-run-");
}

std::string Lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return out;
}

}  // namespace

struct PathNamer::Pattern {
  explicit Pattern(const std::string& text) : re(text, RE2::Quiet) {
    const auto& names = re.NamedCapturingGroups();
    if (const auto it = names.find("run"); it != names.end()) run = it->second;
    if (const auto it = names.find("project"); it != names.end()) {
      project = it->second;
    }
  }
  RE2 re;
  int run = 0;
  int project = 0;
};

PathNamer::PathNamer(const RootOptions& root)
    : root_path_(root.path.substr(0, root.path.find_first_of("*?["))) {
  // Of a glob, the directories in front of its first pattern.
  if (root_path_ != root.path) {
    root_path_.resize(root_path_.rfind('/') + 1);  // npos + 1 is 0
  }
  if (!root.run_name.empty()) {
    pattern_ = std::make_unique<Pattern>(root.run_name);
    if (!pattern_->re.ok() || pattern_->run == 0) pattern_.reset();
  }
}
PathNamer::~PathNamer() = default;
PathNamer::PathNamer(PathNamer&&) noexcept = default;

bool IsGenericName(std::string_view stem) {
  const std::string name = Lower(stem);
  if (name.empty()) return true;
  if (std::find(kGeneric.begin(), kGeneric.end(), name) != kGeneric.end()) {
    return true;
  }
  if (name.starts_with("launch_") && name.size() > 7 && name[7] >= '0' &&
      name[7] <= '9') {
    return true;
  }
  return IsNumberedName(name, "slurm") || IsNumberedName(name, "checkpoint") ||
         IsEventDirectory(stem);
}

std::string FileStem(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending :
       {".log", ".out", ".jsonl", ".txt", ".wandb", ".json"}) {
    if (name.ends_with(ending) && name.size() > ending.size()) {
      return std::string(name.substr(0, name.size() - ending.size()));
    }
  }
  return std::string(name);
}

std::string PathHash(std::string_view path) {
  std::uint32_t h = 2166136261u;
  for (const char c : path) {
    h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  std::string out(8, '0');
  for (int i = 7; i >= 0; --i, h >>= 4) {
    out[static_cast<std::size_t>(i)] = "0123456789abcdef"[h & 15u];
  }
  return out;
}

PathIdentity PathNamer::Name(std::string_view path,
                             std::string_view listed) const {
  PathIdentity id;
  if (pattern_ != nullptr) {
    std::string_view rest = listed.empty() ? path : listed;
    if (rest.starts_with(root_path_)) rest.remove_prefix(root_path_.size());
    while (rest.starts_with('/')) rest.remove_prefix(1);
    std::vector<re2::StringPiece> groups(
        static_cast<std::size_t>(pattern_->re.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece text(rest.data(), rest.size());
    if (pattern_->re.Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(),
                           static_cast<int>(groups.size()))) {
      id.run = groups[static_cast<std::size_t>(pattern_->run)].as_string();
      if (pattern_->project > 0) {
        id.project =
            groups[static_cast<std::size_t>(pattern_->project)].as_string();
      }
      if (!id.run.empty()) {
        id.by_pattern = true;
        return id;
      }
    }
  }
  const std::vector<std::string> parts = SplitPath(path);
  const std::size_t n = parts.size();
  const std::string stem = FileStem(path);
  // <project>/<exp>/logs/<exp>.log
  if (n >= 4 && parts[n - 2] == "logs" && parts[n - 3] == stem) {
    return {parts[n - 4], stem, false};
  }
  // wandb/<run dir>/files/output.log, wandb/<run dir>/run-<id>.wandb
  if (IsWandbCopy(path)) {
    return {"", parts[n - 3], false};
  }
  if (IsWandbFile(path) && n >= 2 && IsWandbDirectory(parts[n - 2])) {
    return {"", parts[n - 2], false};
  }
  // tensorboard_log/<project>/<experiment>/events.out.tfevents...
  const bool is_events = IsEventFile(path);
  if (is_events && n >= 4 && parts[n - 4] == "tensorboard_log") {
    return {parts[n - 3], parts[n - 2], false};
  }
  if (!is_events && !IsGenericName(stem)) return {"", stem, false};
  for (std::size_t i = n - 1; i-- > 0;) {
    if (!IsGenericName(parts[i])) return {"", parts[i], false};
  }
  return {"", stem.empty() ? "run" : stem, false};
}

}  // namespace rlrun
