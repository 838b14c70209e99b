#include "exporter/trials/file_text.h"

#include <algorithm>
#include <memory>

namespace rlrun {
namespace {

// Up to `size` bytes at `offset`, fewer at the end of the file.
IoStatus ReadFully(OpenFile& file, std::uint64_t offset, std::size_t size,
                   std::string* text) {
  const std::size_t begin = text->size();
  text->resize(begin + size);
  std::size_t done = 0;
  IoStatus status;
  while (done < size) {
    std::size_t got = 0;
    status = file.Read(offset + done, text->data() + begin + done, size - done,
                       &got);
    if (!status.ok() || got == 0) break;
    done += got;
  }
  text->resize(begin + done);
  return status;
}

}  // namespace

IoStatus ReadFileText(FileSource& source, const std::string& path,
                      std::size_t max_bytes, FileText* out) {
  std::unique_ptr<OpenFile> file;
  IoStatus status = source.Open(path, &file);
  if (!status.ok()) return status;
  status = file->Stat(&out->stat);
  if (!status.ok()) return status;
  out->text.clear();
  out->too_large = out->stat.size > max_bytes;
  if (out->too_large) return status;
  return ReadFully(*file, 0, static_cast<std::size_t>(out->stat.size),
                   &out->text);
}

IoStatus ReadFileFrom(FileSource& source, const std::string& path,
                      std::uint64_t offset, std::size_t max_bytes,
                      std::string* text) {
  std::unique_ptr<OpenFile> file;
  const IoStatus status = source.Open(path, &file);
  if (!status.ok()) return status;
  return ReadFully(*file, offset, max_bytes, text);
}

}  // namespace rlrun
