// Who a run is, as far as its path tells: metrics.md, "Identity". Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exporter/discovery/options.h"

namespace rlrun {

struct PathIdentity {
  std::string project;  // empty: the path does not tell
  std::string run;      // never empty
  // The root's run_name pattern says so: it wins over what the log states.
  bool by_pattern = false;
};

// Names a run after its log's path. Keeps the compiled `run_name` pattern of
// its root. Safe for concurrent calls.
class PathNamer {
 public:
  explicit PathNamer(const RootOptions& root);
  ~PathNamer();
  PathNamer(PathNamer&&) noexcept;

  // First of: the root's run_name pattern; `<project>/<exp>/logs/<exp>.log`;
  // `.../wandb/<run dir>/files/output.log` and `.../<run dir>/run-<id>.wandb`;
  // `tensorboard_log/<project>/<exp>/events...`; the file stem, where a generic
  // stem (train, output, slurm-123, ...) takes the nearest ancestor that is not
  // generic. `path` is absolute and without symbolic links. `listed` is where
  // the root found it, which is what the pattern is over; empty: `path`.
  PathIdentity Name(std::string_view path, std::string_view listed = {}) const;

 private:
  struct Pattern;
  std::string root_path_;
  std::unique_ptr<Pattern> pattern_;
};

// True for stems that say nothing: `train`, `output`, `slurm-123`,
// `launch_20260101-101112_host`, ...
bool IsGenericName(std::string_view stem);

// The last segment without its `.log`, `.out`, `.jsonl`, `.txt` or `.wandb`.
std::string FileStem(std::string_view path);

// Eight hex digits of a path (FNV-1a, 32 bits): tells runs of one name apart.
std::string PathHash(std::string_view path);

}  // namespace rlrun
