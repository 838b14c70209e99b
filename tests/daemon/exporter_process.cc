#include "tests/daemon/exporter_process.h"

#include <unistd.h>

#include <cmath>

namespace rlrun::daemon {
namespace {

std::vector<std::string> CommandLine(std::vector<std::string> arguments,
                                     bool serves) {
  arguments.insert(arguments.begin(), ExporterBinary());
  if (serves) arguments.push_back("--web.listen-address=127.0.0.1:0");
  return arguments;
}

std::vector<std::string> Join(std::vector<std::string> front,
                              const std::vector<std::string>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// The address in `msg=Listening url=http://127.0.0.1:PORT`, or https, quoted or
// not.
std::string FindUrl(const std::string& log) {
  const std::size_t line = log.find("Listening");
  if (line == std::string::npos) return "";
  const std::size_t begin = log.find("http", line);
  if (begin == std::string::npos) return "";
  const std::size_t end = log.find_first_of("\" \n", begin);
  if (end == std::string::npos) return "";  // half a line
  std::string url = log.substr(begin, end - begin);
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

std::string ExporterBinary() { return RLRUN_EXPORTER; }

CommandResult RunExporter(const std::vector<std::string>& arguments) {
  ChildProcess child(CommandLine(arguments, false));
  CommandResult result;
  result.status = child.Wait();
  result.out = child.Out();
  result.err = child.Err();
  return result;
}

std::vector<std::string> WithoutRootRights() {
  if (geteuid() != 0) return {};
  return {"setpriv", "--inh-caps=-all",
          "--bounding-set=-dac_override,-dac_read_search", "--"};
}

std::vector<std::string> InDirectory(const std::string& directory) {
  return {"/bin/sh", "-c", "cd '" + directory + "' && exec \"$@\"", "sh"};
}

std::vector<std::string> WithDescriptors(int limit) {
  return {"/bin/sh", "-c",
          "ulimit -n " + std::to_string(limit) + " && exec \"$@\"", "sh"};
}

ExporterProcess::ExporterProcess(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& launcher)
    : ChildProcess(Join(launcher, CommandLine(arguments, true))) {}

std::string ExporterProcess::Url() {
  if (url_.empty()) {
    WaitUntil([this] {
      url_ = FindUrl(Err());
      return !url_.empty() || !Running();
    });
  }
  return url_;
}

std::string ExporterProcess::Metrics() {
  const HttpAnswer answer = HttpGet(Url() + "/metrics");
  return answer.status == 200 ? answer.body : "";
}

bool ExporterProcess::WaitForSample(std::string_view family, double value,
                                    std::string_view part) {
  return WaitUntil([&] {
           const auto found = SampleValue(Metrics(), family, part);
           if (!found) return !Running();
           return *found == value || (std::isnan(*found) && std::isnan(value));
         }) &&
         Running();
}

}  // namespace rlrun::daemon
