// Lists what lies below one root: a file of any name, a directory, or a glob.
// Only names and directory entries are read; files are not opened.
// Stateless; safe from any thread that may block on the file system.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "exporter/discovery/options.h"
#include "exporter/tail/file_source.h"

namespace rlrun {

struct Listing {
  // Paths that may be runs' logs, sorted, each once.
  std::vector<std::string> logs;
  // Directories whose entries may become logs; watching them gives early news.
  std::vector<std::string> directories;
  // Directories that are run-record stores, in the order of their paths.
  std::vector<std::string> stores;
  // By the path of the newest `trainer_state.json` of a run, which is among the
  // logs: those of its older checkpoints, the newest first. They are among the
  // side files.
  std::map<std::string, std::vector<std::string>> older_states;
  std::size_t side_files = 0;
  std::size_t capped = 0;  // files beyond max_files
  // Directories that could not be listed: what they hold is unknown.
  std::vector<std::string> unreadable;
  // Not ok: the root itself could not be looked at.
  IoStatus root;
  FileStat root_stat;
};

// A path with glob characters that exists literally is taken literally. A
// directory is walked down to max_depth; links are followed, loops are not.
Listing Walk(FileSource& source, const RootOptions& root);

}  // namespace rlrun
