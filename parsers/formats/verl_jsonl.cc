#include "parsers/formats/verl_jsonl.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "parsers/values/number.h"

namespace rlrun {
namespace {

// Numbers arrive as text, so that values/number.h converts them as everywhere;
// iterative, so that nesting costs no stack.
constexpr unsigned kFlags = rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseNumbersAsStringsFlag |
                            rapidjson::kParseIterativeFlag;
// 2^53: a step beyond it is no step, and a double below it is exact.
constexpr double kMaxStep = 9007199254740992.0;

// Receives the events of one record. Depth 1 is the record, depth 2 its data.
class RecordHandler {
 public:
  using Ch = char;
  explicit RecordHandler(StepRecord* record) : record_(record) {}

  bool whole() const { return has_step_ && has_data_; }
  const SkipCounts& skipped() const { return skipped_; }

  bool Null() { return Value(std::numeric_limits<double>::quiet_NaN()); }
  bool Bool(bool b) { return Value(b ? 1 : 0); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return Value(ParseNumber(std::string_view(text, size)));
  }
  bool String(const char*, rapidjson::SizeType, bool) {
    return Value(std::nullopt);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ <= 2) key_.assign(text, size);
    return true;
  }
  bool StartObject() {
    if (depth_ == 1 && key_ == "data") {
      if (has_data_) return false;
      has_data_ = in_data_ = true;
      ++depth_;
      return true;
    }
    return Open(depth_ != 0);
  }
  bool StartArray() { return depth_ != 0 && Open(true); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  // Never called with numbers as text, but the reader needs them.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool Open(bool is_value) {
    if (is_value && !Value(std::nullopt)) return false;
    ++depth_;
    return true;
  }
  bool Close() {
    --depth_;
    if (depth_ == 1) in_data_ = false;
    return true;
  }
  // A member of the record or of its data; nothing: no number.
  bool Value(std::optional<double> value) {
    if (depth_ == 0) return false;
    if (depth_ == 1) return key_ != "step" || Step(value);
    if (depth_ != 2 || !in_data_) return true;
    const std::string_view key = TrimBlanks(key_);
    if (key.empty()) {
      ++skipped_[static_cast<std::size_t>(SkipReason::kNoValue)];
    } else if (!value) {
      ++skipped_[static_cast<std::size_t>(SkipReason::kNotANumber)];
    } else {
      record_->Add(key, *value);
    }
    return true;
  }
  bool Step(std::optional<double> value) {
    if (!value || !(*value >= 0 && *value < kMaxStep)) return false;
    if (std::floor(*value) != *value) return false;
    record_->step = static_cast<std::int64_t>(*value);
    return has_step_ = true;
  }

  StepRecord* record_;
  SkipCounts skipped_{};
  std::string key_;
  std::size_t depth_ = 0;
  bool in_data_ = false;
  bool has_step_ = false;
  bool has_data_ = false;
};

}  // namespace

bool ParseJsonRecord(std::string_view text, StepRecord* record,
                     SkipCounts* skipped) {
  StepRecord parsed;
  parsed.decimals = StepRecord::kExponent;  // not a console that rounds
  RecordHandler handler(&parsed);
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::Reader reader;
  if (reader.Parse<kFlags>(bytes, handler).IsError() || !handler.whole()) {
    return false;
  }
  parsed.line_class = ClassifyPairs(parsed);
  *record = std::move(parsed);
  for (std::size_t i = 0; i < skipped->size(); ++i) {
    (*skipped)[i] += handler.skipped()[i];
  }
  return true;
}

void VerlJsonl::ParseLines(std::span<const Line> lines, LogFacts* facts) {
  for (const Line& line : lines) {
    const std::string_view text = TrimBlanks(line.text);
    LineOutcome outcome = LineOutcome::kIgnored;
    StepRecord record;
    if (text.empty()) {
      // nothing
    } else if (ParseJsonRecord(text, &record, &facts->values_skipped)) {
      mode_.NoteStep(record);
      facts->mode = mode_.mode();
      record.begin_offset = line.offset;
      record.end_offset = line.end_offset;
      facts->steps.push_back(std::move(record));
      outcome = LineOutcome::kStep;
    } else {
      outcome = LineOutcome::kMalformed;
    }
    ++facts->lines[static_cast<std::size_t>(outcome)];
  }
}

}  // namespace rlrun
