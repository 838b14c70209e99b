// Any bytes as an event file, in pieces whose sizes the first byte tells: the
// same values as in one piece, each record with one outcome, little held.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/formats/event_file.h"
#include "tests/fuzz/check.h"

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
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    file.Feed(bytes.substr(0, piece), &facts);
    file.Finish(&facts);
  }
  std::uint64_t counted = 0;
  for (const std::uint64_t n : facts.lines) counted += n;
  const EventRecords::Counts& counts = file.counts();
  RLRUN_CHECK(counted == counts.records + counts.damaged + counts.too_long);
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
