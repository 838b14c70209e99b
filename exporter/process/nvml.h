// Which processes compute on which GPU of this host, from NVIDIA's management
// library, loaded when it is first asked. Without the library, a GPU or a
// driver, or on any error, there is no answer; it is tried again minutes later.
// In a container the pids may be those of another name space.
// Not thread-safe. Query may block as long as the driver does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rlrun {

struct GpuProcess {
  unsigned gpu = 0;  // index, from 0
  std::int64_t pid = 0;
};

class Nvml {
 public:
  // As dlopen takes it. Empty: never an answer.
  explicit Nvml(std::string library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Absent: not available. Empty: no process computes. `now`: Unix seconds.
  std::optional<std::vector<GpuProcess>> Query(double now);

 private:
  class Library;

  const std::string path_;
  std::unique_ptr<Library> library_;
  std::optional<double> failed_;  // time of the last failure to begin
};

}  // namespace rlrun
