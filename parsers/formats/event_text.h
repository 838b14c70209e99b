// The text of a line as it is kept and shown: without escape sequences,
// secrets masked, at most kMaxEventText bytes of whole characters.
//
//   ESC[31mkey=hf_AbCdEfGhIjKlMn refused -> key=*** refused
//
// Accepts: any bytes. Ignores: nothing. Rejects: nothing.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

std::string EventText(std::string_view payload);

}  // namespace rlrun
