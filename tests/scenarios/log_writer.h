// Puts a sample run together: prefixes, colours, pairs and their ledger. Knows
// how a line is dressed, not which lines a run has (that is sample_run.cc).
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/scenarios/sample_run.h"

namespace rlrun::scenarios {

// Deterministic on every platform, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t Next();
  double Uniform(double low, double high);
  std::int64_t Integer(std::int64_t low, std::int64_t high);  // both inclusive

 private:
  std::uint64_t state_;
};

// The pairs of one step line, as text and as numbers.
class Pairs {
 public:
  // A number as Python prints a float: `0.5`, `1e-06`, `100.0`, `nan`, `-inf`.
  void Float(std::string key, double value);
  void Fixed(std::string key, double value);  // three decimals, `%.3f`
  void Int(std::string key, std::int64_t value);
  void Numpy(std::string key, std::string_view type, double value);
  void Bool(std::string key, bool value);
  // A value that is no number: a reader skips it and keeps the rest.
  void Text(std::string_view key, std::string_view text);

  const std::string& text() const { return text_; }  // ` - key:value - ...`
  const std::vector<std::pair<std::string, double>>& values() const {
    return values_;
  }
  std::uint64_t not_a_number() const { return not_a_number_; }

 private:
  void Put(std::string key, const std::string& printed, double value);

  std::string text_;
  std::vector<std::pair<std::string, double>> values_;
  std::uint64_t not_a_number_ = 0;
};

class LogWriter {
 public:
  // `prefix` stands in front of what the trainer prints; may be empty.
  explicit LogWriter(std::string prefix) : prefix_(std::move(prefix)) {}

  void Raw(std::string_view bytes);       // as is, no prefix, no line end
  void Line(std::string_view text);       // prefix, text, LF
  void PlainLine(std::string_view text);  // text, LF

  // How a step line is dressed.
  struct Dress {
    std::string before;           // between prefix and `step:`
    std::string behind;           // glued behind the last value
    bool behind_is_glue = false;  // a reader counts `behind` as untrusted
    std::string end = "\n";
    bool halves = false;  // written in two pieces
  };
  void Step(std::int64_t step, const Pairs& pairs, const Dress& dress);
  void Step(std::int64_t step, const Pairs& pairs) { Step(step, pairs, {}); }

  void Flush();    // what follows is written later
  void EndStep();  // a live replay waits here

  Ledger& ledger() { return run_.ledger; }
  SampleRun Take();  // leaves the writer empty

 private:
  std::string prefix_;
  std::string pending_;
  SampleRun run_;
};

// `(TaskRunner pid=4711)` or, with an address, `(TaskRunner pid=4711, ip=..)`,
// in the colour of Ray, with the blank that follows it.
std::string ActorPrefix(std::string_view actor, int pid, std::string_view ip);

}  // namespace rlrun::scenarios
