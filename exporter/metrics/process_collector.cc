#include "exporter/metrics/process_collector.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>

#include "exporter/metrics/catalogue.h"

namespace rlrun {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Takes the next blank-separated field off *text.
std::string_view NextField(std::string_view* text) {
  const std::size_t begin = text->find_first_not_of(" \n");
  text->remove_prefix(begin == std::string_view::npos ? text->size() : begin);
  const std::string_view field = text->substr(0, text->find_first_of(" \n"));
  text->remove_prefix(field.size());
  return field;
}

bool ToNumber(std::string_view text, std::uint64_t* value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

std::optional<double> CountOpenFiles() {
  std::error_code error;
  double count = -1;  // the directory itself is open while we look
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end;
       !error && it != end; it.increment(error)) {
    ++count;
  }
  if (error) return std::nullopt;
  return count;
}

class FamilyList {
 public:
  void Add(std::string_view name, double value) {
    const std::shared_ptr<const FamilyHeader> header = Family(name);
    prometheus::MetricFamily family;
    family.name = header->name;
    family.help = header->help;
    family.type = header->type == FamilyType::kCounter
                      ? prometheus::MetricType::Counter
                      : prometheus::MetricType::Gauge;
    family.metric.resize(1);
    family.metric[0].counter.value = value;
    family.metric[0].gauge.value = value;
    families_.push_back(std::move(family));
  }
  std::vector<prometheus::MetricFamily> Take() { return std::move(families_); }

 private:
  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace

std::optional<ProcStat> ParseProcStat(std::string_view text) {
  // The name may hold anything, so fields are counted from its last bracket.
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  text.remove_prefix(bracket + 1);
  ProcStat stat;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  for (int field = 3; field <= 24; ++field) {
    const std::string_view value = NextField(&text);
    std::uint64_t* target = field == 14   ? &user
                            : field == 15 ? &system
                            : field == 22 ? &stat.start_ticks
                            : field == 23 ? &stat.virtual_bytes
                            : field == 24 ? &stat.resident_pages
                                          : nullptr;
    if (target != nullptr && !ToNumber(value, target)) return std::nullopt;
  }
  stat.cpu_ticks = user + system;
  return stat;
}

std::optional<std::uint64_t> ParseBootTime(std::string_view text) {
  constexpr std::string_view kName = "\nbtime ";
  const std::size_t begin = text.find(kName);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + kName.size());
  std::uint64_t value = 0;
  if (!ToNumber(NextField(&text), &value)) return std::nullopt;
  return value;
}

std::vector<prometheus::MetricFamily> ProcessCollector::Collect() const {
  FamilyList list;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (const auto stat = ParseProcStat(ReadFile("/proc/self/stat"))) {
    list.Add("process_cpu_seconds_total",
             static_cast<double>(stat->cpu_ticks) / ticks);
    list.Add("process_resident_memory_bytes",
             static_cast<double>(stat->resident_pages) *
                 static_cast<double>(sysconf(_SC_PAGESIZE)));
    list.Add("process_virtual_memory_bytes",
             static_cast<double>(stat->virtual_bytes));
    if (const auto boot = ParseBootTime(ReadFile("/proc/stat"))) {
      list.Add("process_start_time_seconds",
               static_cast<double>(*boot) +
                   static_cast<double>(stat->start_ticks) / ticks);
    }
  }
  if (const auto open = CountOpenFiles()) list.Add("process_open_fds", *open);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    list.Add("process_max_fds", static_cast<double>(limit.rlim_cur));
  }
  return list.Take();
}

}  // namespace rlrun
