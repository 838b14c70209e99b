#include "parsers/formats/trl_line.h"

#include <charconv>
#include <functional>

#include "parsers/formats/dict_line.h"
#include "parsers/lines/payload.h"

namespace rlrun {
namespace {

using Role = TrlLine::Role;
constexpr auto kNowhere = std::string_view::npos;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes digits from the front of *text.
std::optional<std::int64_t> TakeWhole(std::string_view* text) {
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || text->front() == '-') return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return value;
}

// Of `01:48<34:10, 4.23s/it]`; before the first step there is no rate.
std::size_t ClockOf(std::string_view text) {
  const std::size_t end = text.find(']');
  if (end == kNowhere || text.find('?') < end) return 0;
  return std::hash<std::string_view>{}(text.substr(0, end));
}

// ` 5%|#    | 25/500 [01:48<34:10, 4.23s/it]`, without a name in front.
std::optional<TrlBar> ParseBar(std::string_view text) {
  text = TrimBlanks(text);
  if (text.empty() || !IsDigit(text.front()) || !TakeWhole(&text) ||
      !text.starts_with("%|")) {
    return std::nullopt;
  }
  const std::size_t close = text.find("| ", 2);
  if (close == kNowhere) return std::nullopt;
  text = TrimBlanks(text.substr(close + 1));
  TrlBar bar;
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  bar.done = TakeWhole(&text).value_or(-1);
  if (bar.done < 0 || text.size() < 2 || text.front() != '/' ||
      !IsDigit(text[1])) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  bar.total = TakeWhole(&text).value_or(0);
  if (bar.total < 1 || bar.done > bar.total || !text.starts_with(" [")) {
    return std::nullopt;
  }
  bar.clock = ClockOf(text.substr(2));
  return bar;
}

// The string of a notebook cell without its quote.
std::string_view SkipQuote(std::string_view text) {
  text = TrimBlanks(text);
  if (!text.starts_with('"')) return text;
  return TrimBlanks(text.substr(1));
}

// Where the dict begins; kNowhere: there is none.
std::size_t FindDict(std::string_view text) {
  if (text.starts_with('{')) return 0;
  const std::size_t brace = text.find('{');
  if (brace == kNowhere) return kNowhere;
  const std::string_view front = TrimBlanks(text.substr(0, brace));
  return front.ends_with("s/it]") || front.ends_with("it/s]") ? brace
                                                              : kNowhere;
}

Role RoleOf(const StepRecord& record) {
  bool loss = false, beside = false, epoch = false, evaluation = false;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (key == "train_runtime") return Role::kSummary;
    loss = loss || key == "loss";
    epoch = epoch || key == "epoch";
    beside = beside || key == "grad_norm" || key == "learning_rate";
    evaluation = evaluation || key.starts_with("eval_");
  }
  if (loss && (epoch || beside)) return Role::kTraining;
  return evaluation && epoch ? Role::kEvaluation : Role::kNone;
}

// With a reward the loss is that of a policy.
KeyDialect DialectOf(const StepRecord& record) {
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (key == "reward" || key == "eval_reward" ||
        key == "completions/mean_length") {
      return KeyDialect::kTrl;
    }
  }
  return KeyDialect::kTrlSft;
}

bool IsEndOfString(std::string_view text) {
  return text.empty() || text == "\"" || text == "\\n\"" || text == "\\n\",";
}

}  // namespace

bool MayBeTrlDict(std::string_view payload) {
  payload = SkipQuote(payload);
  const std::size_t at = FindDict(payload);
  if (at == kNowhere) return false;
  const std::string_view dict = payload.substr(at + 1, 1);
  return dict == "'" || dict == "\"";
}

TrlLine ReadTrlLine(std::string_view payload, StepRecord* record,
                    SkipCounts* skipped) {
  TrlLine line;
  payload = SkipQuote(payload);
  if (payload.empty()) return line;
  const std::size_t at = FindDict(payload);
  if (at == kNowhere) {
    line.before = ParseBar(payload);
    return line;
  }
  SkipCounts counts{};
  const std::string_view text = payload.substr(at);
  const DictLine dict = ReadDictPairs(text, record, &counts);
  line.role = RoleOf(*record);
  if (line.role == Role::kNone) return line;
  if (at != 0) line.before = ParseBar(payload.substr(0, at));
  const std::string_view rest = TrimBlanks(text.substr(dict.size));
  if (dict.closed && !IsEndOfString(rest)) {
    line.behind = ParseBar(rest);
    if (!line.behind) ++counts[static_cast<std::size_t>(SkipReason::kGlued)];
  } else if (!dict.closed &&
             counts[static_cast<std::size_t>(SkipReason::kCut)] == 0) {
    ++counts[static_cast<std::size_t>(SkipReason::kGlued)];
  }
  record->cut = !dict.closed || line.role == Role::kSummary;
  record->decimals = StepRecord::kExponent;  // four digits, or all of them
  record->dialect = DialectOf(*record);
  record->line_class =
      line.role == Role::kEvaluation ? LineClass::kVal : LineClass::kTrain;
  for (std::size_t i = 0; i < counts.size(); ++i) (*skipped)[i] += counts[i];
  return line;
}

}  // namespace rlrun
