// Which lines a text has shown already. A launcher that loses its connection
// prints the whole stream once more, and some trainers print a line twice: a
// metric line that says again what it said before says nothing new. A line of
// an old number with other values is another thing: a run that went back.
// What stands among such lines is old as well: from where the stream begins
// again to its newest metric line, and on through the lines that stood behind
// that one; never for more lines than there were before.
// Remembers the first 64 metric lines and the newest 8192 to 16384, the first
// 64 others and up to 4096 behind the newest metric line: at most 350 KiB.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rlrun {

class LineMemory {
 public:
  static constexpr std::size_t kTypes = 8;

  // Takes a line of one of kTypes types. True: it is a copy of one that was
  // there before.
  bool IsRepeated(std::size_t type, std::int64_t number, std::string_view body);
  // Takes a line that is no metric line. True: it is an old one.
  bool IsOld(std::string_view text);
  // The stream was lost: it begins again in one of the next lines, or goes on.
  void ExpectReplay();
  // `text` is the first line of a job's stream. True: that of the job before,
  // so the stream begins again with it.
  bool BeginsAgain(std::string_view text);
  // `text` says how a job has ended. Where that was not said before, whatever
  // was being printed again is through.
  void NoteEnd(std::string_view text);

 private:
  using Numbers = std::array<std::int64_t, kTypes>;
  static constexpr int kExpected = 10;  // lines

  void Remember(std::size_t type, std::int64_t number, std::uint64_t hash);
  void BeginReplay(std::uint64_t hash);
  bool Catches(std::uint64_t hash);
  void SetReplaying();

  std::vector<std::uint64_t> first_;
  std::unordered_set<std::uint64_t> recent_, older_;
  Numbers in_recent_ = None(), in_older_ = None();  // largest number there
  Numbers forgotten_ = None();
  std::uint64_t newest_ = 0;                  // hash of the newest line
  bool replaying_ = false;                    // up to the newest metric line
  std::uint64_t lines_ = 0;                   // so far
  std::uint64_t left_ = 0;                    // that a replay may have yet
  std::vector<std::uint64_t> head_, behind_;  // of lines that are no metrics
  std::optional<std::size_t> caught_;  // of `behind_`, while they come again
  std::vector<std::uint64_t> ends_;    // of jobs
  std::uint64_t stream_ = 0;           // hash of its first line
  int expected_ = 0;

  static constexpr Numbers None() {
    Numbers none{};
    for (std::int64_t& n : none) n = -1;
    return none;
  }
};

}  // namespace rlrun
