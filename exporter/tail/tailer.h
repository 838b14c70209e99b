// Follows the text behind one path through appends, rotation, truncation,
// rewriting, deletion and unreadable spells, and hands its bytes to a sink,
// each byte once. Does not parse, does not know the clock, starts no thread.
//
// A file is known by device, inode, the hash of its first KiB and its last
// bytes before the offset; the contents decide. A file that took the path and
// holds the text read so far is read on at the offset (an editor, rsync).
// Otherwise the old file is first read to its end, through the open handle or
// under its rotated name; then files that had the path in between (train.log.1,
// modified after the old one); then the new one. What is written to the old
// file after the first bytes appeared in the new one comes too late: it is not
// delivered, but counted in bytes_lost while the handle is kept.
// Not thread-safe; one tailer belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporter/tail/file_source.h"
#include "exporter/tail/options.h"
#include "exporter/tail/tail_sink.h"
#include "exporter/tail/text_cursor.h"

namespace rlrun {

enum class TailOutcome {
  kIdle,          // at the end, nothing new
  kRead,          // at the end, something new was delivered
  kMore,          // the budget is spent, more is waiting
  kGone,          // no file has this path (yet, or any more)
  kUnreadable,    // see TailState::status; the offset is kept
  kTooManyFiles,  // no descriptor is free; the offset is kept
};

struct TailState {
  bool known = false;  // a file was opened; else the next five say nothing
  FileId id;           // of the current file
  std::uint64_t offset = 0;   // in the current file: all before was delivered
  std::uint64_t size = 0;     // of the current file
  std::int64_t mtime_ns = 0;  // of the current file
  double last_growth = 0;     // `now` of the last delivery, or of the opening
  bool readable = false;      // at the last try
  IoStatus status;            // of the last try
  // Known to be there, not yet delivered; without what the sink did not take.
  std::uint64_t bytes_behind = 0;
  std::uint64_t bytes_read_total = 0;
  std::uint64_t bytes_lost = 0;    // known to have been there, never delivered
  std::uint64_t rotations = 0;     // Restart(kRotated)
  std::uint64_t truncations = 0;   // Restart(kTruncated)
  std::uint64_t replacements = 0;  // Restart(kReplaced)
};

class Tailer {
 public:
  Tailer(std::string path, const TailOptions& options);

  // One turn: at most `budget` bytes are delivered. `now` in seconds of any
  // clock that does not go back. An idle file costs one Stat.
  TailOutcome Poll(FileSource& source, double now, std::size_t budget,
                   TailSink* sink);

  // Gives the descriptors back. The next Poll goes on at the offset, after it
  // has checked that the text before it is still the same.
  void Close();
  bool open() const { return file_ != nullptr || previous_.file != nullptr; }

  const std::string& path() const { return path_; }
  const TailState& state() const { return state_; }

 private:
  using FilePtr = std::unique_ptr<OpenFile>;
  struct Turn;
  enum class Step { kAgain, kAtEnd, kMore, kFailed };

  // The file that was left last, kept to count what is still written to it.
  struct Previous {
    FilePtr file;
    std::uint64_t size = 0;
    double until = 0;
  };

  // A file that was read and left. What is written to it later makes it no new
  // file.
  struct Left {
    FileId id;
    TextCursor text;
  };

  TailOutcome Follow(Turn& turn);
  TailOutcome Missing(Turn& turn);
  TailOutcome Failed(Turn& turn, IoStatus status);
  Step OpenFirst(Turn& turn);
  Step ReadCurrent(Turn& turn);
  Step Reopen(Turn& turn);
  Step LeaveCurrent(Turn& turn);
  Step DrainCurrent(Turn& turn);
  Step SwitchFile(Turn& turn);
  Step Adopt(Turn& turn, FilePtr file, const FileStat& stat);
  Step ReadTo(Turn& turn, const FileStat& stat);
  Step LoseHandle(Turn& turn);

  bool HandleIsOld(const Turn& turn);
  bool OpenAtPath(Turn& turn, FilePtr* file, FileStat* stat);
  bool FindCurrent(Turn& turn);
  void RememberLeft();
  bool WasLeft(OpenFile& file, const FileId& id) const;
  bool FindInBetween(Turn& turn, FilePtr* file, FileStat* stat);
  void Take(Turn& turn, FilePtr file, const FileStat& stat);
  void Restart(Turn& turn, RestartReason reason);
  void Note(const FileStat& stat);
  void WatchPrevious(double now);
  bool Silent(double now) const;
  Step GiveUpCurrent(Turn& turn);

  const std::string path_;
  const double rotate_wait_;
  TailState state_;
  TextCursor cursor_;
  FilePtr file_;
  Previous previous_;
  // Size and mtime of the path's file when it was read to its end.
  std::optional<std::pair<std::uint64_t, std::int64_t>> seen_;
  std::optional<double> detached_;  // since when the path is not our file
  bool gone_ = false;               // the path was missing at the last look
  bool sought_ = false;   // a look for the missing file's new name was taken
  bool drained_ = false;  // the current file is done with
  bool held_ = false;     // it is, for now: the sink takes no more of it
  bool named_ = false;    // and it still has a name
  // Since when the current file, which has lost the path, cannot be read.
  std::optional<double> failing_;
  std::vector<Left> left_;  // files left last: never read again
};

}  // namespace rlrun
