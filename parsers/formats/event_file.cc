#include "parsers/formats/event_file.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "parsers/blocks/little_endian.h"
#include "parsers/blocks/proto_fields.h"
#include "parsers/formats/step_line.h"

namespace rlrun {
namespace {

using Type = ProtoFields::Type;

// DataType of tensorflow's types.proto.
enum : std::uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kInt64 = 9,
  kBfloat16 = 14,
  kHalf = 19,
};

float FloatOfHalf(std::uint16_t half) {
  const float sign = (half & 0x8000u) != 0 ? -1.0f : 1.0f;
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  if (exponent == 31) {
    return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  }
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float FloatOfBfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// The one number in `content`, raw and little endian; nothing: there is none,
// or there are several.
std::optional<double> RawNumber(std::uint64_t type, std::string_view content) {
  const auto is = [&](std::uint64_t wanted, std::size_t size) {
    return type == wanted && content.size() == size;
  };
  if (is(kFloat, 4)) return DoubleOf(LoadFloat(content));
  if (is(kDouble, 8)) return LoadDouble(content);
  if (is(kHalf, 2)) {
    return FloatOfHalf(LoadLittleEndian<std::uint16_t>(content));
  }
  if (is(kBfloat16, 2)) {
    return FloatOfBfloat(LoadLittleEndian<std::uint16_t>(content));
  }
  if (is(kInt32, 4)) {
    return static_cast<std::int32_t>(LoadLittleEndian<std::uint32_t>(content));
  }
  if (is(kInt64, 8)) {
    return static_cast<double>(
        static_cast<std::int64_t>(LoadLittleEndian<std::uint64_t>(content)));
  }
  return std::nullopt;
}

// A whole number of a list, which is packed or not.
double IntegerOf(std::uint64_t type, std::uint64_t value) {
  if (type == kHalf) return FloatOfHalf(static_cast<std::uint16_t>(value));
  if (type == kBfloat16) {
    return FloatOfBfloat(static_cast<std::uint16_t>(value));
  }
  return static_cast<double>(static_cast<std::int64_t>(value));
}

// A TensorProto of one number; nothing: it is another one, or damaged.
std::optional<double> TensorNumber(std::string_view tensor, bool* damaged) {
  std::uint64_t type = 0;
  std::string_view content, packed;
  std::optional<std::uint64_t> integer;
  std::optional<double> number;
  ProtoFields f(tensor);
  while (f.Next()) {
    const std::uint32_t field = f.number();
    if (f.Is(1, Type::kVarint)) type = f.value();
    if (f.Is(4, Type::kBytes)) content = f.bytes();
    // float_val, double_val
    if (field == 5 && f.bytes().size() == 4)
      number = DoubleOf(LoadFloat(f.bytes()));
    if (field == 6 && f.bytes().size() == 8) number = LoadDouble(f.bytes());
    // int_val, int64_val, half_val
    if (field != 7 && field != 10 && field != 13) continue;
    if (f.type() == Type::kVarint) integer = f.value();
    if (f.type() == Type::kBytes) packed = f.bytes();
  }
  *damaged = *damaged || f.damaged();
  if (!packed.empty()) {
    // One varint: the value of a field whose tag is put in front.
    const std::string field = "\x08" + std::string(packed.substr(0, 11));
    ProtoFields one(field);
    if (one.Next() && !one.damaged()) integer = one.value();
    if (one.Next() || one.damaged()) return std::nullopt;  // several
  }
  if (!content.empty()) return RawNumber(type, content);
  if (integer) return IntegerOf(type, *integer);
  return number;
}

// SummaryMetadata -> the name of its plugin.
std::string_view PluginOf(std::string_view metadata, bool* damaged) {
  std::string_view name;
  ProtoFields f(metadata);
  while (f.Next()) {
    if (!f.Is(1, Type::kBytes)) continue;
    ProtoFields data(f.bytes());
    while (data.Next()) {
      if (data.Is(1, Type::kBytes)) name = data.bytes();
    }
    *damaged = *damaged || data.damaged();
  }
  *damaged = *damaged || f.damaged();
  return name;
}

}  // namespace

double DoubleOf(float value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value);
  double out = value;
  if (error == std::errc()) std::from_chars(text.data(), end, out);
  return out;
}

LineOutcome EventFile::TakeRecord(const RecordBytes& event, LogFacts* facts) {
  std::int64_t step = 0;
  std::optional<double> time;
  std::string_view summary;
  bool has_summary = false;
  ProtoFields f(event.bytes);
  while (f.Next()) {
    if (f.Is(1, Type::kFixed64)) time = LoadDouble(f.bytes());
    if (f.Is(2, Type::kVarint)) step = static_cast<std::int64_t>(f.value());
    if (f.Is(5, Type::kBytes)) {
      summary = f.bytes();
      has_summary = true;
    }
  }
  if (f.damaged() || step < 0) return LineOutcome::kMalformed;
  if (time && !IsClockTime(*time)) time.reset();
  if (time && !std::exchange(has_time_, true)) facts->start_time = time;
  if (!has_summary) return LineOutcome::kIgnored;
  if (step != step_.step) Flush(facts);
  if (step_.pairs.empty()) {
    step_.step = step;
    step_.begin_offset = event.begin;
  }
  std::size_t scalars = 0;
  const bool good = TakeSummary(event, summary, step, &scalars, facts);
  if (scalars != 0) {
    step_.end_offset = event.end;
    if (time) step_.time = time;
  }
  if (!good) return LineOutcome::kMalformed;
  return scalars != 0 ? LineOutcome::kStep : LineOutcome::kIgnored;
}

bool EventFile::TakeSummary(const RecordBytes& event, std::string_view summary,
                            std::int64_t step, std::size_t* scalars,
                            LogFacts* facts) {
  bool damaged = false;
  ProtoFields f(summary);
  while (f.Next()) {
    if (!f.Is(1, Type::kBytes)) continue;
    std::string_view tag;
    const std::optional<double> value = TakeValue(f.bytes(), &tag, &damaged);
    if (!value || tag.empty()) continue;
    if (!IsOfThisAxis(tag, step, Find(tag))) continue;
    // What an evaluation says of a step is no part of what training says.
    const bool eval = tag.starts_with("eval/");
    if (std::exchange(is_eval_, eval) != eval && !step_.pairs.empty()) {
      step_.end_offset = event.begin;
      Flush(facts);
      step_.begin_offset = event.begin;
    }
    step_.Add(tag, *value);
    ++*scalars;
  }
  return !damaged && !f.damaged();
}

std::optional<double> EventFile::TakeValue(std::string_view value,
                                           std::string_view* tag,
                                           bool* damaged) {
  std::optional<double> simple;
  std::string_view tensor, metadata;
  ProtoFields f(value);
  while (f.Next()) {
    if (f.Is(1, Type::kBytes)) *tag = f.bytes();
    if (f.Is(2, Type::kFixed32)) simple = DoubleOf(LoadFloat(f.bytes()));
    if (f.Is(8, Type::kBytes)) tensor = f.bytes();
    if (f.Is(9, Type::kBytes)) metadata = f.bytes();
  }
  *damaged = *damaged || f.damaged();
  if (f.damaged()) return std::nullopt;
  if (simple) return simple;
  const std::string_view plugin = PluginOf(metadata, damaged);
  if (!IsScalar(plugin, Find(*tag)) || tensor.empty()) return std::nullopt;
  return TensorNumber(tensor, damaged);
}

EventFile::Tag* EventFile::Find(std::string_view tag) {
  const auto it = tags_.find(tag);
  if (it != tags_.end()) return &it->second;
  if (tags_.size() < kMaxTags) return &tags_[std::string(tag)];
  unknown_ = {};
  return &unknown_;
}

bool EventFile::IsScalar(std::string_view plugin, Tag* tag) {
  if (!tag->is_scalar && !plugin.empty()) tag->is_scalar = plugin == "scalars";
  // Without a word of it, its first value lies in another file.
  return tag->is_scalar.value_or(true);
}

bool EventFile::IsOfThisAxis(std::string_view tag, std::int64_t step,
                             Tag* known) {
  const bool rises = !known->step || *known->step < step;
  if (IsValidationKey(tag)) return true;
  const bool by_rollout = rows_.framework() == "slime" && CountsRollouts(tag);
  auto& newest = by_rollout ? newest_rollout_ : newest_;
  if (newest && step < *newest && rises) return false;
  known->step = step;
  newest = step;
  return true;
}

void EventFile::Flush(LogFacts* facts) {
  if (step_.pairs.empty()) return;
  step_.decimals = StepRecord::kExponent;  // not a console that rounds
  const bool was_told = !rows_.framework().empty();
  StepRecord next;
  next.step = step_.step;
  const std::size_t before = facts->steps.size();
  rows_.ClassifyParts(std::exchange(step_, std::move(next)), facts);
  if (!rows_.framework().empty()) {
    mode_.Note(rows_.mode());
  } else if (facts->steps.size() != before) {
    mode_.NoteStep(facts->steps.back());
  }
  facts->mode = mode_.mode();
  if (!was_told && !rows_.framework().empty()) {
    RunFacts stated;
    stated.framework = rows_.framework();
    facts->run_facts = std::make_shared<const RunFacts>(std::move(stated));
  }
}

}  // namespace rlrun
