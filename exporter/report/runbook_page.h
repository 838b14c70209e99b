// Pages of runbooks: the list of them, and one.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "exporter/report/page_frame.h"
#include "exporter/report/run_match.h"

namespace rlrun {

// Where the runbook of that name is: below links.runbooks, else here, with its
// queries about `run`. As the value of `href`, with its quotes.
std::string RunbookHref(const PageLinks& links, std::string_view name,
                        const RunName& run);

// `name`: empty: the list; `RLRunStall` or `RLRunStall.md`. `run`: the one that
// its queries are about; without a name: they say PROJECT and RUN. Empty: there
// is no such runbook.
std::string RunbookPageHtml(const PageLinks& links, std::string_view name,
                            const RunName& run = {});

// What the page of a run shows of a runbook, in a fold: causes, now, next run,
// and a link to all of it. Empty: there is no such runbook.
std::string RunbookFold(const PageLinks& links, std::string_view name,
                        const RunName& run, bool open);

}  // namespace rlrun
