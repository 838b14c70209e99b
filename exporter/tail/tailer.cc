// The file that has the path: open it, read it on, notice that it was written
// anew. Leaving it for another one is in tailer_switch.cc.
#include "exporter/tail/tailer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "exporter/tail/tail_turn.h"

namespace rlrun {
namespace {

// Changes of file in one turn; more are left to the next.
constexpr int kMaxSteps = 32;

}  // namespace

Tailer::Tailer(std::string path, const TailOptions& options)
    : path_(std::move(path)), rotate_wait_(options.rotate_wait) {}

TailOutcome Tailer::Poll(FileSource& source, double now, std::size_t budget,
                         TailSink* sink) {
  Turn turn{source, now, budget, sink, {}, {}};
  WatchPrevious(now);
  turn.status = source.Stat(path_, &turn.at_path);
  if (turn.status.ok() && turn.at_path.kind != FileKind::kRegular) {
    const bool directory = turn.at_path.kind == FileKind::kDirectory;
    turn.status = IoStatus::FromErrno(directory ? EISDIR : ESPIPE);
  }
  const TailOutcome outcome =
      turn.status.ok() ? Follow(turn) : Failed(turn, turn.status);
  const std::uint64_t size = state_.size;
  const std::uint64_t shown = state_.offset + cursor_.refused();
  state_.bytes_behind = size > shown && !held_ ? size - shown : 0;
  if (state_.id != turn.at_path.id) state_.bytes_behind += turn.at_path.size;
  return outcome;
}

TailOutcome Tailer::Follow(Turn& turn) {
  const std::uint64_t before = state_.bytes_read_total;
  Step step = Step::kAgain;
  for (int i = 0; i < kMaxSteps && step == Step::kAgain; ++i) {
    step = !state_.known                  ? OpenFirst(turn)
           : state_.id == turn.at_path.id ? ReadCurrent(turn)
                                          : LeaveCurrent(turn);
  }
  if (step == Step::kFailed) return Failed(turn, turn.status);
  state_.readable = true;
  state_.status = IoStatus::Ok();
  if (step != Step::kAtEnd) return TailOutcome::kMore;
  return state_.bytes_read_total != before ? TailOutcome::kRead
                                           : TailOutcome::kIdle;
}

TailOutcome Tailer::Failed(Turn& turn, IoStatus status) {
  state_.readable = false;
  state_.status = status;
  switch (status.code) {
    case IoCode::kNotFound:
      return Missing(turn);
    case IoCode::kTooManyFiles:
      return TailOutcome::kTooManyFiles;
    default:
      return TailOutcome::kUnreadable;
  }
}

// The old file may still grow, under another name or under none.
TailOutcome Tailer::Missing(Turn& turn) {
  gone_ = true;
  if (!detached_) detached_ = turn.now;
  turn.at_path = {};
  if (!state_.known) return TailOutcome::kGone;
  if (file_ == nullptr && !sought_ && !drained_) {
    sought_ = true;
    FindCurrent(turn);
  }
  Step step = Step::kAgain;
  for (int i = 0; i < kMaxSteps && file_ && step == Step::kAgain; ++i) {
    step = DrainCurrent(turn);
  }
  turn.at_path.id = state_.id;  // nothing else is waiting
  if (step == Step::kMore) return TailOutcome::kMore;
  if (step == Step::kAtEnd && Silent(turn.now)) file_.reset();
  return TailOutcome::kGone;
}

Tailer::Step Tailer::OpenFirst(Turn& turn) {
  FilePtr file;
  FileStat stat;
  if (!OpenAtPath(turn, &file, &stat)) return Step::kFailed;
  state_.known = true;
  state_.last_growth = turn.now;
  Take(turn, std::move(file), stat);
  return Step::kAgain;
}

Tailer::Step Tailer::ReadCurrent(Turn& turn) {
  // After a gap it may be another file with the same number.
  if (gone_ && !turn.fresh) file_.reset();
  detached_.reset();
  sought_ = drained_ = false;
  if (seen_ && seen_->first == turn.at_path.size &&
      seen_->second == turn.at_path.mtime_ns) {
    gone_ = false;
    return Step::kAtEnd;
  }
  if (file_ == nullptr) return Reopen(turn);
  const std::uint64_t before = cursor_.offset();
  const Step step = ReadTo(turn, turn.at_path);
  if (step == Step::kAgain && file_ != nullptr) {
    turn.status = file_->Stat(&turn.at_path);  // how long is it now
    return turn.status.ok() ? Step::kAgain : Step::kFailed;
  }
  if (step != Step::kAtEnd) return step;
  if (cursor_.offset() == before && !turn.reopened && HandleIsOld(turn)) {
    turn.reopened = true;
    file_.reset();
    return Step::kAgain;
  }
  gone_ = false;
  seen_.reset();
  if (cursor_.offset() == turn.at_path.size) {
    seen_.emplace(turn.at_path.size, turn.at_path.mtime_ns);
  }
  return Step::kAtEnd;
}

// The path's file changed, but the handle had nothing new to give: some file
// systems give a new file the number of one that we still hold.
bool Tailer::HandleIsOld(const Turn& turn) {
  FileStat stat;
  return !file_->Stat(&stat).ok() || stat.size != turn.at_path.size ||
         stat.mtime_ns != turn.at_path.mtime_ns;
}

// The number is the same, but while we held no handle the file may have been
// written anew, or deleted and its number given to another one.
Tailer::Step Tailer::Reopen(Turn& turn) {
  FilePtr file;
  FileStat stat;
  if (!OpenAtPath(turn, &file, &stat)) return Step::kFailed;
  turn.at_path = stat;
  if (stat.id != state_.id) return Step::kAgain;
  const TextCursor::Match match = cursor_.Compare(*file, &turn.status);
  if (match == TextCursor::Match::kFailed) return Step::kFailed;
  turn.head_checked = turn.fresh = true;
  const bool same = match == TextCursor::Match::kSame;
  // That an empty text is continued says nothing if the path was missing.
  if (same && !(gone_ && cursor_.offset() == 0)) {
    file_ = std::move(file);
    Note(stat);
    return Step::kAgain;
  }
  FilePtr between;
  FileStat between_stat;
  if (!FindInBetween(turn, &between, &between_stat)) return Step::kFailed;
  if (between != nullptr) return Adopt(turn, std::move(between), between_stat);
  file_ = std::move(file);
  if (!same) {
    Restart(turn, gone_ ? RestartReason::kReplaced : RestartReason::kTruncated);
  }
  Note(stat);
  return Step::kAgain;
}

// Reads the current file up to the size in `stat`. kAgain: its text begins
// anew, or its handle was given up.
Tailer::Step Tailer::ReadTo(Turn& turn, const FileStat& stat) {
  const std::uint64_t before = cursor_.offset();
  const std::uint64_t limit = stat.size;
  if (limit != state_.size) state_.last_growth = turn.now;
  state_.size = limit;
  const TextCursor::Result result = cursor_.Read(
      *file_, limit, !turn.head_checked, &turn.budget, turn.sink, &turn.status);
  turn.head_checked = true;
  state_.offset = cursor_.offset();
  if (cursor_.offset() != before) {
    state_.bytes_read_total += cursor_.offset() - before;
    state_.last_growth = turn.now;
  }
  if (result == TextCursor::Result::kFailed) return LoseHandle(turn);
  state_.mtime_ns = stat.mtime_ns;  // of a text that we know
  if (result == TextCursor::Result::kChanged) {
    if (turn.restarted) return Step::kMore;
    turn.restarted = true;
    Restart(turn, gone_ ? RestartReason::kReplaced : RestartReason::kTruncated);
    return Step::kAgain;
  }
  const bool more = cursor_.offset() < limit && turn.budget == 0;
  held_ = !more && cursor_.refused() != 0;
  return more ? Step::kMore : Step::kAtEnd;
}

// A stale handle is good for nothing; a fresh one may do.
Tailer::Step Tailer::LoseHandle(Turn& turn) {
  if (turn.status.code != IoCode::kStale) return Step::kFailed;
  file_.reset();
  if (turn.reopened) return Step::kFailed;
  turn.reopened = true;
  turn.head_checked = false;
  return Step::kAgain;
}

void Tailer::Restart(Turn& turn, RestartReason reason) {
  switch (reason) {
    case RestartReason::kRotated:
      ++state_.rotations;
      break;
    case RestartReason::kTruncated:
      ++state_.truncations;
      break;
    case RestartReason::kReplaced:
      ++state_.replacements;
      break;
  }
  if (reason != RestartReason::kTruncated) RememberLeft();
  cursor_.Clear();
  state_.offset = 0;
  seen_.reset();
  turn.sink->Restart(reason);
}

void Tailer::Note(const FileStat& stat) {
  state_.size = stat.size;
  state_.mtime_ns = stat.mtime_ns;
}

bool Tailer::OpenAtPath(Turn& turn, FilePtr* file, FileStat* stat) {
  turn.status = turn.source.Open(path_, file);
  if (turn.status.ok()) turn.status = (*file)->Stat(stat);
  return turn.status.ok();
}

void Tailer::Close() {
  file_.reset();
  previous_.file.reset();
}

}  // namespace rlrun
