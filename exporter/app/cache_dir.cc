#include "exporter/app/cache_dir.h"

#include <filesystem>
#include <system_error>

#include "exporter/discovery/path_glob.h"

namespace rlrun {
namespace {

namespace fs = std::filesystem;

// The part of a pattern that is the same for all that it matches.
std::string FixedPart(const std::string& path) {
  if (!HasGlob(path)) return path;
  std::string fixed = path.starts_with('/') ? "/" : "";
  for (const std::string& segment : SplitPath(path)) {
    if (HasGlob(segment)) break;
    fixed += segment + "/";
  }
  return fixed.empty() ? "." : fixed;
}

bool IsBelow(const std::string& path, const std::string& directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

std::string ResolvedPath(const std::string& path) {
  std::error_code error;
  fs::path resolved = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) resolved = fs::path(path).lexically_normal();
  std::string text = resolved.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string CheckCacheDir(const Config& config) {
  if (config.trials.cache_dir.empty()) return "";
  const std::string cache = ResolvedPath(config.trials.cache_dir);
  for (const RootOptions& root : config.roots) {
    if (IsBelow(cache, ResolvedPath(FixedPart(root.path)))) {
      return "the cache folder " + config.trials.cache_dir +
             " lies inside of the root " + root.path +
             "; nothing is written there";
    }
  }
  return "";
}

}  // namespace rlrun
