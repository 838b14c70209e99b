#include "parsers/formats/slime_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "parsers/formats/dict_line.h"
#include "parsers/lines/payload.h"

namespace rlrun {
namespace {

using Type = SlimeLine::Type;
constexpr auto kNowhere = std::string_view::npos;
constexpr std::size_t kMaxBracket = 80;  // bytes of `[...]` in front
constexpr std::size_t kMaxPlace = 80;    // bytes of `file.py:123`

struct TypeName {
  std::string_view text;
  Type type;
};
constexpr std::array kTypes = {
    TypeName{"step ", Type::kStep},
    TypeName{"rollout ", Type::kRollout},
    TypeName{"perf ", Type::kPerf},
    TypeName{"eval ", Type::kEval},
    TypeName{"critic-step ", Type::kCriticStep},
    TypeName{"multi_turn ", Type::kMultiTurn},
    TypeName{"passrate ", Type::kPassrate},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

// `TYPE N: {` at the front of `text`.
SlimeLine ParseBody(std::string_view text) {
  for (const TypeName& name : kTypes) {
    if (text.front() != name.text.front() || !text.starts_with(name.text)) {
      continue;
    }
    SlimeLine line;
    const std::string_view rest = text.substr(name.text.size());
    if (rest.empty() || !IsDigit(rest.front())) return {};
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), line.number);
    if (error != std::errc()) return {};
    const std::string_view dict =
        rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (!dict.starts_with(": {")) return {};
    line.type = name.type;
    line.dict = dict.substr(2);
    return line;
  }
  return {};
}

// Bytes of `[...]` and the blanks behind it; 0: there is none. The last word
// inside of a stamp is the name of a process.
std::size_t BracketSize(std::string_view text, std::string_view* process) {
  const std::size_t close = text.substr(0, kMaxBracket).find(']');
  if (close == kNowhere) return 0;
  const std::string_view inside = text.substr(1, close - 1);
  constexpr std::size_t kStamp = 23;  // `2026-09-04 01:00:00.000`
  if (inside.size() > kStamp + 1 && IsDigit(inside.front()) &&
      inside[kStamp] == ' ' && inside[kStamp - 4] == '.') {
    *process = inside.substr(kStamp + 1);
  }
  return text.size() - SkipBlanks(text.substr(close + 1)).size();
}

// Bytes of `file.py:123 - `; 0: there is none.
std::size_t PlaceSize(std::string_view text) {
  constexpr std::string_view kPython = ".py:";
  const std::size_t dot = text.substr(0, kMaxPlace).find(kPython);
  if (dot == kNowhere || dot == 0 ||
      text.substr(0, dot).find_first_of(" \t'\"{}") != kNowhere) {
    return 0;
  }
  std::size_t i = dot + kPython.size();
  while (i < text.size() && IsDigit(text[i])) ++i;
  if (i == dot + kPython.size() || !text.substr(i).starts_with(" - ")) return 0;
  return i + 3;
}

// Behind the bar that `text` begins with, up to its `it/s]`; empty: none.
std::string_view BehindBar(std::string_view text) {
  const std::size_t brace = text.find('{');
  const std::string_view front = text.substr(0, brace);
  const std::size_t bar = std::max(front.rfind("it/s]") + 1,  // npos + 1 is 0
                                   front.rfind("s/it]") + 1);
  return bar == 0 ? std::string_view() : text.substr(bar + 4);
}

SlimeLine FindBehindHeads(std::string_view text) {
  constexpr int kMaxHeads = 4;
  std::string_view process;
  for (int heads = 0; heads <= kMaxHeads; ++heads) {
    if (text.empty()) return {};
    SlimeLine line = ParseBody(text);
    if (line.type != Type::kNone) {
      line.process = process;
      return line;
    }
    std::size_t size = 0;
    if (text.front() == '[') {
      size = BracketSize(text, &process);
    } else {
      size = PlaceSize(text);
    }
    if (size == 0) return {};
    text.remove_prefix(size);
  }
  return {};
}

// Keys of the critic that its line shares with the actor's.
void TellCriticApart(StepRecord* record) {
  constexpr std::string_view kTrain = "train/";
  constexpr std::string_view kCritic = "train/critic-";
  StepRecord told;
  for (const StepRecord::Pair& pair : record->pairs) {
    const std::string_view key = record->Key(pair);
    if (key == "train/step") continue;  // it is the number of the line
    if (!key.starts_with(kTrain) || key.starts_with(kCritic)) {
      told.Add(key, pair.value);
    } else {
      std::string renamed(kCritic);
      renamed.append(key.substr(kTrain.size()));
      told.Add(renamed, pair.value);
    }
  }
  record->key_text = std::move(told.key_text);
  record->pairs = std::move(told.pairs);
}

bool HasKey(const StepRecord& record, std::string_view key) {
  for (const StepRecord::Pair& pair : record.pairs) {
    if (record.Key(pair) == key) return true;
  }
  return false;
}

// The `perf` line of whoever generates has the times of the rollout.
LineClass ClassOf(const SlimeLine& line, const StepRecord& record) {
  switch (line.type) {
    case Type::kStep:
      return LineClass::kTrain;
    case Type::kCriticStep:
      return LineClass::kCritic;
    case Type::kEval:
      return LineClass::kVal;
    case Type::kPerf:
      for (const StepRecord::Pair& pair : record.pairs) {
        const std::string_view key = record.Key(pair);
        if (key == "perf/rollout_time" || key.starts_with("rollout/") ||
            key == "perf/tokens_per_gpu_per_sec") {
          return LineClass::kRollouter;
        }
      }
      return LineClass::kRollout;
    default:
      return LineClass::kRollout;
  }
}

}  // namespace

std::string_view SkipLogHeads(std::string_view payload,
                              std::string_view* process) {
  payload = SkipBlanks(payload);
  std::string_view rest = payload;
  std::string_view name = *process;
  if (rest.size() > 5 && rest.front() == '[' && IsDigit(rest[1]) &&
      rest[5] == '-') {
    rest.remove_prefix(BracketSize(rest, &name));
  }
  const std::size_t place = PlaceSize(rest);
  if (place == 0) return payload;
  *process = name;
  return rest.substr(place);
}

SlimeLine FindSlimeLine(std::string_view payload) {
  payload = SkipBlanks(payload);
  if (payload.empty()) return {};
  const char c = payload.front();
  // Nearly all lines are decided here: heads begin with `[` or a name, types
  // with their own letter, bars with a name or a percentage.
  if (c == '\'' || c == '{' || c == '(') return {};
  if (payload.find('{') == kNowhere) return {};
  SlimeLine line = FindBehindHeads(payload);
  if (line.type != Type::kNone) return line;
  std::string_view behind = BehindBar(payload);
  if (behind.empty()) return {};
  ActorPrefix ignored;
  return FindBehindHeads(SkipPrefixes(behind, &ignored));
}

bool ReadSlimeLine(const SlimeLine& line, StepRecord* record,
                   SkipCounts* skipped) {
  SkipCounts counts{};
  const DictLine dict = ReadDictPairs(line.dict, record, &counts);
  if (record->pairs.empty()) return false;
  const bool glued =
      dict.closed && !TrimBlanks(line.dict.substr(dict.size)).empty();
  if (glued) ++counts[static_cast<std::size_t>(SkipReason::kGlued)];
  if (!dict.closed && counts[static_cast<std::size_t>(SkipReason::kCut)] == 0) {
    ++counts[static_cast<std::size_t>(SkipReason::kGlued)];
  }
  record->step = line.number;
  record->cut = !dict.closed;
  record->decimals = StepRecord::kExponent;  // every digit is printed
  record->line_class = ClassOf(line, *record);
  record->by_rollout =
      line.type != Type::kStep && line.type != Type::kCriticStep;
  record->dialect = KeyDialect::kSlime;
  if (line.type == Type::kStep && !HasKey(*record, "train/pg_loss") &&
      HasKey(*record, "train/loss") && !HasKey(*record, "train/ppo_kl")) {
    record->dialect = KeyDialect::kSlimeSft;
  }
  if (line.type == Type::kCriticStep) TellCriticApart(record);
  if (record->pairs.empty()) return false;
  for (std::size_t i = 0; i < counts.size(); ++i) (*skipped)[i] += counts[i];
  return true;
}

}  // namespace rlrun
