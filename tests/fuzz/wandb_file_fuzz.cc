// Any bytes as a `.wandb` file, in pieces whose sizes the first byte tells: the
// same rows as in one piece, each record with one outcome, little held.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parsers/formats/wandb_file.h"
#include "tests/fuzz/check.h"
#include "tests/support/growing_file.h"

namespace rlrun {
namespace {

LogFacts Parse(std::string_view bytes, std::size_t piece) {
  WandbFile file;
  LogFacts facts;
  ReadInPieces(
      &file, bytes, [piece] { return piece; }, &facts);
  RLRUN_CHECK(file.complete_end() <= (std::uint64_t{1} << 32));
  std::uint64_t counted = 0;
  for (const std::uint64_t n : facts.lines) counted += n;
  RLRUN_CHECK(counted == file.counts().all());
  return facts;
}

void CheckRecord(const StepRecord& r) {
  RLRUN_CHECK(r.step >= 0 && !r.pairs.empty());
  RLRUN_CHECK(r.begin_offset < r.end_offset);
  std::size_t end = 0;
  for (const StepRecord::Pair& p : r.pairs) {
    RLRUN_CHECK(p.begin == end && p.size != 0);
    end += p.size;
  }
  RLRUN_CHECK(end == r.key_text.size());
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rlrun;
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{data[0]} * 8 + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  const LogFacts whole = Parse(bytes, bytes.size() + 1);
  const LogFacts pieces = Parse(bytes, piece);
  RLRUN_CHECK(whole.lines == pieces.lines);
  RLRUN_CHECK(whole.values_skipped == pieces.values_skipped);
  RLRUN_CHECK(whole.steps.size() == pieces.steps.size());
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    CheckRecord(whole.steps[i]);
    RLRUN_CHECK(whole.steps[i].step == pieces.steps[i].step);
    RLRUN_CHECK(whole.steps[i].key_text == pieces.steps[i].key_text);
  }
  // What a record may hold, without blocks and checksums around it.
  static_cast<void>(WandbNumber(bytes));
  static_cast<void>(PythonOfJson(bytes));
  WandbConfig config;
  config.Set("trainer", bytes);
  config.Set("data", bytes);
  static_cast<void>(config.Facts(RunMode::kUnknown));
  return 0;
}
