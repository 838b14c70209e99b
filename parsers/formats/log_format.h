// The small interface behind which every input format lives: lines in, facts
// out. One object per source file, because a format may need what earlier
// lines said (an actor prefix in front of a CR, the newest stamp).
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "parsers/lines/line.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

class LogFormat {
 public:
  virtual ~LogFormat() = default;

  // `verl_console`, `verl_jsonl`, `slime_console`, `trl_console`.
  virtual std::string_view name() const = 0;

  // Appends what `lines` say to *facts and counts each line once. Never throws
  // on any input; never keeps a view into `lines`.
  virtual void ParseLines(std::span<const Line> lines, LogFacts* facts) = 0;

  // The facts are about to be taken: adds what was only remembered until now
  // (of many engine lines only the newest are worth reading).
  virtual void Finish(LogFacts* /*facts*/) {}

  // The next line does not follow the last one (the file was truncated or
  // replaced): forget what only makes sense inside one text.
  virtual void Reset() = 0;
};

enum class FormatKind { kVerlConsole, kVerlJsonl, kSlimeConsole, kTrlConsole };

// Picks the format from the first bytes of a source (up to 64 KiB, ending at a
// line end where the source has one). Console text is the default; a first
// non-blank line `{"step": ..., "data": ...}` is JSONL.
FormatKind SniffFormat(std::string_view head);

// Whose console a text is, decided by the first line that only one trainer
// prints; until then nobody knows.
//   verl:  a step line, an actor `TaskRunner`, a config block
//   slime: a metric line, an actor `MegatronTrainRayActor`, a launcher's
//          `Training run id:`
//   TRL:   a metric line
// Ask with each batch of lines until one decides, then never again.
struct SniffedLines {
  std::optional<FormatKind> kind;
  std::size_t first = 0;  // the line that decides, where one does
};
SniffedLines SniffConsole(std::span<const Line> lines);

std::unique_ptr<LogFormat> MakeLogFormat(FormatKind kind);

}  // namespace rlrun
