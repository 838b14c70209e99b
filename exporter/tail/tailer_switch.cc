// Leaving a file for the one that took its path: old text first.
#include <algorithm>
#include <utility>
#include <vector>

#include "exporter/tail/rotated_files.h"
#include "exporter/tail/tail_turn.h"

namespace rlrun {
namespace {

constexpr std::size_t kLeft = 4;  // files remembered

}  // namespace

// The stat of the path was taken before the old file is read to its end. So if
// one writer writes first to the old file and then to the new one, and the new
// one has text, nothing more comes in the old one.
Tailer::Step Tailer::LeaveCurrent(Turn& turn) {
  if (!detached_) detached_ = turn.now;
  const bool empty = turn.at_path.size == 0;
  if (!drained_) {
    const Step step = DrainCurrent(turn);
    if (step != Step::kAtEnd) return step;
  }
  if (empty && file_ != nullptr && !Silent(turn.now)) return Step::kAtEnd;
  const Step step = SwitchFile(turn);
  if (step == Step::kFailed && file_ != nullptr) {
    // Do not hold the old file for a new one that cannot be had.
    const bool needed = turn.status.code == IoCode::kTooManyFiles;
    if (needed || Silent(turn.now)) {
      file_.reset();
      drained_ = true;
    }
  }
  return step;
}

// Reads the old file to its end, by handle or under its rotated name.
Tailer::Step Tailer::DrainCurrent(Turn& turn) {
  if (file_ == nullptr && !FindCurrent(turn)) return GiveUpCurrent(turn);
  FileStat stat;
  turn.status = file_->Stat(&stat);
  Step step = Step::kFailed;
  if (turn.status.ok()) {
    named_ = stat.links > 0;
    step = ReadTo(turn, stat);
  } else {
    step = LoseHandle(turn);
  }
  if (step == Step::kFailed) return GiveUpCurrent(turn);
  failing_.reset();
  return step;
}

// The old file is not found (turn.status is ok then), or it fails: that may
// pass, but it must not keep us from the new file for ever.
Tailer::Step Tailer::GiveUpCurrent(Turn& turn) {
  if (turn.status.code == IoCode::kTooManyFiles) return Step::kFailed;
  if (!turn.status.ok()) {
    if (!failing_) failing_ = turn.now;
    if (turn.now - *failing_ < rotate_wait_) return Step::kFailed;
  }
  if (state_.size > state_.offset) {
    state_.bytes_lost += state_.size - state_.offset;
  }
  failing_.reset();
  file_.reset();
  drained_ = true;
  return Step::kAtEnd;
}

Tailer::Step Tailer::SwitchFile(Turn& turn) {
  FilePtr next;
  FileStat stat;
  if (!OpenAtPath(turn, &next, &stat)) return Step::kFailed;
  turn.at_path = stat;
  if (stat.id == state_.id) return Step::kAgain;  // it came back
  TextCursor::Match match = TextCursor::Match::kOther;
  if (cursor_.offset() > 0) match = cursor_.Compare(*next, &turn.status);
  if (match == TextCursor::Match::kFailed) return Step::kFailed;
  if (match == TextCursor::Match::kShorter && !Silent(turn.now)) {
    return Step::kAtEnd;  // perhaps a copy of our text that is being written
  }
  const bool same = match == TextCursor::Match::kSame;
  // A few bytes may be equal by chance: look for a file in between first.
  if (same && cursor_.offset() > TextMark::kTail) {
    Take(turn, std::move(next), stat);
    return Step::kAgain;
  }
  FilePtr between;
  FileStat between_stat;
  if (!FindInBetween(turn, &between, &between_stat)) return Step::kFailed;
  if (between != nullptr) return Adopt(turn, std::move(between), between_stat);
  if (!same) {
    Restart(turn, named_ ? RestartReason::kRotated : RestartReason::kReplaced);
  }
  Take(turn, std::move(next), stat);
  return Step::kAgain;
}

// Goes on with a file that had the path in between. It may be a copy of ours.
Tailer::Step Tailer::Adopt(Turn& turn, FilePtr file, const FileStat& stat) {
  TextCursor::Match match = TextCursor::Match::kOther;
  if (cursor_.offset() > 0) match = cursor_.Compare(*file, &turn.status);
  if (match == TextCursor::Match::kFailed) return Step::kFailed;
  if (match != TextCursor::Match::kSame) {
    Restart(turn, named_ ? RestartReason::kRotated : RestartReason::kReplaced);
  }
  if (!detached_) detached_ = turn.now;
  Take(turn, std::move(file), stat);
  return Step::kAgain;
}

// The cursor stays: whoever takes a file that does not continue the text has
// called Restart before.
void Tailer::Take(Turn& turn, FilePtr file, const FileStat& stat) {
  if (file_ != nullptr) {
    previous_ = {std::move(file_), state_.size, turn.now + rotate_wait_};
  }
  file_ = std::move(file);
  state_.id = stat.id;
  Note(stat);
  seen_.reset();
  drained_ = named_ = sought_ = false;
  turn.head_checked = turn.fresh = true;
  if (stat.id == turn.at_path.id) {
    gone_ = false;
    detached_.reset();
  }
}

// Opens the current file under the name that rotation gave it. False with
// turn.status ok: it is not there.
bool Tailer::FindCurrent(Turn& turn) {
  turn.status = IoStatus::Ok();
  // Nothing is missing from it; what was written to it since is found as a
  // file in between.
  if (cursor_.offset() == 0 && state_.size == 0) return false;
  bool look_again = true;  // it was renamed once more while we looked
  for (int i = 0; i < 3 && look_again; ++i) {
    look_again = false;
    std::vector<RotatedFile> files;
    turn.status = FindRotated(turn.source, path_, &files);
    for (const RotatedFile& candidate : files) {
      if (candidate.stat.id != state_.id) continue;
      FilePtr file;
      FileStat stat;
      turn.status = turn.source.Open(candidate.path, &file);
      if (turn.status.ok()) turn.status = file->Stat(&stat);
      look_again = turn.status.code == IoCode::kNotFound ||
                   (turn.status.ok() && stat.id != state_.id);
      if (look_again) break;
      if (!turn.status.ok()) return false;
      const TextCursor::Match match = cursor_.Compare(*file, &turn.status);
      if (match == TextCursor::Match::kFailed) return false;
      if (match != TextCursor::Match::kSame) continue;
      turn.head_checked = true;
      file_ = std::move(file);
      return true;
    }
  }
  if (turn.status.code == IoCode::kNotFound) turn.status = IoStatus::Ok();
  return false;
}

// A file that had the path after the current one and has lost it again: one
// that continues our text (a mirror replaces files by copies), else the oldest.
// Modified later than ours, so it is not an earlier rotation; *file stays empty
// where there is none. False: it is there but could not be opened yet.
bool Tailer::FindInBetween(Turn& turn, FilePtr* file, FileStat* stat) {
  std::vector<RotatedFile> files;
  if (!FindRotated(turn.source, path_, &files).ok()) return true;
  // Ours lives on, but not beside the path: it was a link that now points
  // elsewhere, nothing was rotated here.
  const auto is_ours = [&](const RotatedFile& candidate) {
    return candidate.stat.id == state_.id;
  };
  if (named_ && file_ != nullptr &&
      std::none_of(files.begin(), files.end(), is_ours)) {
    return true;
  }
  for (const RotatedFile& candidate : files) {
    if (!candidate.full_name || candidate.stat.mtime_ns <= state_.mtime_ns ||
        candidate.stat.id == turn.at_path.id ||
        (file_ != nullptr && is_ours(candidate))) {
      continue;
    }
    FilePtr opened;
    FileStat now;
    IoStatus status = turn.source.Open(candidate.path, &opened);
    if (status.ok()) status = opened->Stat(&now);
    if (!status.ok()) {
      turn.status = status;
      if (status.code == IoCode::kTooManyFiles) return *file != nullptr;
      if (!is_ours(candidate)) state_.bytes_lost += candidate.stat.size;
      continue;
    }
    if (now.id != candidate.stat.id || WasLeft(*opened, now.id)) continue;
    const bool continues =
        cursor_.offset() > 0 &&
        cursor_.Compare(*opened, &status) == TextCursor::Match::kSame;
    if (*file != nullptr && !continues) continue;
    *file = std::move(opened);
    *stat = now;
    if (continues || cursor_.offset() == 0) break;
  }
  return true;
}

void Tailer::RememberLeft() {
  if (cursor_.offset() == 0) return;
  if (left_.size() == kLeft) left_.erase(left_.begin());
  left_.push_back({state_.id, cursor_});
}

bool Tailer::WasLeft(OpenFile& file, const FileId& id) const {
  return std::any_of(left_.begin(), left_.end(), [&](const Left& left) {
    if (left.id != id) return false;
    IoStatus status;
    const TextCursor::Match match = left.text.Compare(file, &status);
    return match == TextCursor::Match::kSame ||
           match == TextCursor::Match::kFailed;
  });
}

void Tailer::WatchPrevious(double now) {
  if (previous_.file == nullptr) return;
  FileStat stat;
  if (!previous_.file->Stat(&stat).ok()) {
    previous_.file.reset();
    return;
  }
  if (stat.size > previous_.size) {
    state_.bytes_lost += stat.size - previous_.size;
    previous_.until = now + rotate_wait_;
  }
  previous_.size = stat.size;
  if (now >= previous_.until) previous_.file.reset();
}

bool Tailer::Silent(double now) const {
  const double since = std::max(state_.last_growth, detached_.value_or(now));
  return now - since >= rotate_wait_;
}

}  // namespace rlrun
