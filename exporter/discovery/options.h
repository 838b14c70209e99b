// One place to look for runs. Filled by config from `roots:` or from PATH
// arguments.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace rlrun {

struct RootOptions {
  // A log file of any name, a directory, or a glob (`*`, `?`, `[..]`, `**`).
  std::string path;
  // `auto`: by content. Else the format of every file of this root:
  // `verl` (console text), `jsonl` (verl's file logger), `slime` (console text
  // of slime and miles) or `trl` (console text of Hugging Face trainers).
  std::string format = "auto";
  // RE2 pattern over the path of a log below the root, with the named groups
  // `run` and, if wanted, `project`. Empty: names come from the path itself.
  std::string run_name;
  // Labels added to every series of this root's runs.
  std::map<std::string, std::string> labels;
  // Directories below the root that are entered, the root itself being 0.
  int max_depth = 6;
  // Candidate files of this root; further ones are counted as `capped`.
  std::size_t max_files = 10000;
};

}  // namespace rlrun
