// Pieces of HTML: text that stays text, and times in words.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

// Text as HTML: escaped, valid UTF-8; control characters, and what reorders or
// hides text, as U+FFFD. Safe between tags and inside quoted attributes.
std::string EscapeHtml(std::string_view text);

// `42 s ago`, `3 min ago`, `5 h ago`, `2 d ago`; times ahead of `now` (clocks
// differ) are `0 s ago`. Both in Unix seconds.
std::string AgeText(double time, double now);

// A path as part of an URL: bytes that mean something there, or in HTML, as
// %XX; slashes stay.
std::string EncodePath(std::string_view path);
// What stands between two slashes: those in it are %2F.
std::string EncodePathPart(std::string_view part);
// The bytes of a path of an URL. A % that no two digits follow is one.
std::string DecodePath(std::string_view path);
// A path of an URL written as EncodePathPart writes each of its parts.
std::string CanonicalPath(std::string_view path);

// The same as a value in a query: only letters, digits and `-._~` stay.
std::string EncodeQuery(std::string_view text);

}  // namespace rlrun
