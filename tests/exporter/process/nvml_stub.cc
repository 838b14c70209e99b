// A management library of GPUs whose answers stand in the file named by
// NVML_STUB_SCRIPT, read at each call:
//   init 0          what nvmlInit_v2 returns
//   v3 0            what nvmlDeviceGetComputeRunningProcesses_v3 returns
//   gpus 2          number of GPUs
//   lost 1          no handle for this GPU
//   process 0 4711  a process on GPU 0
//   many 1 200      200 processes on GPU 1, from pid 1000 up
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

struct Script {
  std::map<std::string, int> results;
  std::map<int, std::vector<unsigned>> pids;
  int lost = -1;
};

Script Read() {
  Script script;
  const char* path = std::getenv("NVML_STUB_SCRIPT");
  std::ifstream file(path == nullptr ? "" : path);
  std::string word;
  int number = 0;
  while (file >> word >> number) {
    if (word == "process") {
      unsigned pid = 0;
      file >> pid;
      script.pids[number].push_back(pid);
    } else if (word == "many") {
      unsigned count = 0;
      file >> count;
      for (unsigned i = 0; i < count; ++i) {
        script.pids[number].push_back(1000 + i);
      }
    } else if (word == "lost") {
      script.lost = number;
    } else {
      script.results[word] = number;
    }
  }
  return script;
}

struct Old {
  unsigned pid;
  unsigned long long memory;
};
[[maybe_unused]] constexpr int kInsufficientSize = 7;

template <typename Record>
[[maybe_unused]] int Fill(void* device, unsigned* count, Record* records) {
  const Script script = Read();
  const auto gpu =
      static_cast<int>(reinterpret_cast<std::uintptr_t>(device)) - 1;
  const auto found = script.pids.find(gpu);
  const unsigned room = *count;
  *count = found == script.pids.end()
               ? 0
               : static_cast<unsigned>(found->second.size());
  if (*count > room) return kInsufficientSize;
  for (unsigned i = 0; i < *count; ++i) {
    records[i] = Record();
    records[i].pid = found->second[i];
  }
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return Read().results["init"]; }
#ifndef NVML_STUB_LACKING
int nvmlShutdown() { return 0; }
#endif
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(Read().results["gpus"]);
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  constexpr int kLost = 15;
  if (static_cast<int>(index) == Read().lost) return kLost;
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count,
                                         Old* records) {
  return Fill(device, count, records);
}
#ifndef NVML_STUB_OLD
struct New {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* count,
                                            New* records) {
  return Fill(device, count, records);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count,
                                            New* records) {
  const int result = Read().results["v3"];
  return result != 0 ? result : Fill(device, count, records);
}
#endif
}
