// Reads whole small files through the file source.
// Stateless; safe from any thread that may block on the file system.
#pragma once

#include <cstddef>
#include <string>

#include "exporter/tail/file_source.h"

namespace rlrun {

struct FileText {
  std::string text;
  FileStat stat;
  bool too_large = false;  // nothing was read
};

// Three calls of the file system for a file that does not grow meanwhile.
IoStatus ReadFileText(FileSource& source, const std::string& path,
                      std::size_t max_bytes, FileText* out);

// Appends up to `max_bytes` of the file behind `offset` to *text.
IoStatus ReadFileFrom(FileSource& source, const std::string& path,
                      std::uint64_t offset, std::size_t max_bytes,
                      std::string* text);

}  // namespace rlrun
