// The exporter as a process, listening on a free loopback port.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/daemon/child_process.h"
#include "tests/daemon/http_get.h"

namespace rlrun::daemon {

// Path of the binary under test.
std::string ExporterBinary();

// What a short-lived command gave.
struct CommandResult {
  std::optional<int> status;  // empty: it did not end
  std::string out;
  std::string err;
};
CommandResult RunExporter(const std::vector<std::string>& arguments);

// Launchers. Without what lets root read files whatever their mode says; in a
// directory; with so many descriptors at most.
std::vector<std::string> WithoutRootRights();
std::vector<std::string> InDirectory(const std::string& directory);
std::vector<std::string> WithDescriptors(int limit);

class ExporterProcess : public ChildProcess {
 public:
  // Adds --web.listen-address=127.0.0.1:0 to the arguments. `launcher`: words
  // in front of the binary, of a command that becomes it.
  explicit ExporterProcess(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& launcher = {});

  // Waits for the line that tells the address; empty: it never came.
  std::string Url();
  std::string Metrics();  // body of /metrics; empty: no answer of 200
  // Waits until the first sample of `family` whose line holds `part` is
  // `value` (NaN is NaN).
  bool WaitForSample(std::string_view family, double value,
                     std::string_view part = "");

 private:
  std::string url_;
};

}  // namespace rlrun::daemon
