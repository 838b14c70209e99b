// Where a request ends in a stream of bytes, and which requests are refused
// before anybody looks at their meaning. Method, path and header values are
// left to the HTTP library.
// Pure; safe to call from any thread.
//
// A request: `GET /metrics HTTP/1.1\r\nHost: node7:10190\r\n\r\n`
// Accepts:   any request line; headers that end in CRLF; a body with
//            Content-Length up to the limit.
// Ignores:   the body, and the headers Range and Expect: nothing here needs
//            them, and the library would spend time on them.
// Rejects:   lines without CR, folded headers, two or unreadable
//            Content-Length (400), Transfer-Encoding (411), a body (413) or a
//            head (431) above its limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlrun {

struct FrameLimits {
  std::size_t max_head_bytes = 16u << 10;
  std::size_t max_body_bytes = 16u << 10;
};

struct Frame {
  // 0: not complete yet, read on. 200: complete. Else the HTTP status with
  // which the connection is to be closed.
  int status = 0;
  std::size_t size = 0;  // bytes of the input that belong to the request
  std::string head;      // request line and headers, blank line included
};

Frame ParseFrame(std::string_view input, const FrameLimits& limits);

// The whole response for a refused frame: one plain line, and the end of the
// connection.
std::string RefusalText(int status);

}  // namespace rlrun
