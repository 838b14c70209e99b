// A JSON document that is one object, walked through value by value with the
// path of keys that leads to each: what run records and state files are made
// of. Knows no field of any format.
//
// Accepts: a byte order mark in front; bare NaN, Infinity and -Infinity; any
// depth, any order, fields that
//   nobody asks for.
// Rejects: text that ends too early, an empty one among them (kIncomplete: it
//   may still be written); anything else that is no JSON object, text behind
//   its end among it (kMalformed: perhaps a shorter text over a longer one).
//   What was visited before that is void.
// Pure; safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rlrun {

enum class DocumentParse : std::uint8_t { kOk = 0, kIncomplete, kMalformed };

// Keys from the outermost object to a value. Elements of arrays have an empty
// key; of keys deeper than kMost only the number is known.
struct JsonPath {
  static constexpr std::size_t kMost = 6;
  std::size_t depth = 0;
  std::array<std::string_view, kMost> key;

  std::string_view last() const {
    return depth == 0 || depth > kMost ? std::string_view() : key[depth - 1];
  }
  template <class... Keys>
  bool Is(Keys... keys) const {
    std::size_t i = 0;
    return depth == sizeof...(keys) && ((key[i++] == keys) && ...);
  }
};

// Told of every value. Views end with the call.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  // Of objects and arrays.
  virtual void Begin(const JsonPath&) {}
  virtual void End(const JsonPath&) {}
  virtual void Number(const JsonPath&, double) {}  // NaN and Inf among them
  virtual void Text(const JsonPath&, std::string_view) {}
  virtual void Bool(const JsonPath&, bool) {}
  virtual void Null(const JsonPath&) {}
};

// `text` is used up: strings are unescaped in place.
DocumentParse ParseJsonDocument(std::string text, JsonVisitor* visitor);

}  // namespace rlrun
