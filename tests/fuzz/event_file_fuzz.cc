// Any bytes as an event file, in pieces whose sizes the first byte tells: the
// same values as in one piece, each record with one outcome, little held.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/formats/event_file.h"
#include "tests/fuzz/check.h"
#include "tests/support/growing_file.h"

namespace rlrun {
namespace {

struct Value {
  std::int64_t step = 0;
  std::string key;
  std::uint64_t bits = 0;
  bool operator==(const Value&) const = default;
};

std::vector<Value> Parse(std::string_view bytes, std::size_t piece) {
  EventFile file;
  LogFacts facts;
  ReadInPieces(
      &file, bytes, [piece] { return piece; }, &facts);
  file.Finish(&facts);
  std::uint64_t counted = 0;
  for (const std::uint64_t n : facts.lines) counted += n;
  RLRUN_CHECK(counted == file.counts().all());
  std::vector<Value> values;
  for (const StepRecord& r : facts.steps) {
    RLRUN_CHECK(r.step >= 0 && !r.pairs.empty());
    for (const StepRecord::Pair& p : r.pairs) {
      RLRUN_CHECK(p.size != 0 && p.begin + p.size <= r.key_text.size());
      values.push_back({r.step, std::string(r.Key(p)),
                        std::bit_cast<std::uint64_t>(p.value)});
    }
  }
  return values;
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  RLRUN_CHECK(Parse(bytes, bytes.size() + 1) ==
              Parse(bytes, std::size_t{data[0]} + 1));
  return 0;
}
