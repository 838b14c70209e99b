#include "exporter/trials/dropped_files.h"

#include <algorithm>
#include <vector>

#include "exporter/trials/file_text.h"
#include "parsers/formats/dropped_trial.h"

namespace rlrun {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::size_t kMaxLine = 64u << 10;
constexpr std::size_t kMaxFiles = 4096;

}  // namespace

bool DroppedFiles::Pass(FileSource& source, const std::function<bool()>& go_on,
                        TrialTotals* totals) {
  if (cursor_.empty()) {
    if (!go_on()) return false;
    std::vector<DirEntry> entries;
    if (!source.List(directory_, &entries).ok()) return true;
    for (const DirEntry& entry : entries) {
      if (entry.name.ends_with(".jsonl") && files_.size() < kMaxFiles) {
        files_.try_emplace(entry.name);
      }
    }
  }
  for (auto it = files_.lower_bound(cursor_); it != files_.end(); ++it) {
    if (!Follow(source, go_on, it->first, &it->second, totals)) {
      cursor_ = it->first;
      return false;
    }
  }
  cursor_.clear();
  return true;
}

bool DroppedFiles::Follow(FileSource& source,
                          const std::function<bool()>& go_on,
                          const std::string& name, File* file,
                          TrialTotals* totals) {
  const std::string path = directory_ + "/" + name;
  if (!go_on()) return false;
  FileStat stat;
  if (!source.Stat(path, &stat).ok()) return true;
  if (stat.size < file->offset) *file = File();  // written anew
  for (bool first = true; file->offset < stat.size; first = false) {
    if (!first && !go_on()) return false;
    std::string text;
    const auto want = static_cast<std::size_t>(
        std::min<std::uint64_t>(kReadBytes, stat.size - file->offset));
    if (!ReadFileFrom(source, path, file->offset, want, &text).ok() ||
        text.empty()) {
      return true;
    }
    file->offset += text.size();
    Take(text, file, totals);
  }
  return true;
}

void DroppedFiles::Take(std::string_view text, File* file,
                        TrialTotals* totals) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!file->skipping) file->tail.append(text.substr(0, end));
    if (file->tail.size() > kMaxLine) {
      file->tail.clear();
      file->skipping = true;
    }
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    DroppedTrial trial;
    if (!file->skipping && ParseDroppedTrial(file->tail, &trial)) {
      totals->of(trial.validate ? TrialSplit::kVal : TrialSplit::kTrain)
          .CountDropped(trial.reason);
    } else if (file->skipping || !file->tail.empty()) {
      ++totals->malformed_lines;
    }
    file->tail.clear();
    file->skipping = false;
  }
}

}  // namespace rlrun
