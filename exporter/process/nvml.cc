#include "exporter/process/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace rlrun {
namespace {

// The few declarations that are needed of the library's interface.
using Result = int;
using Device = void*;
constexpr Result kSuccess = 0;
constexpr Result kInsufficientSize = 7;
constexpr Result kFunctionNotFound = 13;

struct ProcessV1 {
  unsigned pid;
  unsigned long long used_memory;
};
struct ProcessV2 {  // of _v2 and _v3
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(ProcessV1) == 16 && sizeof(ProcessV2) == 24);

using Simple = Result (*)();
using GetCount = Result (*)(unsigned*);
using GetHandle = Result (*)(unsigned, Device*);
using GetProcesses = Result (*)(Device, unsigned*, void*);

struct ProcessCall {
  std::string_view name;
  std::size_t record = 0;  // bytes
};
constexpr std::array<ProcessCall, 3> kProcessCalls = {{
    {"nvmlDeviceGetComputeRunningProcesses_v3", sizeof(ProcessV2)},
    {"nvmlDeviceGetComputeRunningProcesses_v2", sizeof(ProcessV2)},
    {"nvmlDeviceGetComputeRunningProcesses", sizeof(ProcessV1)},
}};

}  // namespace

class Nvml::Library {
 public:
  explicit Library(const std::string& path)
      : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) return;
    const auto init = Find<Simple>("nvmlInit_v2");
    shutdown_ = Find<Simple>("nvmlShutdown");
    count_ = Find<GetCount>("nvmlDeviceGetCount_v2");
    device_ = Find<GetHandle>("nvmlDeviceGetHandleByIndex_v2");
    bool any = false;
    for (std::size_t i = 0; i < kProcessCalls.size(); ++i) {
      processes_[i] = Find<GetProcesses>(kProcessCalls[i].name.data());
      any = any || processes_[i] != nullptr;
    }
    ready_ = init != nullptr && shutdown_ != nullptr && count_ != nullptr &&
             device_ != nullptr && any && init() == kSuccess;
  }
  ~Library() {
    if (ready_) shutdown_();
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool ready() const { return ready_; }

  bool Query(std::vector<GpuProcess>* processes) const {
    unsigned count = 0;
    if (count_(&count) != kSuccess) return false;
    for (unsigned gpu = 0; gpu < count; ++gpu) {
      Device device = nullptr;
      if (device_(gpu, &device) != kSuccess) return false;
      if (!QueryDevice(gpu, device, processes)) return false;
    }
    return true;
  }

 private:
  template <typename Function>
  Function Find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  // A newer function may be there and yet refused by an older driver.
  bool QueryDevice(unsigned gpu, Device device,
                   std::vector<GpuProcess>* processes) const {
    for (std::size_t i = 0; i < kProcessCalls.size(); ++i) {
      if (processes_[i] == nullptr) continue;
      const Result result =
          Call(processes_[i], kProcessCalls[i].record, gpu, device, processes);
      if (result == kSuccess) return true;
      if (result != kFunctionNotFound) return false;
    }
    return false;
  }

  static Result Call(GetProcesses call, std::size_t record, unsigned gpu,
                     Device device, std::vector<GpuProcess>* processes) {
    constexpr unsigned kMost = 1u << 16;
    unsigned room = 64;
    while (room <= kMost) {
      // As the widest of the records, for the alignment.
      std::vector<ProcessV2> buffer(room);
      unsigned count = room;
      const Result result = call(device, &count, buffer.data());
      if (result == kInsufficientSize) {
        room = count > room ? count + 16 : room * 2;  // more may have come
        continue;
      }
      if (result != kSuccess) return result;
      const auto* bytes = reinterpret_cast<const unsigned char*>(buffer.data());
      for (unsigned i = 0; i < count && i < room; ++i) {
        unsigned pid = 0;
        __builtin_memcpy(&pid, bytes + i * record, sizeof(pid));
        processes->push_back({gpu, static_cast<std::int64_t>(pid)});
      }
      return kSuccess;
    }
    return kInsufficientSize;
  }

  void* handle_ = nullptr;
  Simple shutdown_ = nullptr;
  GetCount count_ = nullptr;
  GetHandle device_ = nullptr;
  std::array<GetProcesses, kProcessCalls.size()> processes_{};
  bool ready_ = false;
};

Nvml::Nvml(std::string library) : path_(std::move(library)) {}
Nvml::~Nvml() = default;

std::optional<std::vector<GpuProcess>> Nvml::Query(double now) {
  constexpr double kRetry = 300;  // seconds
  if (path_.empty()) return std::nullopt;
  if (library_ == nullptr) {
    if (failed_ && now >= *failed_ && now - *failed_ < kRetry) {
      return std::nullopt;
    }
    auto library = std::make_unique<Library>(path_);
    if (!library->ready()) {
      failed_ = now;
      return std::nullopt;
    }
    library_ = std::move(library);
    failed_.reset();
  }
  std::vector<GpuProcess> processes;
  if (!library_->Query(&processes)) {
    // A driver that was exchanged answers only after a new beginning.
    library_.reset();
    failed_ = now;
    return std::nullopt;
  }
  return processes;
}

}  // namespace rlrun
