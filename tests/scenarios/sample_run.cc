#include "tests/scenarios/sample_run.h"

#include "tests/scenarios/run_kinds.h"

namespace rlrun::scenarios {

std::optional<Kind> KindFromName(std::string_view name) {
  if (name == "sync") return Kind::kSync;
  if (name == "async") return Kind::kAsync;
  if (name == "sft") return Kind::kSft;
  return std::nullopt;
}

std::string SampleRun::Text() const {
  std::string text;
  for (const Chunk& chunk : chunks) text += chunk.bytes;
  return text;
}

SampleRun MakeSampleRun(const RunOptions& options) {
  switch (options.kind) {
    case Kind::kAsync:
      return MakeAsyncRun(options);
    case Kind::kSft:
      return MakeSftRun(options);
    case Kind::kSync:
      break;
  }
  return MakeSyncRun(options);
}

}  // namespace rlrun::scenarios
