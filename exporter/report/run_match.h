// Which runs `--run=[PROJECT/]NAME` means: the one of exactly that name, or
// with exactly that id, else those whose name, or id, begins with it, else
// those that contain it, letter case ignored in the last two. Pure; safe from
// any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

struct RunName {
  std::string project;  // empty: unknown
  std::string run;
  // What else it is called: ids of its record, its app, its W&B run.
  std::vector<std::string> ids = {};
};

// Indices into `runs` of those that `text` means, in their order. More than
// one: ambiguous. `-` as the project means: of no project. A run's name may
// itself contain a slash.
std::vector<std::size_t> MatchRuns(std::string_view text,
                                   const std::vector<RunName>& runs);

// Up to `most` runs whose names are nearest to `text`, the nearest first, by
// the number of letters to change so that a name begins with it, then so that
// it is the name.
std::vector<std::size_t> NearestRuns(std::string_view text,
                                     const std::vector<RunName>& runs,
                                     std::size_t most);

// `project/run`, or the run alone where the project is not known.
std::string FullName(const RunName& name);

}  // namespace rlrun
