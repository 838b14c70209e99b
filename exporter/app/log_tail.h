// The last lines of a log, for people. ReadLogTail does the reading, LastLines
// is pure.
// Safe from any thread that may use the source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

// The last `lines` lines of `text`, secrets masked, without escape sequences,
// the front 200 bytes of each; of a line that was drawn over itself the newest
// drawing. `is_cut`: the text begins inside a line, of which nothing is shown:
// what makes a secret known as one may be missing.
std::vector<std::string> LastLines(std::string_view text, std::size_t lines,
                                   bool is_cut);

// The same of a file, of its last 1 MiB. A file that cannot be read gives one
// line that says so.
std::vector<std::string> ReadLogTail(FileSource& source,
                                     const std::string& path,
                                     std::size_t lines);

}  // namespace rlrun
