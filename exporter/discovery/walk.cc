#include "exporter/discovery/walk.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "exporter/discovery/file_names.h"
#include "exporter/discovery/path_glob.h"

namespace rlrun {
namespace {

// Directories that one walk enters at the most: a root pointed at `/` by
// mistake ends somewhere.
constexpr std::size_t kMaxDirectories = 20000;

std::string Join(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

class Walker {
 public:
  Walker(FileSource& source, const RootOptions& root, Listing* out)
      : source_(source), root_(root), out_(*out) {}

  // Every log below `directory`.
  void WalkDirectory(const std::string& directory, int depth) {
    std::vector<DirEntry> entries;
    if (!Enter(directory, &entries)) return;
    const bool is_store = IsStore(directory, entries);
    if (is_store) out_.stores.push_back(directory);
    for (const DirEntry& entry : entries) {
      if (is_store && IsStoreDirectory(entry.name)) continue;
      const std::string path = Join(directory, entry.name);
      const FileKind kind = Resolve(entry, path);
      if (kind == FileKind::kDirectory) {
        if (depth < root_.max_depth && !IsPrunedDirectory(entry.name)) {
          WalkDirectory(path, depth + 1);
        }
      } else if (kind == FileKind::kRegular) {
        const NameKind name = ClassifyFileName(entry.name);
        if (name == NameKind::kLog || name == NameKind::kLaunch) AddLog(path);
        if (name == NameKind::kSideFile) AddSideFile(path);
      }
    }
    Leave(directory);
  }

  // Paths that match segments[i..] below `directory`. What a pattern names
  // outright is taken whatever it is called; a directory that it names is
  // walked.
  void Expand(const std::string& directory,
              const std::vector<std::string>& segments, std::size_t i,
              int depth) {
    if (i == segments.size()) {
      AddMatch(directory);
      return;
    }
    const std::string& segment = segments[i];
    if (!HasGlob(segment)) {
      FileStat stat;
      const std::string path = Join(directory, segment);
      if (!HoldsSecrets(segment) && source_.Stat(path, &stat).ok()) {
        Expand(path, segments, i + 1, depth + 1);
      }
      return;
    }
    if (segment == "**") Expand(directory, segments, i + 1, depth);
    if (depth > root_.max_depth + static_cast<int>(segments.size())) return;
    std::vector<DirEntry> entries;
    if (!List(directory, &entries)) return;
    out_.directories.push_back(directory);
    for (const DirEntry& entry : entries) {
      const std::string path = Join(directory, entry.name);
      if (segment == "**") {
        if (Resolve(entry, path) == FileKind::kDirectory &&
            !IsPrunedDirectory(entry.name) && NotEntered(path)) {
          Expand(path, segments, i, depth + 1);
          Leave(path);
        }
      } else if (MatchSegment(segment, entry.name) &&
                 !HoldsSecrets(entry.name)) {
        Expand(path, segments, i + 1, depth + 1);
      }
    }
  }

 private:
  void AddMatch(const std::string& path) {
    FileStat stat;
    if (!source_.Stat(path, &stat).ok()) return;
    if (stat.kind == FileKind::kDirectory) {
      WalkDirectory(path, 0);
    } else if (stat.kind == FileKind::kRegular) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (ClassifyFileName(name) == NameKind::kSideFile) {
        AddSideFile(path);
      } else {
        AddLog(path);
      }
    }
  }

  // Patterns with `**` come to some files more than once.
  bool IsNew(const std::string& path) {
    return !HasGlob(root_.path) || seen_.insert(path).second;
  }

  void AddSideFile(const std::string& path) {
    if (IsNew(path)) ++out_.side_files;
  }

  void AddLog(const std::string& path) {
    if (!IsNew(path)) return;
    if (out_.logs.size() >= root_.max_files) {
      ++out_.capped;
    } else {
      out_.logs.push_back(path);
    }
  }

  bool List(const std::string& directory, std::vector<DirEntry>* entries) {
    if (out_.directories.size() >= kMaxDirectories) {
      out_.unreadable.push_back(directory);
      return false;
    }
    const IoStatus status = source_.List(directory, entries);
    if (status.ok()) {
      std::sort(
          entries->begin(), entries->end(),
          [](const DirEntry& a, const DirEntry& b) { return a.name < b.name; });
      return true;
    }
    NoteFailure(directory, status);
    return false;
  }

  // Gone between two calls is not an error.
  void NoteFailure(const std::string& path, const IoStatus& status) {
    if (status.code != IoCode::kNotFound) out_.unreadable.push_back(path);
  }

  bool Enter(const std::string& directory, std::vector<DirEntry>* entries) {
    if (!NotEntered(directory)) return false;
    if (!List(directory, entries)) {
      Leave(directory);
      return false;
    }
    out_.directories.push_back(directory);
    return true;
  }

  // False: the directory is one of those that we are inside of (a loop of
  // links). Two links to one directory outside of it are both walked; the
  // reader takes each file once, by identity.
  bool NotEntered(const std::string& directory) {
    FileStat stat;
    const IoStatus status = source_.Stat(directory, &stat);
    if (!status.ok()) {
      NoteFailure(directory, status);
      return false;
    }
    if (!inside_.insert(stat.id).second) return false;
    ids_.push_back(stat.id);
    return true;
  }

  void Leave(const std::string&) {
    inside_.erase(ids_.back());
    ids_.pop_back();
  }

  // What makes a directory a run-record store is where its records are.
  bool IsStore(const std::string& directory,
               const std::vector<DirEntry>& entries) {
    for (const DirEntry& entry : entries) {
      if (entry.name != "training-runs") continue;
      return Resolve(entry, Join(directory, entry.name)) ==
             FileKind::kDirectory;
    }
    return false;
  }

  // The kind of what an entry stands for, links followed.
  FileKind Resolve(const DirEntry& entry, const std::string& path) {
    if (entry.kind == FileKind::kRegular ||
        entry.kind == FileKind::kDirectory) {
      return entry.kind;
    }
    FileStat stat;
    if (!source_.Stat(path, &stat).ok()) return FileKind::kUnknown;
    return stat.kind;
  }

  FileSource& source_;
  const RootOptions& root_;
  Listing& out_;
  std::set<std::string> seen_;
  std::set<FileId> inside_;
  std::vector<FileId> ids_;
};

// `.../checkpoint-120/trainer_state.json`: 120, and the directory around the
// checkpoint. The one beside the checkpoints is newer than all of them.
std::optional<std::pair<std::string, std::int64_t>> StateOf(
    const std::string& path) {
  constexpr std::string_view kName = "trainer_state.json";
  constexpr std::string_view kCheckpoint = "checkpoint-";
  if (path.substr(path.rfind('/') + 1) != kName) return std::nullopt;
  const std::string directory = ParentOf(path);
  const std::string name = directory.substr(directory.rfind('/') + 1);
  if (!name.starts_with(kCheckpoint)) {
    return std::pair(directory, std::numeric_limits<std::int64_t>::max());
  }
  std::int64_t number = -1;
  const char* const end = name.data() + name.size();
  const auto read =
      std::from_chars(name.data() + kCheckpoint.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return std::pair(ParentOf(directory), number);
}

// A run writes its whole history into each checkpoint: the newest has it all.
void KeepNewestStates(Listing* out) {
  // By directory of the run, then by number.
  std::map<std::string, std::map<std::int64_t, std::string>> states;
  for (const std::string& path : out->logs) {
    if (const auto state = StateOf(path)) {
      states[state->first].emplace(state->second, path);
    }
  }
  if (states.empty()) return;
  std::set<std::string> old;
  for (const auto& [directory, by_number] : states) {
    auto it = by_number.rbegin();
    std::vector<std::string>& older = out->older_states[it->second];
    while (++it != by_number.rend()) {
      older.push_back(it->second);
      old.insert(it->second);
    }
  }
  const std::size_t all = out->logs.size();
  std::erase_if(out->logs,
                [&old](const std::string& path) { return old.contains(path); });
  out->side_files += all - out->logs.size();
}

// The longest leading directory of a pattern without glob characters.
std::string FixedPart(const std::string& path,
                      std::vector<std::string>* segments) {
  std::string fixed = path.starts_with('/') ? "/" : ".";
  std::vector<std::string> all = SplitPath(path);
  std::size_t i = 0;
  while (i < all.size() && !HasGlob(all[i])) {
    fixed = fixed == "." ? all[i] : Join(fixed, all[i]);
    ++i;
  }
  segments->assign(all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
  return fixed;
}

}  // namespace

Listing Walk(FileSource& source, const RootOptions& root) {
  Listing out;
  Walker walker(source, root, &out);
  out.root = source.Stat(root.path, &out.root_stat);
  if (HoldsSecrets(root.path)) return out;
  if (out.root.ok()) {
    if (out.root_stat.kind == FileKind::kDirectory) {
      // Listed here once more than in the walk, so that an unreadable root is
      // told from an empty one.
      std::vector<DirEntry> entries;
      out.root = source.List(root.path, &entries);
      if (out.root.ok()) walker.WalkDirectory(root.path, 0);
    } else {
      out.logs.push_back(root.path);
      out.directories.push_back(ParentOf(root.path));
    }
  } else if (HasGlob(root.path)) {
    std::vector<std::string> segments;
    const std::string fixed = FixedPart(root.path, &segments);
    out.root = source.Stat(fixed, &out.root_stat);
    if (out.root.ok()) walker.Expand(fixed, segments, 0, 0);
  }
  KeepNewestStates(&out);
  std::sort(out.logs.begin(), out.logs.end());
  out.logs.erase(std::unique(out.logs.begin(), out.logs.end()), out.logs.end());
  std::sort(out.stores.begin(), out.stores.end());
  out.stores.erase(std::unique(out.stores.begin(), out.stores.end()),
                   out.stores.end());
  return out;
}

}  // namespace rlrun
