// A real folder that is gone with its object. Below the usual place for
// temporary files, or below `parent`.
#pragma once

#include <stdlib.h>

#include <boost/filesystem.hpp>
#include <stdexcept>
#include <string>

namespace rlrun {

class TempFolder {
 public:
  explicit TempFolder(const std::string& parent =
                          boost::filesystem::temp_directory_path().string()) {
    std::string path = parent + "/rlrun-test-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      throw std::runtime_error("cannot create a folder in " + parent);
    }
    path_ = path;
  }
  ~TempFolder() {
    boost::system::error_code ignored;
    boost::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace rlrun
