#include "exporter/tail/document.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// Up to `size` bytes from the front, fewer where the file ends before.
IoStatus ReadFront(OpenFile& file, std::size_t size, std::string* text) {
  text->resize(size);
  std::size_t done = 0;
  IoStatus status;
  while (done < size) {
    std::size_t got = 0;
    status = file.Read(done, text->data() + done, size - done, &got);
    if (!status.ok() || got == 0) break;
    done += got;
  }
  text->resize(done);
  return status;
}

}  // namespace

DocumentOutcome Document::Failed(IoStatus status) {
  status_ = status;
  return status.code == IoCode::kNotFound ? DocumentOutcome::kGone
                                          : DocumentOutcome::kUnreadable;
}

DocumentOutcome Document::Poll(FileSource& source, double wall,
                               std::string* text) {
  FileStat now;
  IoStatus status = source.Stat(path_, &now);
  if (!status.ok()) return Failed(status);
  const bool same = has_text_ && now.id == stat_.id && now.size == stat_.size &&
                    now.mtime_ns == stat_.mtime_ns;
  status_ = status;
  known_ = true;
  if (same && !young_ && !retry_) return DocumentOutcome::kUnchanged;
  std::unique_ptr<OpenFile> file;
  status = source.Open(path_, &file);
  if (!status.ok()) return Failed(status);
  status = file->Stat(&now);
  if (!status.ok()) return Failed(status);
  if (now.size > max_bytes_) {
    stat_ = now;
    has_text_ = false;
    return DocumentOutcome::kTooLarge;
  }
  std::string read;
  status = ReadFront(*file, static_cast<std::size_t>(now.size), &read);
  if (!status.ok()) return Failed(status);
  stat_ = now;
  young_ = wall - modified_time() < kYoung;
  const std::size_t hash = std::hash<std::string_view>{}(read);
  const bool known_text = has_text_ && hash == hash_;
  has_text_ = true;
  hash_ = hash;
  if (known_text && !std::exchange(retry_, false)) {
    return DocumentOutcome::kUnchanged;
  }
  retry_ = false;
  *text = std::move(read);
  return DocumentOutcome::kText;
}

}  // namespace rlrun
