// The head of a request as the HTTP library has to see it, so that what it
// would answer by itself, ahead of any question for a password, is answered by
// us like everything else.
// Pure; safe to call from any thread.
#pragma once

#include <string>

namespace rlrun {

// A method that the library does not know becomes one that no route takes; a
// target with scheme and host loses them (RFC 9112, 3.2.2: a server must take
// it); `Expect` and `Range` are not seen, since no body is wanted and nothing
// is sent in parts. What is malformed stays.
std::string PreparedHead(std::string head);

}  // namespace rlrun
