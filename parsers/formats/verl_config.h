// The resolved config that verl prints when it starts: a python dict, printed
// over many lines behind one actor's prefix, other actors' lines in between.
//
//   (TaskRunner pid=7) {'actor_rollout_ref': {'actor': {'optim': {'lr': 1e-06,
//   (WorkerDict pid=9) loading weights
//   (TaskRunner pid=7)                                            'n': 8}}},
//   (TaskRunner pid=7)  'trainer': {'nnodes': 2}}
//
// Accepts: a block that begins a payload as `{'NAME':` and has `trainer` and
//   `data`, or `actor_rollout_ref`, among its keys; only lines of the same
//   prefix that are indented (all of them, or none), end as a printed literal's
//   lines do and close every quote they open. Text behind the closing bracket
//   is left alone. A block without an end is read as far as it
//   goes.
// Ignores: other dicts (counted), lines of other actors inside a block.
// Rejects (counted): a block that is no python literal, or longer than 1 MiB.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parsers/lines/payload.h"
#include "parsers/model/run_facts.h"
#include "parsers/values/python_literal.h"

namespace rlrun {

class VerlConfigBlock {
 public:
  enum class Outcome : std::uint8_t {
    kIgnored,  // the line is no part of a block
    kTaken,    // it is
    kConfig    // with it, or in front of it, a config ended: see config()
  };
  struct Counts {
    std::uint64_t configs = 0;      // whole ones
    std::uint64_t cut_configs = 0;  // read as far as they go
    std::uint64_t other_dicts = 0;  // no config of a trainer
    std::uint64_t given_up = 0;     // like a config, but no literal, too long
  };

  // `payload`: the line behind its prefixes and blanks; `indent`: blanks in
  // front of it, not counting the one that parts it from its prefix.
  Outcome Offer(std::string_view payload, std::size_t indent,
                const ActorPrefix& prefix) {
    if (!is_open_ && !MayStart(payload)) return Outcome::kIgnored;
    return Take(payload, indent, prefix);
  }
  // The text has ended: a block that is open is read as far as it goes.
  Outcome Finish() { return is_open_ ? End(false) : Outcome::kIgnored; }
  // Reads an open block as far as it has come, without an end to it and
  // without counting it. True: it is a config, see config(). Not whole.
  bool Peek();
  bool is_open() const { return is_open_; }
  std::size_t size() const { return text_.size(); }  // of an open block, bytes
  // Forgets an open block: the next line does not follow the last one.
  void Reset() { is_open_ = false; }

  // The newest config, valid until the next call of Offer, Finish, Peek
  // or Reset.
  PyValue config() const { return document_.root(); }
  bool is_whole() const { return is_whole_; }  // false: it was cut
  const Counts& counts() const { return counts_; }

 private:
  static bool MayStart(std::string_view payload) {
    return payload.size() > 4 && payload[0] == '{' && payload[1] == '\'';
  }
  Outcome Take(std::string_view payload, std::size_t indent,
               const ActorPrefix& prefix);
  void Open(std::string_view payload, const ActorPrefix& prefix);
  Outcome Append(std::string_view payload);
  Outcome Skip(bool is_same_actor);
  Outcome End(bool is_closed);
  bool MayBeConfig(bool is_closed) const;
  bool IsSameActor(const ActorPrefix& prefix) const;
  bool Fits(std::string_view payload, std::size_t indent) const;

  bool is_open_ = false;
  bool is_strong_ = false;  // begins as only a trainer's config does
  // Whether the lines behind the first are indented; known from the second on.
  enum class Shape : std::uint8_t { kUnknown, kIndented, kTrimmed };
  Shape shape_ = Shape::kUnknown;
  std::size_t depth_ = 0;        // brackets open outside quotes
  std::size_t own_skipped_ = 0;  // lines since the last one that was taken
  std::size_t foreign_skipped_ = 0;
  std::string actor_, pid_, ip_;
  std::string text_;
  std::string scratch_;
  PyDocument document_;
  bool is_whole_ = false;
  Counts counts_;
};

// Blanks in front of `payload`, which is the end of `line`, without the one
// that parts it from a prefix.
std::size_t PayloadIndent(std::string_view line, std::string_view payload,
                          const ActorPrefix& prefix);

// What a resolved config states. `is_whole` false: keys may be missing, so
// nothing is concluded from the absence of one; the mode is then `mode`, unless
// a key tells that it is the asynchronous one.
RunFacts FactsFromConfig(PyValue config, bool is_whole,
                         RunMode mode = RunMode::kUnknown);

}  // namespace rlrun
