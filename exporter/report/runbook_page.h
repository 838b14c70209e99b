// Pages of runbooks: the list of them, and one.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "exporter/report/page_frame.h"

namespace rlrun {

// Where the runbook of that name is: below links.runbooks, else here. As the
// value of `href`, with its quotes.
std::string RunbookHref(const PageLinks& links, std::string_view name);

// `name`: empty: the list; `RLRunStall` or `RLRunStall.md`. Empty: there is no
// such runbook.
std::string RunbookPageHtml(const PageLinks& links, std::string_view name);

// What a page of a run shows of a runbook, in a fold: causes, now, next run,
// and a link to all of it. Empty: there is no such runbook.
std::string RunbookFold(const PageLinks& links, std::string_view name,
                        bool open);

}  // namespace rlrun
