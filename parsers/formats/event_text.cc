#include "parsers/formats/event_text.h"

#include "parsers/lines/payload.h"
#include "parsers/model/log_events.h"
#include "parsers/values/redact.h"

namespace rlrun {

std::string EventText(std::string_view payload) {
  constexpr std::size_t kRead = 4 * kMaxEventText;
  std::string scratch;
  const std::string_view plain =
      StripEscapes(payload.substr(0, kRead), &scratch);
  return RedactFront(TrimBlanks(plain), kMaxEventText);
}

}  // namespace rlrun
