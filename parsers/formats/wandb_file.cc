#include "parsers/formats/wandb_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "parsers/formats/step_line.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

using Type = ProtoFields::Type;
constexpr double kMaxStep = 9007199254740992.0;  // 2^53

// Field numbers of wandb_internal.proto.
enum : std::uint32_t {
  kRecordHistory = 2,
  kRecordConfig = 5,
  kRecordRun = 17,
  kRecordExit = 18,
  kHistoryItem = 1,
  kHistoryStep = 2,
  kItemKey = 1,
  kItemNestedKey = 2,
  kItemJson = 16,
  kConfigUpdate = 1,
  kRunProject = 3,
  kRunConfig = 4,
  kRunDisplayName = 8,
  kRunStartTime = 17,
};

// Keys that hold the trainer's own step, the first one that is there.
constexpr std::array<std::string_view, 4> kStepKeys = {
    "train/global_step", "train/step", "rollout/step", "eval/step"};

std::optional<std::int64_t> StepOf(double value) {
  if (!(value >= 0 && value < kMaxStep) || std::floor(value) != value) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

// google.protobuf.Timestamp as Unix seconds.
std::optional<double> TimeOf(std::string_view message) {
  double seconds = 0;
  ProtoFields f(message);
  while (f.Next()) {
    if (f.type() != Type::kVarint) continue;
    const auto value = static_cast<double>(f.value());
    if (f.number() == 1) seconds += value;
    if (f.number() == 2) seconds += value * 1e-9;
  }
  if (f.damaged() || !IsClockTime(seconds)) return std::nullopt;
  return seconds;
}

}  // namespace

struct WandbFile::Item {
  std::string_view key, json;
};

// What a row says of its step.
struct WandbFile::RowStep {
  std::array<std::optional<std::int64_t>, kStepKeys.size()> own;
  std::optional<std::int64_t> row, counted;

  std::optional<std::int64_t> step() const {
    for (const auto& step : own) {
      if (step) return step;
    }
    return row ? row : counted;
  }
};

std::optional<double> WandbNumber(std::string_view json) {
  json = TrimBlanks(json);
  if (json.empty() || json.front() == '{' || json.front() == '[') {
    return std::nullopt;
  }
  if (json == "null") return std::numeric_limits<double>::quiet_NaN();
  if (json == "true") return 1;
  if (json == "false") return 0;
  if (json.front() != '"') return ParseNumber(json);
  // A string may look like a number: only the words are one.
  if (json == "\"NaN\"" || json == "\"Infinity\"" || json == "\"-Infinity\"") {
    return ParseNumber(json);
  }
  return std::nullopt;
}

LineOutcome WandbFile::TakeRecord(const RecordBytes& record, LogFacts* facts) {
  LineOutcome outcome = LineOutcome::kIgnored;
  const auto event = [&outcome](bool good) {
    outcome = good ? LineOutcome::kEvent : LineOutcome::kMalformed;
  };
  ProtoFields f(record.bytes);
  while (f.Next() && outcome != LineOutcome::kMalformed) {
    if (f.type() != Type::kBytes) continue;
    if (f.number() == kRecordHistory) {
      outcome = TakeHistory(record, f.bytes(), facts);
    } else if (f.number() == kRecordConfig) {
      event(TakeConfig(f.bytes(), facts));
      StateFacts(facts);
    } else if (f.number() == kRecordRun) {
      event(TakeRun(f.bytes(), facts));
    } else if (f.number() == kRecordExit) {
      event(TakeExit(record, f.bytes(), facts));
    }
  }
  return f.damaged() ? LineOutcome::kMalformed : outcome;
}

LineOutcome WandbFile::TakeHistory(const RecordBytes& record,
                                   std::string_view history, LogFacts* facts) {
  StepRecord row;
  row.decimals = StepRecord::kExponent;  // not a console that rounds
  row.key_text.reserve(history.size() / 2);
  RowStep step;
  ProtoFields f(history);
  while (f.Next()) {
    if (f.Is(kHistoryItem, Type::kBytes)) {
      if (!TakeItem(f.bytes(), &row, &step, facts)) {
        return LineOutcome::kMalformed;
      }
    } else if (f.Is(kHistoryStep, Type::kBytes)) {
      step.row = 0;
      ProtoFields number(f.bytes());
      while (number.Next()) {
        if (!number.Is(1, Type::kVarint)) continue;
        step.row = StepOf(static_cast<double>(number.value()));
      }
    }
  }
  const std::optional<std::int64_t> number = step.step();
  if (f.damaged() || !number) return LineOutcome::kMalformed;
  if (row.pairs.empty()) return LineOutcome::kIgnored;
  if (KeepForNextRow(row, step)) return LineOutcome::kEvent;
  row.step = *number;
  row.begin_offset = record.begin;
  row.end_offset = record.end;
  const bool was_told = !rows_.framework().empty();
  AddKept(step, &row);
  rows_.Classify(&row, facts);
  NoteMode(row, facts);
  if (!was_told && !rows_.framework().empty()) StateFacts(facts);
  if (!row.pairs.empty()) facts->steps.push_back(std::move(row));
  return LineOutcome::kStep;
}

// TRL logs how long its parts take in rows of their own, which count no step
// but calls. They are of the step that comes next.
bool WandbFile::KeepForNextRow(const StepRecord& row, const RowStep& step) {
  if (step.own[0]) return false;
  const bool all = std::all_of(row.pairs.begin(), row.pairs.end(),
                               [&row](const StepRecord::Pair& pair) {
                                 return row.Key(pair).starts_with("profiling/");
                               });
  if (!all) return false;
  for (const StepRecord::Pair& pair : row.pairs) {
    if (kept_.size() == kMaxKept) break;
    kept_[std::string(row.Key(pair))] = pair.value;
  }
  return true;
}

void WandbFile::NoteMode(const StepRecord& row, LogFacts* facts) {
  if (rows_.framework().empty()) {
    mode_.NoteStep(row);
  } else {
    mode_.Note(rows_.mode());
  }
  facts->mode = mode_.mode();
}

void WandbFile::AddKept(const RowStep& step, StepRecord* row) {
  if (!step.own[0]) return;
  for (const auto& [key, value] : kept_) row->Add(key, value);
  kept_.clear();
}

bool WandbFile::TakeItem(std::string_view bytes, StepRecord* row, RowStep* step,
                         LogFacts* facts) {
  Item item;
  if (!ReadItem(bytes, &item)) return false;
  const auto skip = [facts](SkipReason reason) {
    ++facts->values_skipped[static_cast<std::size_t>(reason)];
    return true;
  };
  if (item.key == "_runtime" || item.key.starts_with("_wandb")) return true;
  if (item.key.empty()) return skip(SkipReason::kNoValue);
  const std::optional<double> value = WandbNumber(item.json);
  if (!value) return skip(SkipReason::kNotANumber);
  if (item.key == "_step") {
    step->counted = StepOf(*value);
    return true;
  }
  if (item.key == "_timestamp") {
    if (IsClockTime(*value)) row->time = *value;
    return true;
  }
  for (std::size_t i = 0; i < kStepKeys.size(); ++i) {
    if (item.key == kStepKeys[i]) step->own[i] = StepOf(*value);
  }
  row->Add(item.key, *value);
  return true;
}

// A key of several parts is joined by points, as W&B shows it.
bool WandbFile::ReadItem(std::string_view bytes, Item* item) {
  std::size_t parts = 0;
  ProtoFields f(bytes);
  while (f.Next()) {
    if (f.type() != Type::kBytes) continue;
    if (f.number() == kItemNestedKey) {
      if (++parts == 1) {
        item->key = f.bytes();
      } else {
        if (parts == 2) key_ = item->key;
        key_ += '.';
        key_ += f.bytes();
      }
    } else if (f.number() == kItemKey && parts == 0) {
      item->key = f.bytes();
    } else if (f.number() == kItemJson) {
      item->json = f.bytes();
    }
  }
  if (parts > 1) item->key = key_;
  return !f.damaged();
}

bool WandbFile::TakeConfig(std::string_view config, LogFacts*) {
  ProtoFields f(config);
  while (f.Next()) {
    Item item;
    if (!f.Is(kConfigUpdate, Type::kBytes)) continue;
    if (!ReadItem(f.bytes(), &item)) return false;
    config_.Set(item.key, item.json);
  }
  return !f.damaged();
}

bool WandbFile::TakeRun(std::string_view run, LogFacts* facts) {
  bool good = true;
  ProtoFields f(run);
  while (f.Next()) {
    if (f.type() != Type::kBytes) continue;
    if (f.number() == kRunProject) project_ = f.bytes();
    if (f.number() == kRunDisplayName) display_name_ = f.bytes();
    if (f.number() == kRunConfig) good = TakeConfig(f.bytes(), facts) && good;
    if (f.number() == kRunStartTime && !has_run_) {
      facts->start_time = TimeOf(f.bytes());
    }
  }
  has_run_ = true;
  StateFacts(facts);
  return good && !f.damaged();
}

// All that was stated so far.
void WandbFile::StateFacts(LogFacts* facts) {
  std::optional<RunFacts> stated = config_.Facts(mode_.base());
  if (stated) {
    if (!std::exchange(has_config_, true)) {
      ++facts->config_blocks[static_cast<std::size_t>(ConfigOutcome::kWhole)];
    }
    mode_.NoteFacts(*stated);
    // The trainer writes its planned steps there, once it knows them.
    const auto total =
        stated->total_steps ? stated->total_steps : stated->lr_total_steps;
    if (total && *total > 0) facts->total_steps = total;
  } else {
    stated.emplace();
  }
  if (!rows_.framework().empty()) stated->framework = rows_.framework();
  if (!stated->project && !project_.empty()) stated->project = project_;
  if (!stated->experiment && !display_name_.empty()) {
    stated->experiment = display_name_;
  }
  facts->mode = mode_.mode();
  facts->run_facts = std::make_shared<const RunFacts>(std::move(*stated));
}

bool WandbFile::TakeExit(const RecordBytes& record, std::string_view exit,
                         LogFacts* facts) {
  RecordedExit end;
  end.at.offset = record.begin;
  ProtoFields f(exit);
  while (f.Next()) {
    if (!f.Is(1, Type::kVarint)) continue;
    end.code = static_cast<std::int32_t>(f.value());
  }
  if (f.damaged()) return false;
  facts->events.exit = end;
  // A worker whose trainer has failed may leave in peace as well.
  if (end.code == 0) {
    facts->events.end = EndMark{end.at, EndKind::kAmbiguous};
  }
  return true;
}

}  // namespace rlrun
