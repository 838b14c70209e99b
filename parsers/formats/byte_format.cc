#include "parsers/formats/byte_format.h"

#include "parsers/formats/event_file.h"
#include "parsers/formats/wandb_file.h"

namespace rlrun {

std::unique_ptr<ByteFormat> MakeByteFormat(ByteKind kind) {
  if (kind == ByteKind::kWandbFile) return std::make_unique<WandbFile>();
  return std::make_unique<EventFile>();
}

}  // namespace rlrun
