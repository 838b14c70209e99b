#include "parsers/formats/trainer_state.h"

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

#include <cmath>
#include <utility>

namespace rlrun {
namespace {

constexpr unsigned kFlags =
    rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag |
    rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag;

std::string_view NameOf(const rapidjson::Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

std::optional<std::int64_t> Whole(const rapidjson::Value& value) {
  if (!value.IsNumber()) return std::nullopt;
  const double number = value.GetDouble();
  if (!(number >= 0 && number < 9e15) || number != std::floor(number)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

void ReadEntry(const rapidjson::Value& entry, TrainerState* state,
               SkipCounts* skipped) {
  StepRecord record;
  std::optional<std::int64_t> step;
  bool loss = false, evaluation = false, summary = false;
  for (const auto& member : entry.GetObject()) {
    const std::string_view key = NameOf(member);
    if (key == "step") {
      step = Whole(member.value);
      continue;
    }
    loss = loss || key == "loss";
    evaluation = evaluation || key.starts_with("eval_");
    summary = summary || key == "train_runtime";
    if (key == "reward") state->supervised = false;
    if (member.value.IsNumber() && !key.empty()) {
      record.Add(key, member.value.GetDouble());
    } else {
      ++(*skipped)[static_cast<std::size_t>(SkipReason::kNotANumber)];
    }
  }
  if (!step || record.pairs.empty()) return;
  record.step = *step;
  record.decimals = StepRecord::kExponent;
  record.line_class = evaluation && !loss ? LineClass::kVal : LineClass::kTrain;
  record.cut = summary;  // it takes no key away
  state->ended = summary;
  state->records.push_back(std::move(record));
}

}  // namespace

std::optional<TrainerState> ParseTrainerState(std::string_view text,
                                              SkipCounts* skipped) {
  rapidjson::Document document;
  rapidjson::MemoryStream bytes(text.data(), text.size());
  document.ParseStream<kFlags>(bytes);
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  TrainerState state;
  bool has_history = false;
  SkipCounts counts{};
  // Read as const: C++20 finds iterators of what may change hard to compare.
  const rapidjson::Document& read = document;
  for (const auto& member : read.GetObject()) {
    const std::string_view key = NameOf(member);
    if (key == "max_steps") state.max_steps = Whole(member.value);
    if (key != "log_history" || !member.value.IsArray()) continue;
    has_history = true;
    for (const auto& entry : member.value.GetArray()) {
      if (entry.IsObject()) ReadEntry(entry, &state, &counts);
    }
  }
  if (!has_history) return std::nullopt;
  if (state.max_steps == 0) state.max_steps.reset();
  for (StepRecord& record : state.records) {
    record.dialect = state.supervised ? KeyDialect::kTrlSft : KeyDialect::kTrl;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) (*skipped)[i] += counts[i];
  return state;
}

bool IsTrainerStatePath(std::string_view path) {
  constexpr std::string_view kName = "trainer_state.json";
  return path.substr(path.rfind('/') + 1) == kName;
}

}  // namespace rlrun
