// The Markdown that runbooks are written in, as HTML: headings, paragraphs,
// lists, blocks of code, `code`. Everything else is text.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

// `level`: of what `#` becomes; `##` is one more. `link`, if not empty, stands
// in front of names of runbooks (`RLRunStall`), which become links, and
// `link_end` behind them.
std::string MarkdownHtml(std::string_view text, int level,
                         std::string_view link, std::string_view link_end = {});

// The sections of that name, with their headings; empty: there is none.
std::string_view MarkdownSection(std::string_view text, std::string_view name);

}  // namespace rlrun
