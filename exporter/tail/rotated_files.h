// Finds what rotation made of a log: the file that had its name before, and
// files that had it in between. By name and inode only; contents are not read.
// Free functions without state; FindRotated lists and stats, so it may block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

struct RotatedFile {
  std::string path;
  FileStat stat;
  // The whole name of the log is in front: train.log.1, not train.1.log or
  // train-2.log, which may just as well be another log.
  bool full_name = false;
};

// True if `name` is what rotation makes of `base` (both without directory):
//   train.log -> train.log.1  train.log.old  train.log-20260131  train.log~
//                train.1.log  train-2026-01-31_12-00-00.log
// Accepts: the base or its stem, a separator (. - _), then digits with
// separators, or one of old, bak, prev. Ignores compressed copies
// (train.log.1.gz) and files that only begin alike (train.log.err).
bool IsRotatedName(std::string_view base, std::string_view name);

// The regular files beside `path` (its real place, where it is a symbolic link)
// with such names, by mtime. At most 64 of them are asked for their stat.
IoStatus FindRotated(FileSource& source, const std::string& path,
                     std::vector<RotatedFile>* files);

}  // namespace rlrun
