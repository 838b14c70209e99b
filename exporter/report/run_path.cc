#include "exporter/report/run_path.h"

#include <algorithm>

#include "exporter/report/html.h"

namespace rlrun {
namespace {

std::string Part(std::string_view name) {
  const std::size_t tildes = std::min(name.find_first_not_of('~'), name.size());
  const std::string_view rest = name.substr(tildes);
  const bool taken = rest == "." || rest == ".." || rest == "-";
  return (taken ? "~" : "") + EncodePathPart(name);
}

}  // namespace

std::string RunPath(std::string_view project, std::string_view run) {
  return (project.empty() ? "-" : Part(project)) + "/" + Part(run);
}

std::string PlainRunPath(std::string_view project, std::string_view run) {
  return std::string(project.empty() ? "-" : project) + "/" + std::string(run);
}

}  // namespace rlrun
