// Which metric lines a text has shown already. A launcher that loses its
// connection prints the whole stream once more, and some trainers print a line
// twice: a line that says again what it said before says nothing new. A line of
// an old number with other values is another thing: a run that went back.
// Remembers the first 64 lines and the newest 8192 to 16384: at most 300 KiB.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  // Old lines are being printed again, up to the newest of them: what stands
  // between them is old, too.
  bool replaying() const { return replaying_; }

 private:
  using Numbers = std::array<std::int64_t, kTypes>;
  void Remember(std::size_t type, std::int64_t number, std::uint64_t hash);

  std::vector<std::uint64_t> first_;
  std::unordered_set<std::uint64_t> recent_, older_;
  Numbers in_recent_ = None(), in_older_ = None();  // largest number there
  Numbers forgotten_ = None();
  std::uint64_t newest_ = 0;  // hash of the newest line
  bool replaying_ = false;

  static constexpr Numbers None() {
    Numbers none{};
    for (std::int64_t& n : none) n = -1;
    return none;
  }
};

}  // namespace rlrun
