#include "exporter/discovery/chain_place.h"

#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

// Cuts the last segment off.
std::string_view CutSegment(std::string_view* path) {
  const std::size_t slash = path->rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view segment = path->substr(slash + 1);
  *path = path->substr(0, slash);
  return segment;
}

}  // namespace

std::optional<ChainPlace> ChainPlaceOf(std::string_view path) {
  std::string_view directory = path;
  if (IsEventFile(path)) {
    const std::string_view name = CutSegment(&directory);
    if (name.empty()) return std::nullopt;
    return ChainPlace{std::string(directory) + "/tfevents", std::string(name)};
  }
  if (!IsWandbFile(path)) return std::nullopt;
  const std::string_view name = CutSegment(&directory);
  std::string_view run = CutSegment(&directory);
  constexpr std::string_view kOffline = "offline-";
  if (run.starts_with(kOffline)) run.remove_prefix(kOffline.size());
  if (name.empty() || !run.starts_with("run-")) return std::nullopt;
  std::string chain(directory);
  chain.append("/").append(name);
  return ChainPlace{std::move(chain), std::string(run)};
}

}  // namespace rlrun
