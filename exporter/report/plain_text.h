// Text of others (names, paths, keys, log lines) made fit for a report: it can
// neither move a terminal's cursor, nor reorder a line, nor become markup.
// Masking secrets is left to parsers/values/redact.h, which is done before.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rlrun {

// One line of valid UTF-8. Control characters, the line and paragraph
// separators among them, become `control`; what reorders or hides text (marks
// and overrides of direction, zero-width characters) becomes U+FFFD.
std::string PlainText(std::string_view text, std::string_view control = " ");

// The same, at most `size` bytes of whole characters and `...`.
std::string PlainFront(std::string_view text, std::size_t size);

// PlainText in Markdown, with every character escaped that could begin markup,
// a link or an entity.
std::string MarkdownText(std::string_view text);

// PlainText as a code span, its backticks longer than any in the text.
std::string MarkdownCode(std::string_view text);

// A line of tildes that no line of `block` can close.
std::string MarkdownFence(std::string_view block);

}  // namespace rlrun
