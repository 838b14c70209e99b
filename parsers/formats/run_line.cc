#include "parsers/formats/run_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "parsers/formats/leveled_text.h"
#include "parsers/lines/front.h"

namespace rlrun {
namespace {

using Role = RunLine::Role;
constexpr auto kNowhere = std::string_view::npos;

struct Phrase {
  std::string_view text;
  Role role;
  RunPhase phase = RunPhase::kTraining;
  EndKind end = EndKind::kTrainer;
};

constexpr RunPhase kEvaluate = RunPhase::kEvaluateRollouts;
constexpr RunPhase kSave = RunPhase::kCheckpointSave;

constexpr std::array kFronts = {
    Phrase{"test_gen_batch meta info:", Role::kPhaseBegin, kEvaluate},
    Phrase{"validation generation end", Role::kPhaseEnd, kEvaluate},
    Phrase{"local_global_step_folder:", Role::kPhaseBegin, kSave},
    Phrase{"Saving checkpoint to:", Role::kPhaseBegin, kSave},
    Phrase{"Force saving checkpoint:", Role::kPhaseBegin, kSave},
    Phrase{"Saved dataloader checkpoint to ", Role::kPhaseEnd, kSave},
    Phrase{"Saved dataloader state to:", Role::kPhaseEnd, kSave},
    Phrase{"Updated checkpoint tracker:", Role::kPhaseEnd, kSave},
    Phrase{"Setting global step to ", Role::kResume},
    Phrase{"Setting global_steps to ", Role::kResume},
    Phrase{"Load from checkpoint folder:", Role::kResume},
    Phrase{"Found checkpoint:", Role::kResume},
    Phrase{"Resuming from ", Role::kResume},
    Phrase{"Training from scratch", Role::kFromScratch},
    Phrase{"Resume mode is disabled, starting from scratch",
           Role::kFromScratch},
    Phrase{"Final validation metrics:", Role::kEnd},
    Phrase{"(\"Final validation metrics:", Role::kEnd},
    Phrase{"('Final validation metrics:", Role::kEnd},
    Phrase{"Total time for train steps:", Role::kEnd},
    Phrase{"total time: ", Role::kEnd},
    Phrase{"Training stopped by queue termination signal", Role::kEnd},
    Phrase{"Detected termination signal", Role::kEnd},
    Phrase{"One component completed successfully", Role::kEnd},
    Phrase{"Training completed or interrupted",
           Role::kEnd,
           {},
           EndKind::kAmbiguous},
    Phrase{"Training completed", Role::kEnd, {}, EndKind::kWrapper},
    Phrase{"Training complete!", Role::kEnd, {}, EndKind::kWrapper},
    Phrase{"Training finished", Role::kEnd, {}, EndKind::kWrapper},
    Phrase{"training finished", Role::kEnd, {}, EndKind::kWrapper},
    // "training finished" of Chinese launch scripts
    Phrase{"\xe8\xae\xad\xe7\xbb\x83\xe5\xae\x8c\xe6\x88\x90",
           Role::kEnd,
           {},
           EndKind::kWrapper},
};

std::string_view SkipBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// `text` behind `mark`; empty: it is not there.
std::string_view Behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == kNowhere ? std::string_view() : text.substr(at + mark.size());
}

// `d/T` at the front of `text`.
bool ParseShare(std::string_view text, RunLine* line) {
  text = SkipBlanks(text);
  const auto done = FrontInteger(text);
  const auto total = FrontInteger(Behind(text.substr(0, 24), "/"));
  if (!done || !total || *done < 0 || *total < *done) return false;
  line->collected = done;
  line->required = total;
  return true;
}

// `[Trial] step=S d/T task=... outcome=...`
RunLine ParseTrial(std::string_view text) {
  if (!text.starts_with("step=")) return {};
  RunLine line;
  line.role = Role::kTrial;
  line.step = FrontInteger(text.substr(5));
  const std::string_view share = Behind(text, " ");
  return line.step && ParseShare(share, &line) ? line : RunLine();
}

// `[Progress] step=S [bar] d/T (p%) ...`, `[Progress] === step S starting:
// target T trials ===`.
RunLine ParseProgress(std::string_view text) {
  RunLine line;
  line.role = Role::kProgress;
  if (text.starts_with("=== step ")) {
    line.step = FrontInteger(text.substr(9));
    line.required = FrontInteger(Behind(text, "starting: target "));
    line.collected = 0;
    return line.step && line.required && *line.required > 0 ? line : RunLine();
  }
  if (!text.starts_with("step=")) return {};
  line.step = FrontInteger(text.substr(5));
  const std::string_view share = Behind(text, "] ");
  return line.step && ParseShare(share, &line) ? line : RunLine();
}

// `[task=X] attempt 1/2 timeout (no retry). results=...`
RunLine ParseTask(std::string_view text) {
  text = Behind(text.substr(0, 400), "] ");
  if (HasFront(text, "attempt ")) {
    text.remove_prefix(8);
    text = text.substr(std::min(text.find(' '), text.size()));
    text = SkipBlanks(text);
  }
  RunLine line;
  line.role = Role::kTrial;
  if (HasFront(text, "timeout")) {
    line.trial = TrialLineKind::kTimeout;
  } else if (HasFront(text, "agent exited non-zero")) {
    line.trial = TrialLineKind::kNonzeroExit;
  } else if (HasFront(text, "no verifier result")) {
    line.trial = TrialLineKind::kNoVerifier;
  } else if (HasFront(text, "exception:")) {
    line.trial = TrialLineKind::kException;
  } else {
    return {};
  }
  return line;
}

RunLine ParseBracketed(std::string_view text) {
  constexpr std::string_view kTrial = "[Trial] ";
  constexpr std::string_view kProgress = "[Progress] ";
  constexpr std::string_view kDebug = "[DEBUG] ";
  if (text.starts_with(kDebug)) text.remove_prefix(kDebug.size());
  if (text.starts_with("[task=")) return ParseTask(text);
  if (text.starts_with(kTrial)) return ParseTrial(text.substr(kTrial.size()));
  if (text.starts_with(kProgress)) {
    return ParseProgress(text.substr(kProgress.size()));
  }
  for (const std::string_view actor :
       {"[FullyAsyncTrainer] ", "[FullyAsyncRollouter] ", "[ASYNC MAIN] "}) {
    if (text.starts_with(actor)) {
      const std::string_view rest = SkipBlanks(text.substr(actor.size()));
      return rest.starts_with('[') ? RunLine() : ParseRunLine(rest);
    }
  }
  return {};
}

RunLine Make(const Phrase& phrase, std::string_view rest) {
  RunLine line{phrase.role, phrase.phase, phrase.end, {}, {}, {}, {}};
  constexpr std::string_view kFolder = "global_step_";
  if (phrase.phase == kEvaluate && phrase.role == Role::kPhaseBegin &&
      rest.find("'validate': True") == kNowhere) {
    return {};
  }
  if (phrase.role == Role::kResume) {
    line.step = FrontInteger(rest);
    const std::size_t folder = rest.rfind(kFolder);
    if (folder != kNowhere) {
      line.step = FrontInteger(rest.substr(folder + kFolder.size()));
    }
    // "Resuming from" and "Found checkpoint:" are said of other things too.
    if (!line.step) return {};
  }
  if (phrase.text == "total time: " && rest.find(" seconds") == kNowhere) {
    return {};
  }
  return line;
}

}  // namespace

std::optional<std::int64_t> FrontInteger(std::string_view text) {
  text = SkipBlanks(text);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

RunLine ParseRunLine(std::string_view payload) {
  if (payload.empty()) return {};
  char c = payload.front();
  if (HasFront(payload, "[task=")) return ParseTask(payload);
  if (c == '[') {
    const RunLine line = ParseBracketed(payload);
    if (line.role != Role::kNone) return line;
  }
  if (c == '[' || (c >= 'A' && c <= 'Z')) {
    payload = ParseLeveledText(payload).message;
    if (payload.empty()) return {};
    c = payload.front();
    if (payload.starts_with("[task=")) return ParseTask(payload);
  }
  for (const std::string_view what :
       {"Invalid proxy trajectory", "Empty proxy trajectory token ids"}) {
    if (!payload.starts_with(what)) continue;
    RunLine line;
    line.role = Role::kTrial;
    line.trial = TrialLineKind::kInvalid;
    return line;
  }
  for (const Phrase& phrase : kFronts) {
    if (c == phrase.text.front() && payload.starts_with(phrase.text)) {
      return Make(phrase, payload.substr(phrase.text.size()));
    }
  }
  return {};
}

}  // namespace rlrun
