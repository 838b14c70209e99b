// Python literals as `pprint` and `repr` print them -> a tree of values. What
// the keys mean is left to formats.
//
//   {'trainer': {'lr': 1e-06, 'logger': ['console', 'wandb'], 'path': None}}
//
// Accepts: dicts, lists, tuples, sets, strings ('..', "..", tripled; prefixes
//   b, r, u; every escape but \N{..}; strings that follow one another are one),
//   integers (any base, `_`), floats, True, False, None, nan, inf, one sign;
//   numbers in a wrapper: np.float64(0.5). Dict keys may be of any kind.
// Cut: where the text ends too early, what is whole is kept (kCut). A number,
//   name or string is whole when `,` or a bracket stands behind it; a dict item
//   when its value is, or its value is a bracket that was cut inside.
// Rejects (kError): everything else: calls, other names, f-strings, comments,
//   complex numbers, text behind the literal, too deep, too many, too long.
// Never recurses, never throws. Pure; a PyDocument may be read by many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

class PyDocument;

// A value inside a PyDocument, which must outlive it; or absent, of which every
// question gets "nothing" as the answer.
class PyValue {
 public:
  enum class Kind : std::uint8_t {
    kAbsent,
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kBytes,
    kTuple,
    kList,
    kSet,
    kDict
  };

  PyValue() = default;
  Kind kind() const;
  bool present() const { return document_ != nullptr; }

  std::optional<bool> AsBool() const;         // a bool only
  std::optional<std::int64_t> AsInt() const;  // an int that fits
  std::optional<double> AsDouble() const;     // an int or a float
  std::optional<std::string_view> AsString()
      const;  // UTF-8; bytes: as they are

  // Items of a container (a dict: pairs); 0 for anything else.
  std::size_t size() const;
  // The first child, and the one behind this among its siblings; absent: none.
  // The children of a dict are key, value, key, value.
  PyValue First() const;
  PyValue Next() const;

  // The value of a path of keys, `trainer.nnodes`. At each dict a key that is
  // the whole rest of the path goes before its first segment; of equal keys the
  // last one counts, as in python.
  PyValue Find(std::string_view path) const;

 private:
  friend class PyDocument;
  PyValue(const PyDocument* document, std::uint32_t at, std::uint32_t end)
      : document_(document), at_(at), end_(end) {}
  // The value of `key` in this dict.
  PyValue Get(std::string_view key) const;

  const PyDocument* document_ = nullptr;
  std::uint32_t at_ = 0;   // node
  std::uint32_t end_ = 0;  // behind the last node of the siblings
};

struct PyLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 64;        // brackets inside one another
  std::size_t values = 100'000;  // of every kind, keys included
};

enum class PyStatus : std::uint8_t { kOk, kCut, kError };

class PyDocument {
 public:
  // Replaces what was held. After kError the root is absent; after kCut, too,
  // where the text holds no opened bracket.
  PyStatus Parse(std::string_view text, const PyLimits& limits = {});

  PyValue root() const;
  // Of the last Parse: what is wrong (static text, empty after kOk), and the
  // byte of the text at which it was noticed.
  std::string_view error() const { return error_; }
  std::size_t error_at() const { return error_at_; }

 private:
  friend class PyValue;
  friend class PyReader;
  // In the order of the text: a container's children follow it.
  struct Node {
    PyValue::Kind kind = PyValue::Kind::kAbsent;
    bool too_big = false;    // an int beyond 64 bits: `real` holds it
    std::uint32_t next = 0;  // node behind this one and its children
    std::uint32_t size = 0;  // children, or bytes of text
    union {
      std::int64_t integer = 0;  // kInt, kBool
      double real;               // kFloat
      std::size_t text;          // kString, kBytes: begin in text_
    };
  };

  std::vector<Node> nodes_;
  std::string text_;  // all strings, one after the other
  std::string_view error_;
  std::size_t error_at_ = 0;
};

}  // namespace rlrun
