// How many files may be held open: the process's limit, shared out to roots.
// Called once at the start of a command.
#pragma once

#include <cstddef>

namespace rlrun {

// Raises the soft limit of open files to the hard one. Returns the limit that
// is in force then.
std::size_t RaiseDescriptorLimit();

// Of `limit` descriptors, how many files each of `roots` roots may hold open,
// at most `wanted`. The rest is for connections, directories, the files that
// are being read now, and libraries. 0: hold none, close each behind its turn.
std::size_t FilesPerRoot(std::size_t limit, std::size_t roots,
                         std::size_t wanted);

}  // namespace rlrun
