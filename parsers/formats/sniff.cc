// SniffFormat, SniffConsole and MakeLogFormat of log_format.h.
#include <algorithm>
#include <array>
#include <string>

#include "parsers/formats/actor_role.h"
#include "parsers/formats/log_format.h"
#include "parsers/formats/slime_console.h"
#include "parsers/formats/slime_line.h"
#include "parsers/formats/trl_console.h"
#include "parsers/formats/trl_line.h"
#include "parsers/formats/verl_console.h"
#include "parsers/formats/verl_jsonl.h"

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;

std::string_view Skip(std::string_view text, std::string_view bytes) {
  text.remove_prefix(std::min(text.find_first_not_of(bytes), text.size()));
  return text;
}

// True: `text` goes on with "name" and a colon; they are taken away.
bool TakeName(std::string_view name, std::string_view* text) {
  std::string_view rest = *text;
  if (!rest.starts_with('"')) return false;
  rest.remove_prefix(1);
  if (!rest.starts_with(name)) return false;
  rest.remove_prefix(name.size());
  if (!rest.starts_with('"')) return false;
  rest = Skip(rest.substr(1), " \t");
  if (!rest.starts_with(':')) return false;
  *text = Skip(rest.substr(1), " \t");
  return true;
}

// A metric line of slime by the first key of its dict: agents print dicts, too.
bool IsSlimeMetrics(std::string_view payload) {
  const SlimeLine line = FindSlimeLine(payload);
  if (line.type == SlimeLine::Type::kNone || line.dict.size() < 3) return false;
  constexpr std::array<std::string_view, 6> kFronts = {
      "train/", "rollout/", "perf/", "eval/", "multi_turn/", "passrate/"};
  const std::string_view key = line.dict.substr(2, 32);
  return std::any_of(kFronts.begin(), kFronts.end(),
                     [key](std::string_view f) { return key.starts_with(f); });
}

// A job whose command has the options of slime. Its first line states what was
// planned, long before anything else that only slime prints.
bool IsSlimeCommand(std::string_view payload) {
  constexpr std::array<std::string_view, 3> kOptions = {
      " --num-rollout", " --rollout-batch-size", " --n-samples-per-prompt"};
  return payload.starts_with("Running entrypoint for job ") &&
         std::any_of(kOptions.begin(), kOptions.end(),
                     [payload](std::string_view option) {
                       return payload.find(option) != kNowhere;
                     });
}

bool IsTrlMetrics(std::string_view payload) {
  if (!MayBeTrlDict(payload)) return false;
  StepRecord record;
  SkipCounts skipped{};
  const TrlLine line = ReadTrlLine(payload, &record, &skipped);
  return line.role != TrlLine::Role::kNone;
}

std::optional<FormatKind> SniffLine(const Line& line, std::string* scratch) {
  if (line.text.empty()) return std::nullopt;
  const std::string_view text =
      SkipModalFront(StripEscapes(line.text, scratch));
  ActorPrefix prefix;
  const std::string_view payload = SkipFrontAndPrefixes(text, &prefix);
  if (prefix.present()) {
    if (IsOfTrainer(prefix.actor)) return FormatKind::kVerlConsole;
    if (IsOfSlime(prefix.actor)) return FormatKind::kSlimeConsole;
  }
  if (payload.empty()) return std::nullopt;
  if (payload.starts_with("Training run id: ") ||
      payload.starts_with("ft op=") || payload.starts_with("ft cls=") ||
      IsSlimeCommand(payload)) {
    return FormatKind::kSlimeConsole;
  }
  if (line.may_have_step) {
    StepRecord record;
    SkipCounts skipped{};
    const StepEdge edge = FindStepEdge(text);
    if (edge.at != StepEdge::kNone &&
        ParseStepLine(text.substr(edge.at), false, &record, &skipped) ==
            StepLineKind::kStep) {
      return FormatKind::kVerlConsole;
    }
  }
  if (payload.find('{') == kNowhere) return std::nullopt;
  if (payload.find("'actor_rollout_ref':") != kNowhere) {
    return FormatKind::kVerlConsole;
  }
  if (IsSlimeMetrics(payload)) return FormatKind::kSlimeConsole;
  if (IsTrlMetrics(payload)) return FormatKind::kTrlConsole;
  return std::nullopt;
}

}  // namespace

SniffedLines SniffConsole(std::span<const Line> lines) {
  std::string scratch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto kind = SniffLine(lines[i], &scratch)) return {kind, i};
  }
  return {};
}

FormatKind SniffFormat(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kEmpty = " \t\r\n\0"sv;
  head = Skip(head, kEmpty);
  if (head.starts_with(kByteOrderMark)) {
    head = Skip(head.substr(kByteOrderMark.size()), kEmpty);
  }
  // The line may be longer than the head: its end is not needed.
  std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  if (!line.starts_with('{')) return FormatKind::kVerlConsole;
  line = Skip(line.substr(1), " \t");
  if (TakeName("data", &line)) {
    return line.starts_with('{') ? FormatKind::kVerlJsonl
                                 : FormatKind::kVerlConsole;
  }
  if (!TakeName("step", &line)) return FormatKind::kVerlConsole;
  const std::size_t comma = line.find(',');
  if (comma == kNowhere || comma == 0) return FormatKind::kVerlConsole;
  if (line.find_first_not_of("0123456789.e+ ") != comma) {
    return FormatKind::kVerlConsole;
  }
  return line.find("\"data\"", comma) != kNowhere ? FormatKind::kVerlJsonl
                                                  : FormatKind::kVerlConsole;
}

std::unique_ptr<LogFormat> MakeLogFormat(FormatKind kind) {
  switch (kind) {
    case FormatKind::kVerlJsonl:
      return std::make_unique<VerlJsonl>();
    case FormatKind::kSlimeConsole:
      return std::make_unique<SlimeConsole>();
    case FormatKind::kTrlConsole:
      return std::make_unique<TrlConsole>();
    case FormatKind::kVerlConsole:
      break;
  }
  return std::make_unique<VerlConsole>();
}

}  // namespace rlrun
