// What all pages share: head, navigation, the pieces that they are made of. No
// script, no outside asset, no style but page_style.h.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

struct PageLinks {
  // In front of `/`, `/runs/...` and `/api/...`; may be empty.
  std::string root = {};
  int refresh = 0;  // seconds after which a browser loads the page anew; 0: not
  // Where runbooks are, `NAME.md` behind it; empty: the exporter's own.
  std::string runbooks = {};
  // The Grafana that has the dashboards, without its last slash; empty: none.
  std::string grafana = {};
};

// A path of the exporter, as it stands in an URL, as the value of `href`, with
// its quotes.
std::string PageHref(const PageLinks& links, std::string_view path);

// The picture at `/favicon.svg`.
std::string_view PageIcon();

// From the doctype to the opened <main>. `title`: text. `nav`: links, HTML.
std::string PageBegin(const PageLinks& links, std::string_view title,
                      const std::string& nav);
// From the closed <main> on. `footer`: HTML.
std::string PageEnd(const std::string& footer);

// Text of others as HTML that cannot reorder what stands beside it.
std::string Isolated(std::string_view text);
// The same of a name, with places at which a narrow column may break it.
std::string Breakable(std::string_view name);
// `at_risk` as `at risk`.
std::string Words(std::string_view name);
// A word of the contract (`critical`, `running`, `wait`) in its colour.
std::string Pill(std::string_view name);
// A cell of a table whose rows are cards on a narrow page.
std::string TableCell(std::string_view label, const std::string& html,
                      std::string_view style = {});
// A thin bar, `part` of `whole` of it filled.
std::string ProgressBar(double part, double whole);

}  // namespace rlrun
