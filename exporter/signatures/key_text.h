// The name of what a finding rests on: mostly a key of the role table, which
// is there for good and need not be copied; else a text of its own.
// A value like a string_view that owns what it has to. Immutable text; copies
// may be used from different threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace rlrun {

class KeyText {
 public:
  KeyText() = default;
  template <std::size_t N>
  KeyText(const char (&literal)[N]) : text_(literal) {}  // NOLINT: a string
  KeyText(std::string text) {                            // NOLINT: a string
    if (text.empty()) return;
    owned_ = std::make_shared<const std::string>(std::move(text));
    text_ = *owned_;
  }
  // `text` is there until the program ends.
  static KeyText Lasting(std::string_view text) {
    KeyText key;
    key.text_ = text;
    return key;
  }

  std::string_view view() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT: as a string
  std::string str() const { return std::string(text_); }
  bool empty() const { return text_.empty(); }

  friend bool operator==(const KeyText& a, const KeyText& b) {
    return a.text_.size() == b.text_.size() &&
           (a.text_.data() == b.text_.data() || a.text_ == b.text_);
  }
  template <class Text>
  requires(!std::same_as<Text, KeyText> &&
           std::convertible_to<const Text&, std::string_view>) friend bool
  operator==(const KeyText& a, const Text& b) {
    return a.text_ == std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const KeyText& key) {
    return out << key.text_;
  }

 private:
  std::string_view text_;
  std::shared_ptr<const std::string> owned_;  // holds text_; null: lasting
};

}  // namespace rlrun
