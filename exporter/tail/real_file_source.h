// The file system of this machine, for reading only. Symbolic links are
// followed, only regular files are opened, nothing is written; access times
// stay as they are where the kernel allows it (files that we own).
// Safe for concurrent calls. Calls may block as long as the file system does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

class RealFileSource : public FileSource {
 public:
  IoStatus Stat(const std::string& path, FileStat* stat) override;
  IoStatus List(const std::string& directory,
                std::vector<DirEntry>* entries) override;
  // A directory is refused with EISDIR, any other file that is not regular
  // with ESPIPE. Never waits for a writer of a FIFO.
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override;
  std::string Canonical(const std::string& path) override;
  bool IsNetwork(const std::string& path) override;
};

// The f_type of statfs(2): true for the magic numbers of file systems that a
// network or a user process carries.
bool IsNetworkFileSystem(unsigned long magic);

}  // namespace rlrun
