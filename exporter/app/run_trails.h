// Which files are of one run although no line of theirs holds a measured time:
// a log of TRL, what W&B and TensorBoard keep of it, its trainer_state.json.
// Equal values alone prove nothing, a run may be repeated with its seed. Three
// things together do: several steps agree in all values (step_trail.h); both
// were written at the same time; and one lies in the directory of the other or
// below, or both are called alike.
// Pure, but that what was proven once is remembered in the files
// (TrackedFile::proven): times of what is not written any more grow vague.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exporter/app/tracked_file.h"

namespace rlrun {

// Two files that may be of one run, the second of another form than the first:
// where a file has such a pair with one run of a form only, it is of that run.
struct TrailPair {
  std::size_t a = 0, b = 0;  // indices
  std::uint8_t rank = 0;     // the smaller is the surer, and decided first
  bool proven = false;       // else: too few steps to tell, yet
};

// Where the run of a file was at home: above the directories that a tracker or
// a trainer makes for itself.
std::string HomeOf(const TrackedFile& file);

// In the order of their ranks.
std::vector<TrailPair> TrailPairs(const std::vector<TrackedFile*>& files);

}  // namespace rlrun
