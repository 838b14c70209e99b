// The one-way doors between rooms, and which third-party library may be used
// where, as checks over the text of the source tree. Says nothing about what
// the linker sees.
// Pure functions over text, but for ReadTree; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlrun::layering {

struct SourceFile {
  std::string path;  // from the repository root: `exporter/tail/tailer.cc`
  std::string text;
};

// Every .h and .cc below parsers/ and exporter/ of the tree at `root`, sorted
// by path. Empty: `root` is no source tree, or cannot be read.
std::vector<SourceFile> ReadTree(const std::string& root);

// One line per violation, `path:line: what is wrong`. Looks at
//   - `#include` of our own headers, against the table of doors;
//   - `#include` of third-party headers, against the table of their users;
//   - words that are banned (std::regex; a clock in parsers and signatures);
//   - folders that are no room.
// Comments and string literals are not looked at; raw literals that span lines
// are read as code from their second line on.
std::vector<std::string> Check(const std::vector<SourceFile>& files);

// Text with comments and the insides of literals blanked, line ends kept, so
// that line numbers stay true. `#include "x"` keeps its path.
std::string BlankCommentsAndLiterals(std::string_view text);

}  // namespace rlrun::layering
