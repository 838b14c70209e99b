// Writes below a folder and stamps what it wrote; fails by returning false with
// errno set. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/scenarios/run_tree.h"

namespace rlrun::scenarios {

bool WriteFile(const std::string& path, std::string_view bytes);   // replaces
bool AppendFile(const std::string& path, std::string_view bytes);  // or creates
// `at`: Unix time in seconds.
bool SetModified(const std::string& path, double at);

// Real files. What a file held before this sink first wrote to it is replaced;
// after the first failure nothing is written any more.
class FileSink : public Sink {
 public:
  void Append(const std::string& path, std::string_view bytes) override;
  void Truncate(const std::string& path) override;
  void Replace(const std::string& path, std::string_view bytes) override;
  void SetTime(double at) override { at_ = at; }
  // Every file was last modified when it was last written to.
  bool StampAll();
  const std::string& failed() const { return failed_; }  // path; empty: none

 private:
  void Note(const std::string& path, bool good);

  double at_ = 0;
  std::map<std::string, double> written_;
  std::string failed_;
};

}  // namespace rlrun::scenarios
