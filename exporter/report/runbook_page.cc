#include "exporter/report/runbook_page.h"

#include "exporter/report/html.h"
#include "exporter/report/markdown_html.h"
#include "exporter/report/run_path.h"
#include "exporter/report/runbooks.h"

namespace rlrun {
namespace {

std::string Nav(const PageLinks& links) {
  return "<a href=" + PageHref(links, "/") +
         ">All runs</a>\n<a href=" + PageHref(links, "/runbooks/") +
         ">Runbooks</a>";
}

std::string OwnRunbooks(const PageLinks& links) {
  return EncodePath(links.root) + "/runbooks/";
}

// `?project=lab&run=sums`; empty: of no run.
std::string RunQuery(const RunName& run) {
  if (run.run.empty()) return "";
  return "?project=" + EncodeQuery(run.project) +
         "&run=" + EncodeQuery(run.run);
}

}  // namespace

std::string RunbookHref(const PageLinks& links, std::string_view name,
                        const RunName& run) {
  if (links.runbooks.empty()) {
    return PageHref(links, "/runbooks/" + std::string(name) + RunQuery(run));
  }
  const char* slash = links.runbooks.ends_with('/') ? "" : "/";
  return "\"" + EscapeHtml(links.runbooks) + slash + EncodePath(name) + ".md\"";
}

std::string RunbookPageHtml(const PageLinks& links, std::string_view name,
                            const RunName& run) {
  if (name.empty()) {
    std::string out = PageBegin(links, "Runbooks", Nav(links)) +
                      "<h1>Runbooks</h1>\n<p>What each alert means and what to "
                      "do about it.</p>\n<ul class=\"names\">\n";
    for (const Runbook& runbook : Runbooks()) {
      out += "<li><a href=" +
             PageHref(links, "/runbooks/" + std::string(runbook.name)) + ">" +
             EscapeHtml(runbook.name) + "</a></li>\n";
    }
    return out + "</ul>\n" + PageEnd("<p>As of this exporter's version.</p>");
  }
  if (name.ends_with(".md")) name.remove_suffix(3);
  const Runbook* runbook = FindRunbook(name);
  if (runbook == nullptr) return "";
  const bool any = !run.run.empty();
  const std::string text =
      any ? FillRunbook(*runbook, run.project, run.run) : std::string();
  std::string body = MarkdownHtml(any ? text : runbook->text, 1,
                                  OwnRunbooks(links), RunQuery(run));
  if (any) {
    body.insert(body.find('\n') + 1,  // behind its name
                "<p>About the run <a href=" +
                    PageHref(links, "/runs/" + RunPath(run.project, run.run)) +
                    ">" + Breakable(FullName(run)) + "</a></p>\n");
  }
  return PageBegin(links, runbook->name, Nav(links)) + body +
         PageEnd("<p>As of this exporter's version.</p>");
}

std::string RunbookFold(const PageLinks& links, std::string_view name,
                        const RunName& run, bool open) {
  const Runbook* runbook = FindRunbook(name);
  if (runbook == nullptr) return "";
  std::string out = "<details" + std::string(open ? " open" : "") +
                    "><summary>Causes and what to do</summary>\n";
  for (const char* section : {"Likely causes", "Now", "Next run"}) {
    out += MarkdownHtml(MarkdownSection(runbook->text, section), 3,
                        OwnRunbooks(links), RunQuery(run));
  }
  return out + "<p><a href=" + RunbookHref(links, name, run) + ">Runbook " +
         EscapeHtml(name) + "</a></p></details>\n";
}

}  // namespace rlrun
