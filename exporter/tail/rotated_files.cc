#include "exporter/tail/rotated_files.h"

#include <algorithm>
#include <cstddef>

namespace rlrun {
namespace {

constexpr std::size_t kMaxStats = 64;

bool IsSeparator(char c) { return c == '.' || c == '-' || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `.1`, `-20260131`, `_2026-01-31T12:00:00Z`, `.old`
bool IsRotationMark(std::string_view mark) {
  if (mark.size() < 2 || !IsSeparator(mark[0])) return false;
  mark.remove_prefix(1);
  if (mark == "old" || mark == "bak" || mark == "prev") return true;
  return std::any_of(mark.begin(), mark.end(), IsDigit) &&
         std::all_of(mark.begin(), mark.end(), [](char c) {
           return IsDigit(c) || IsSeparator(c) || c == ':' || c == 'T' ||
                  c == 'Z';
         });
}

}  // namespace

bool IsRotatedName(std::string_view base, std::string_view name) {
  if (name.starts_with(base)) {
    const std::string_view mark = name.substr(base.size());
    return mark == "~" || IsRotationMark(mark);
  }
  const std::size_t dot = base.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string_view stem = base.substr(0, dot);
  const std::string_view extension = base.substr(dot);
  return name.size() > base.size() && name.starts_with(stem) &&
         name.ends_with(extension) &&
         IsRotationMark(name.substr(stem.size(), name.size() - base.size()));
}

IoStatus FindRotated(FileSource& source, const std::string& path,
                     std::vector<RotatedFile>* files) {
  files->clear();
  const std::string real = source.Canonical(path);
  const std::size_t slash = real.rfind('/');
  const std::string base =
      slash == std::string::npos ? real : real.substr(slash + 1);
  const std::string directory =
      slash == std::string::npos
          ? "."
          : real.substr(0, std::max<std::size_t>(slash, 1));
  std::vector<DirEntry> entries;
  const IoStatus status = source.List(directory, &entries);
  if (!status.ok()) return status;
  std::vector<std::string> names;
  for (DirEntry& entry : entries) {
    if (IsRotatedName(base, entry.name)) names.push_back(std::move(entry.name));
  }
  // Of very many, the shortest: `.1` and `.2` rather than old dates; of equal
  // length the latest dates.
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a > b;
  });
  names.resize(std::min(names.size(), kMaxStats));
  for (const std::string& name : names) {
    RotatedFile file;
    file.full_name = name.starts_with(base);
    file.path = directory == "/" ? "/" + name : directory + "/" + name;
    if (source.Stat(file.path, &file.stat).ok() &&
        file.stat.kind == FileKind::kRegular) {
      files->push_back(std::move(file));
    }
  }
  std::sort(files->begin(), files->end(), [](const auto& a, const auto& b) {
    return a.stat.mtime_ns < b.stat.mtime_ns;
  });
  return IoStatus::Ok();
}

}  // namespace rlrun
