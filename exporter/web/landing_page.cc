#include "exporter/web/landing_page.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "exporter/report/html.h"
#include "exporter/report/page_style.h"
#include "exporter/report/run_page.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxRows = 1000;

std::string Link(const LandingLinks& links, std::string_view path,
                 std::string_view text) {
  const std::string target = links.prefix.empty()
                                 ? "." + EncodePath(path)
                                 : EncodePath(links.prefix) + EncodePath(path);
  return "<a href=\"" + target + "\">" + EscapeHtml(text) + "</a>";
}

std::string Cell(std::string_view style, std::string_view label,
                 std::string_view text) {
  std::string out = "<td";
  if (!style.empty()) out.append(" class=\"").append(style).append("\"");
  out.append(" data-label=\"").append(label).append("\"><bdi>");
  return out + EscapeHtml(text) + "</bdi></td>";
}

std::string StepText(const RunSummary& run) {
  if (!run.last_step) return "none yet";
  std::string text = std::to_string(*run.last_step);
  if (run.total_steps) text += " of " + std::to_string(*run.total_steps);
  return text;
}

std::string RunCell(const RunSummary& run, const LandingLinks& links) {
  return "<td class=\"run\" data-label=\"Run\"><bdi>" +
         Link(links, "/runs/" + RunPath(run.project, run.run), run.run) +
         "</bdi></td>";
}

std::string MinutesText(const RunSummary& run) {
  return run.step_seconds
             ? ReportNumber(std::round(*run.step_seconds / 0.6) / 100)
             : "-";
}

std::string Words(std::string_view name) {
  std::string out(name.empty() ? "-" : name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string Row(const RunSummary& run, const LandingLinks& links, double now) {
  const std::string age =
      run.last_step_time ? AgeText(*run.last_step_time, now) : "unknown";
  return "<tr>" + Cell(run.state, "State", Words(run.state)) +
         Cell(run.health, "Health", Words(run.health)) +
         Cell("", "Decision", Words(run.decision)) +
         Cell("run", "Project", run.project.empty() ? "-" : run.project) +
         RunCell(run, links) + Cell("n", "Step", StepText(run)) +
         Cell("n", "Min/step", MinutesText(run)) + Cell("n", "Last step", age) +
         Cell("", "Findings", run.findings.empty() ? "none" : run.findings) +
         "</tr>\n";
}

// Ended runs behind those that live; the worst first.
std::vector<const RunSummary*> WorstFirst(const Snapshot& snapshot) {
  std::vector<const RunSummary*> order;
  order.reserve(snapshot.runs.size());
  for (const RunSummary& run : snapshot.runs) order.push_back(&run);
  const auto key = [](const RunSummary* run) {
    const int ended = run->decision.empty() ? 1 : 0;
    const int health = run->health == "critical"  ? 0
                       : run->health == "at_risk" ? 1
                                                  : 2;
    return std::pair(ended, health);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const RunSummary* a, const RunSummary* b) {
                     return key(a) < key(b);
                   });
  return order;
}

std::string Table(const Snapshot& snapshot, const LandingLinks& links,
                  double now) {
  std::string out =
      "<table>\n<thead><tr><th>State</th><th>Health</th><th>Decision</th>"
      "<th>Project</th><th>Run</th><th class=\"n\">Step</th>"
      "<th class=\"n\">Min/step</th><th class=\"n\">Last step</th>"
      "<th>Findings</th></tr></thead>\n"
      "<tbody>\n";
  const std::size_t rows = std::min(snapshot.runs.size(), kMaxRows);
  const std::vector<const RunSummary*> order = WorstFirst(snapshot);
  for (std::size_t i = 0; i < rows; ++i) {
    out += Row(*order[i], links, now);
  }
  out += "</tbody>\n</table>\n";
  if (rows < snapshot.runs.size()) {
    out += "<p>" + std::to_string(snapshot.runs.size() - rows) +
           " more runs are not listed here; their metrics are exposed.</p>\n";
  }
  return out;
}

std::string NoRuns(bool ready) {
  if (!ready) {
    return "<p>No runs yet: the first pass over the files is under way. A run "
           "appears when its log has been read to the end once.</p>\n";
  }
  return "<p>No runs. The paths given hold no log with a training step in it, "
         "or it cannot be read, or it was last written longer ago than "
         "<code>retention.max_age</code>. The metrics say which: "
         "<code>rlrun_exporter_root_up</code> is 0 for a path that cannot be "
         "listed, and <code>rlrun_exporter_files</code> counts the files "
         "seen by what became of them.</p>\n";
}

}  // namespace

std::string LandingPage(const Snapshot* snapshot, std::string_view version,
                        const LandingLinks& links, double now) {
  const bool ready = snapshot != nullptr && snapshot->ready;
  const bool any = snapshot != nullptr && !snapshot->runs.empty();
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>rlrun_exporter</title>\n<style>";
  out.append(kPageStyle).append("</style>\n</head>\n<body>\n");
  out += "<h1>rlrun_exporter</h1>\n<p class=\"dim\">version " +
         EscapeHtml(version.empty() ? "unknown" : version) +
         "; metrics of reinforcement-learning training runs</p>\n<nav>" +
         Link(links, links.telemetry_path, "Metrics") + "\n" +
         Link(links, "/-/healthy", "Health") + "\n" +
         Link(links, "/-/ready", "Readiness") + "</nav>\n";
  out += any ? "<h2>Runs (" + std::to_string(snapshot->runs.size()) + ")</h2>\n"
             : "<h2>Runs</h2>\n";
  if (any && !ready) {
    out +=
        "<p class=\"dim\">The first pass over the files is under way: "
        "more runs may follow.</p>\n";
  }
  out += any ? Table(*snapshot, links, now) : NoRuns(ready);
  return out + "</body>\n</html>\n";
}

std::string LandingPagePolicy() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_Digest(kPageStyle.data(), kPageStyle.size(), hash.data(), &size,
             EVP_sha256(), nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
  EVP_EncodeBlock(text.data(), hash.data(), static_cast<int>(size));
  return "default-src 'none'; style-src 'sha256-" +
         std::string(reinterpret_cast<const char*>(text.data())) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace rlrun
