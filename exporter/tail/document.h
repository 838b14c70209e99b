// A small file that its writer replaces or rewrites as a whole (a JSON record,
// a trainer_state.json): read again, to its end, whenever it has changed.
// Whether a text was whole, only its parser knows: one that was half written is
// told back with Retry and read again however its stat looks. Decides nothing
// about when to look. Not thread-safe; belongs to the thread that may block on
// the file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "exporter/tail/file_source.h"

namespace rlrun {

enum class DocumentOutcome : std::uint8_t {
  kUnchanged = 0,  // there, and as it was read last
  kText,           // another text than the last one that was given out
  kGone,           // not there: perhaps between removal and upload
  kUnreadable,     // Document::status tells why
  kTooLarge,       // beyond the limit; nothing was read
};

class Document {
 public:
  // `max_bytes`: of a text that is read.
  Document(std::string path, std::size_t max_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}

  // One call of the file system where nothing has changed, about four where
  // something has. `wall`: Unix seconds; a file that was written within
  // kYoung before it was read is read once more, since a second write may leave
  // size and time as they were. *text is set with kText.
  DocumentOutcome Poll(FileSource& source, double wall, std::string* text);

  // The text of the last Poll was not whole.
  void Retry() { retry_ = true; }

  const std::string& path() const { return path_; }
  // Of the newest text, or of the newest look where it could not be read.
  const FileStat& stat() const { return stat_; }
  // Unix seconds; 0: it was never there.
  double modified_time() const {
    return static_cast<double>(stat_.mtime_ns) * 1e-9;
  }
  bool known() const { return known_; }  // it was there at least once
  const IoStatus& status() const { return status_; }

  // Seconds in which a time stamp may stand still.
  static constexpr double kYoung = 2;

 private:
  DocumentOutcome Failed(IoStatus status);

  std::string path_;
  std::size_t max_bytes_;
  FileStat stat_;
  IoStatus status_;
  std::size_t hash_ = 0;  // of the newest text
  bool known_ = false;
  bool has_text_ = false;
  bool young_ = false;
  bool retry_ = false;
};

}  // namespace rlrun
