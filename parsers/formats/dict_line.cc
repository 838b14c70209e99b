#include "parsers/formats/dict_line.h"

#include <algorithm>
#include <string>

#include "parsers/lines/front.h"
#include "parsers/values/number.h"
#include "parsers/values/python_string.h"

namespace rlrun {
namespace {

constexpr int kMaxDepth = 16;  // of dicts inside one another

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '.';
}

class DictReader {
 public:
  DictReader(std::string_view text, StepRecord* record, SkipCounts* skipped)
      : text_(text), record_(record), skipped_(skipped) {}

  DictLine Read() {
    const bool closed = ReadDict(0);
    if (cut_) Count(SkipReason::kCut);
    return {at_, closed};
  }

 private:
  enum class Value { kNumber, kOther, kInner, kCut, kBroken };

  void Count(SkipReason reason) {
    ++(*skipped_)[static_cast<std::size_t>(reason)];
  }
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return text_[at_]; }
  void SkipBlanks() {
    while (!AtEnd() && IsBlank(Peek())) ++at_;
  }
  // The text ends inside a pair.
  bool Cut() {
    cut_ = true;
    return false;
  }

  // at_ is at `{`. True: read to behind its brace.
  bool ReadDict(int depth) {
    ++at_;
    for (;;) {
      SkipBlanks();
      if (AtEnd()) return false;
      if (Peek() == '}') {
        ++at_;
        return true;
      }
      if (!ReadPair(depth)) return false;
      SkipBlanks();
      if (AtEnd()) return false;
      if (Peek() == ',') {
        ++at_;
      } else if (Peek() != '}') {
        return false;
      }
    }
  }

  bool ReadPair(int depth) {
    std::string_view key;
    if (!ReadKey(&key)) return false;
    SkipBlanks();
    if (AtEnd()) return Cut();
    if (Peek() != ':') return false;
    ++at_;
    SkipBlanks();
    if (AtEnd()) return Cut();
    NumberFront number;
    switch (ReadValue(&number)) {
      case Value::kNumber:
        Add(key, number);
        return true;
      case Value::kOther:
        Count(SkipReason::kNotANumber);
        return true;
      case Value::kInner:
        return ReadInner(key, depth);
      case Value::kCut:
        return Cut();
      case Value::kBroken:
        break;
    }
    return false;
  }

  void Add(std::string_view key, const NumberFront& number) {
    if (key.empty()) return Count(SkipReason::kNoValue);
    if (outer_.empty()) return record_->Add(key, number.value);
    const std::string whole = outer_ + std::string(key);
    record_->Add(whole, number.value);
  }

  bool ReadInner(std::string_view key, int depth) {
    if (depth == kMaxDepth) return false;
    const std::size_t outer = outer_.size();
    const std::string name(key);
    outer_.append(name).push_back('/');
    const bool closed = ReadDict(depth + 1);
    outer_.resize(outer);
    return closed;
  }

  bool ReadKey(std::string_view* key) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return ReadBareKey(key);
    const std::size_t begin = at_ + 1;
    for (std::size_t i = begin; i < text_.size(); ++i) {
      if (text_[i] == quote) {
        *key = text_.substr(begin, i - begin);
        at_ = i + 1;
        return true;
      }
      if (text_[i] == '\\') return ReadEscapedKey(key);
    }
    return Cut();
  }

  bool ReadEscapedKey(std::string_view* key) {
    key_.clear();
    const PyString string = ReadPyString(text_.substr(at_), &key_);
    if (string.cut) return Cut();
    if (!string.error.empty()) return false;
    at_ += string.size;
    *key = key_;
    return true;
  }

  bool ReadBareKey(std::string_view* key) {
    const std::size_t begin = at_;
    if (Peek() == '-') ++at_;
    while (!AtEnd() && IsDigit(Peek())) ++at_;
    *key = text_.substr(begin, at_ - begin);
    if (AtEnd()) return Cut();
    return IsDigit(text_[at_ - 1]);
  }

  Value ReadValue(NumberFront* number) {
    const char c = Peek();
    if (c == '{') return Value::kInner;
    if (c == '[' || c == '(') return SkipBrackets();
    *number = ParseNumberFront(text_.substr(at_));
    if (number->size != 0) {
      at_ += number->size;
      return EndOfNumber();
    }
    if (IsPyStringFront(text_.substr(at_))) return SkipString();
    return ReadWord(number);
  }

  // Nothing may stand directly behind a number; `1.5e-` is a cut one.
  Value EndOfNumber() {
    if (AtEnd()) return Value::kCut;
    const char c = Peek();
    if (c == ',' || c == '}' || IsBlank(c)) return Value::kNumber;
    while (!AtEnd() && (IsWordByte(Peek()) || Peek() == '-' || Peek() == '+')) {
      ++at_;
    }
    return AtEnd() ? Value::kCut : Value::kBroken;
  }

  // `None`, `null`, `true`, `array([1, 2])`, `tensor(0.5, device='cuda:0')`.
  Value ReadWord(NumberFront* number) {
    const std::size_t begin = at_;
    while (!AtEnd() && IsWordByte(Peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (AtEnd()) return Value::kCut;
    if (word.empty() || IsDigit(word.front()) || word.front() == '.') {
      return Value::kBroken;
    }
    if (Peek() == '(') return ReadCall(word, number);
    if (word == "None" || word == "null") return Value::kOther;
    number->value = word == "true" ? 1 : 0;
    return word == "true" || word == "false" ? Value::kNumber : Value::kBroken;
  }

  // at_ is at `(`.
  Value ReadCall(std::string_view word, NumberFront* number) {
    const std::size_t open = at_;
    const Value skipped = SkipBrackets();
    if (skipped != Value::kOther) return skipped;
    if (word != "tensor" && !word.ends_with(".tensor")) return Value::kOther;
    const std::string_view inside = text_.substr(open + 1);
    *number = ParseNumberFront(inside);
    if (number->size == 0 || number->size >= inside.size()) {
      return Value::kOther;
    }
    const char behind = inside[number->size];
    return behind == ',' || behind == ')' ? Value::kNumber : Value::kOther;
  }

  Value SkipString() {
    skipped_text_.clear();
    const PyString string = ReadPyString(text_.substr(at_), &skipped_text_);
    if (string.cut) return Value::kCut;
    if (!string.error.empty()) return Value::kBroken;
    at_ += string.size;
    return Value::kOther;
  }

  // Over everything up to the bracket that closes the one at at_; what stands
  // inside is looked at for its strings only.
  Value SkipBrackets() {
    int depth = 0;
    while (!AtEnd()) {
      const char c = Peek();
      if (c == '\'' || c == '"') {
        const Value string = SkipString();
        if (string != Value::kOther) return string;
        continue;
      }
      ++at_;
      if (c == '[' || c == '(' || c == '{') ++depth;
      if (c == ']' || c == ')' || c == '}') --depth;
      if (depth == 0) return Value::kOther;
    }
    return Value::kCut;
  }

  std::string_view text_;
  StepRecord* record_;
  SkipCounts* skipped_;
  std::size_t at_ = 0;
  bool cut_ = false;
  std::string outer_;  // keys of the dicts around this one, `a/b/`
  std::string key_;    // the newest key with escapes
  std::string skipped_text_;
};

}  // namespace

DictLine ReadDictPairs(std::string_view text, StepRecord* record,
                       SkipCounts* skipped) {
  record->key_text.reserve(record->key_text.size() + text.size() / 2);
  record->pairs.reserve(record->pairs.size() + text.size() / 40 + 1);
  return DictReader(text, record, skipped).Read();
}

}  // namespace rlrun
