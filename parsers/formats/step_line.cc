#include "parsers/formats/step_line.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "parsers/values/number.h"

namespace rlrun {
namespace {

constexpr std::string_view kStep = "step:";
constexpr std::string_view kSeparator = " - ";
constexpr auto kNowhere = std::string_view::npos;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// What stands directly behind a number.
enum class Behind {
  kText,    // another writer's text: the number ended where it ends
  kDoubt,   // text again, but it may have cut into the number (`10.5step:2`)
  kDamage,  // no number (`1.2.3`, `12ms`, `1,234`, `3.5%`)
};

Behind WhatFollows(std::string_view text) {
  constexpr std::string_view kOpeners = "([{</\\\"'|";
  const auto c = static_cast<unsigned char>(text.front());
  const bool is_prose = text.find_first_of(" \t:") != kNowhere;
  if (c <= ' ' || c >= 0x7f || kOpeners.find(text.front()) != kNowhere ||
      (c >= 'A' && c <= 'Z' && is_prose)) {
    return Behind::kText;
  }
  return is_prose ? Behind::kDoubt : Behind::kDamage;
}

bool EndsWithBar(std::string_view left) {
  return left.ends_with("s/it]") || left.ends_with("it/s]");
}

// The prefix that `left` ends with.
ActorPrefix TrailingPrefix(std::string_view left) {
  ActorPrefix prefix;
  if (!left.ends_with(')')) return prefix;
  const std::size_t open = left.rfind('(');
  if (open == kNowhere) return prefix;
  if (ParseActorPrefix(left.substr(open), &prefix) != left.size() - open) {
    return {};
  }
  return prefix;
}

// The pairs of one line, read from left to right.
class PairReader {
 public:
  PairReader(std::string_view text, StepRecord* record, SkipCounts* skipped)
      : rest_(text), record_(record), skipped_(skipped) {}

  void ReadAll() {
    while (!done_ && !rest_.empty()) ReadPair();
  }

 private:
  enum class Result { kTaken, kGlued, kNotANumber, kNoValue };

  void ReadPair() {
    const std::size_t size = PieceSize(0);
    const std::string_view piece = rest_.substr(0, size);
    Result result = Take(piece);
    std::size_t used = size;
    if (result == Result::kNotANumber || result == Result::kNoValue) {
      const std::size_t joined = JoinedKeySize(size);
      if (joined != 0) {
        result = Take(rest_.substr(0, joined));
        used = joined;
      }
    }
    Count(result);
    rest_.remove_prefix(std::min(rest_.size(), used + kSeparator.size()));
  }

  // Bytes up to the separator that ends the piece which begins at `from`.
  std::size_t PieceSize(std::size_t from) const {
    const std::size_t end = rest_.find(kSeparator, from);
    return end == kNowhere ? rest_.size() : end;
  }

  void Count(Result result) {
    const auto count = [this](SkipReason reason) {
      ++(*skipped_)[static_cast<std::size_t>(reason)];
    };
    if (result == Result::kNotANumber) count(SkipReason::kNotANumber);
    if (result == Result::kNoValue) count(SkipReason::kNoValue);
    if (result == Result::kGlued) {
      count(SkipReason::kGlued);
      record_->cut = true;
      done_ = true;
    }
  }

  Result Add(std::string_view key, const NumberFront& number, Result result) {
    key = TrimBlanks(key);
    if (key.empty()) return Result::kNoValue;
    record_->Add(key, number.value);
    record_->decimals = std::max(record_->decimals, number.decimals);
    return result;
  }

  Result Take(std::string_view piece);
  std::size_t JoinedKeySize(std::size_t first) const;

  std::string_view rest_;
  StepRecord* record_;
  SkipCounts* skipped_;
  bool done_ = false;
};

// A key of a pasted data source is whole once it names a statistic
// (`.../mean@8`); one of `val/` and `val-aux/num_turns/` has no such mark.
bool KeyMayBeWhole(std::string_view key) {
  return key.starts_with("val/") || key.starts_with("val-aux/num_turns/") ||
         key.find('@') != kNowhere;
}

// Takes the pair that is `piece`, or the front of it.
PairReader::Result PairReader::Take(std::string_view piece) {
  piece = TrimBlanks(piece);
  const bool is_validation = IsValidationKey(piece);
  std::size_t colon = piece.find(':');
  if (colon == kNowhere) return Result::kNoValue;
  // A writer's prefix inside the key: two lines were glued.
  if (piece.substr(0, colon).find("pid=") != kNowhere &&
      piece.substr(0, colon).find('(') != kNowhere) {
    return Result::kGlued;
  }
  std::optional<NumberFront> glued;  // first value with text behind it
  std::size_t glued_colon = 0;
  for (; colon != kNowhere; colon = piece.find(':', colon + 1)) {
    const std::string_view text = piece.substr(colon + 1);
    const NumberFront number = ParseNumberFront(text);
    if (number.size != 0) {
      const std::string_view key = piece.substr(0, colon);
      if (number.size == text.size()) {
        // Behind a value with text glued to it, only a whole key counts.
        if (glued && piece.substr(glued_colon, colon - glued_colon).find('@') ==
                         kNowhere) {
          break;
        }
        return Add(key, number, Result::kTaken);
      }
      const Behind behind = WhatFollows(text.substr(number.size));
      if (!glued && behind == Behind::kText) {
        glued = number;
        glued_colon = colon;
        if (!is_validation || KeyMayBeWhole(key)) break;
      }
      if (behind != Behind::kText && (!is_validation || KeyMayBeWhole(key))) {
        return behind == Behind::kDamage ? Result::kNotANumber : Result::kGlued;
      }
    }
    if (!is_validation && piece.find_first_of(" \t(") != kNowhere) break;
  }
  if (!glued) return Result::kNotANumber;
  return Add(piece.substr(0, glued_colon), *glued, Result::kGlued);
}

// A validation key whose data source holds ` - ` lies in several pieces, of
// which the last has the value. Bytes of all of them; 0: the first piece, of
// `first` bytes, is not the front of such a key.
std::size_t PairReader::JoinedKeySize(std::size_t first) const {
  if (!IsValidationKey(TrimBlanks(rest_.substr(0, first)))) return 0;
  const bool is_old_key = TrimBlanks(rest_).starts_with("val/");
  const bool has_colon = rest_.substr(0, first).find(':') != kNowhere;
  constexpr int kMaxPieces = 16;
  std::size_t end = first;
  for (int pieces = 1; pieces < kMaxPieces && end < rest_.size(); ++pieces) {
    const std::size_t from = end + kSeparator.size();
    end = PieceSize(from);
    const std::string_view piece = TrimBlanks(rest_.substr(from, end - from));
    if (IsValidationKey(piece)) return 0;
    const std::size_t colon = piece.rfind(':');
    if (colon == kNowhere) continue;
    if (!ParseNumber(piece.substr(colon + 1))) continue;
    const std::string_view key = piece.substr(0, colon);
    const bool whole = is_old_key ? !has_colon || key.find('/') == kNowhere
                                  : key.find('@') != kNowhere;
    return whole ? end : 0;
  }
  return 0;
}

// Drops the last piece of a cut line.
std::string_view DropLastPiece(std::string_view pairs, SkipCounts* skipped) {
  ++(*skipped)[static_cast<std::size_t>(SkipReason::kCut)];
  const std::size_t last = pairs.rfind(kSeparator);
  return last == kNowhere ? std::string_view() : pairs.substr(0, last);
}

}  // namespace

StepEdge FindStepEdge(std::string_view text) {
  StepEdge edge;
  const std::string_view payload = SkipFrontAndPrefixes(text, &edge.prefix);
  const std::size_t start = text.size() - payload.size();
  if (payload.starts_with(kStep)) {
    edge.at = start;
    return edge;
  }
  for (std::size_t at = text.find(kStep, start); at != kNowhere;
       at = text.find(kStep, at + kStep.size())) {
    std::string_view left = text.substr(0, at);
    while (!left.empty() && IsBlank(left.back())) left.remove_suffix(1);
    const ActorPrefix nearest = TrailingPrefix(left);
    if (nearest.present()) edge.prefix = nearest;
    if (nearest.present() || EndsWithBar(left)) {
      edge.at = at;
      return edge;
    }
  }
  return edge;
}

StepLineKind ParseStepLine(std::string_view text, bool is_cut,
                           StepRecord* record, SkipCounts* skipped) {
  text.remove_prefix(kStep.size());
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), record->step);
  const bool has_digits = !text.empty() && IsDigit(text.front());
  if (!has_digits || error != std::errc()) {
    const std::size_t pairs = text.find(kSeparator);
    return pairs != kNowhere && text.find(':', pairs) != kNowhere
               ? StepLineKind::kMalformed
               : StepLineKind::kNone;
  }
  std::string_view rest =
      TrimBlanks(text.substr(static_cast<std::size_t>(end - text.data())));
  if (rest.empty()) return StepLineKind::kBare;
  if (rest.front() != '-') return StepLineKind::kNone;
  rest.remove_prefix(1);
  SkipCounts counts{};
  if (is_cut) rest = DropLastPiece(rest, &counts);
  record->cut = is_cut;
  record->key_text.reserve(rest.size() * 2 / 3);
  record->pairs.reserve(rest.size() / 32 + 1);
  PairReader(rest, record, &counts).ReadAll();
  if (record->pairs.empty()) return StepLineKind::kMalformed;
  record->line_class = ClassifyPairs(*record);
  for (std::size_t i = 0; i < counts.size(); ++i) (*skipped)[i] += counts[i];
  return StepLineKind::kStep;
}

LineClass ClassifyPairs(const StepRecord& record) {
  bool only_validation = !record.pairs.empty();
  bool has_rollouter = false;
  bool has_training = false;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (!IsValidationKey(key) && key != "rollouter/validate_time" &&
        key != "trainer/validate_time") {
      only_validation = false;
    }
    if (key.starts_with("fully_async/rollouter/")) has_rollouter = true;
    if (key == "training/global_step" || key.starts_with("actor/") ||
        key.starts_with("critic/")) {
      has_training = true;
    }
  }
  if (only_validation) return LineClass::kVal;
  return has_rollouter && !has_training ? LineClass::kRollouter
                                        : LineClass::kTrain;
}

RunMode ModeOfPairs(const StepRecord& record) {
  bool has_loss = false;
  bool has_policy = false;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (key.starts_with("fully_async/")) return RunMode::kAsync;
    if (key.starts_with("actor/") || key.starts_with("critic/")) {
      has_policy = true;
    }
    if (key == "train/loss") has_loss = true;
  }
  return has_policy ? RunMode::kSync
         : has_loss ? RunMode::kSft
                    : RunMode::kUnknown;
}

}  // namespace rlrun
