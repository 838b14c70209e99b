#include "parsers/formats/byte_format.h"

#include "parsers/formats/event_file.h"
#include "parsers/formats/wandb_file.h"

namespace rlrun {

std::size_t ByteFormat::Feed(std::string_view bytes, LogFacts* facts) {
  const auto add = [facts](LineOutcome outcome, std::uint64_t n) {
    facts->lines[static_cast<std::size_t>(outcome)] += n;
  };
  const std::size_t taken = records().Feed(
      bytes,
      [&](const RecordBytes& record) { add(TakeRecord(record, facts), 1); });
  const WholeRecords::Counts& now = counts();
  add(LineOutcome::kMalformed,
      now.damaged - counted_.damaged + now.cut - counted_.cut);
  add(LineOutcome::kTooLong, now.too_long - counted_.too_long);
  counted_ = now;
  return taken;
}

std::unique_ptr<ByteFormat> MakeByteFormat(ByteKind kind) {
  if (kind == ByteKind::kWandbFile) return std::make_unique<WandbFile>();
  return std::make_unique<EventFile>();
}

}  // namespace rlrun
