#include "exporter/web/landing_page.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "exporter/report/html.h"
#include "exporter/report/page_frame.h"
#include "exporter/report/page_style.h"
#include "exporter/report/report_numbers.h"
#include "exporter/report/run_path.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxRows = 1000;

std::string StepHtml(const RunSummary& run) {
  if (!run.last_step) return "none yet";
  std::string text = std::to_string(*run.last_step);
  if (!run.total_steps) return text;
  return text + " <span class=\"dim\">of " + std::to_string(*run.total_steps) +
         "</span>" +
         ProgressBar(static_cast<double>(*run.last_step),
                     static_cast<double>(*run.total_steps));
}

std::string RunCell(const RunSummary& run, const PageLinks& links) {
  std::string out = "<th scope=\"row\" role=\"rowheader\">";
  if (!run.project.empty()) {
    out += "<span class=\"dim\">" + Isolated(run.project) + "/</span>";
  }
  return out + "<a href=" +
         PageHref(links, "/runs/" + RunPath(run.project, run.run)) + ">" +
         Breakable(run.run) + "</a></th>";
}

std::string MinutesCell(const RunSummary& run) {
  return run.step_seconds ? MinutesText(*run.step_seconds) : "-";
}

std::string PillOf(std::string_view name) {
  return name.empty() ? "-" : Pill(name);
}

bool HasEnded(const RunSummary& run) { return run.decision.empty(); }

// Nobody knows how a run is that was lost, or ended before its time.
std::string HealthOf(const RunSummary& run) {
  if (HasEnded(run) && run.state != "finished" && run.health == "healthy") {
    return "<span class=\"pill\">healthy</span>";
  }
  return PillOf(run.health);
}

std::string Row(const RunSummary& run, const PageLinks& links, double now) {
  const std::string age =
      run.last_step_time ? AgeText(*run.last_step_time, now) : "unknown";
  return "<tr role=\"row\">" + RunCell(run, links) +
         TableCell("Health", HealthOf(run), "s") +
         TableCell("State", PillOf(run.state), "s") +
         (HasEnded(run) ? ""
                        : TableCell("Decision", PillOf(run.decision), "s")) +
         TableCell("Findings",
                   run.findings.empty() ? "none" : Breakable(run.findings),
                   "f") +
         TableCell("Step", StepHtml(run), "n") +
         TableCell("Min/step", MinutesCell(run), "n") +
         TableCell("Last step", age, "n") + "</tr>\n";
}

// Ended runs behind those that live; the worst first.
std::vector<const RunSummary*> WorstFirst(const Snapshot& snapshot) {
  std::vector<const RunSummary*> order;
  order.reserve(snapshot.runs.size());
  for (const RunSummary& run : snapshot.runs) order.push_back(&run);
  const auto key = [](const RunSummary* run) {
    const int health = run->health == "critical"  ? 0
                       : run->health == "at_risk" ? 1
                                                  : 2;
    return std::pair(HasEnded(*run), health);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const RunSummary* a, const RunSummary* b) {
                     return key(a) < key(b);
                   });
  return order;
}

// How many of them are how: `2 critical, 1 at risk, 4 healthy`.
std::string Counts(std::span<const RunSummary* const> runs) {
  std::string out;
  for (const std::string_view health : {"critical", "at_risk", "healthy"}) {
    const auto n = std::count_if(
        runs.begin(), runs.end(),
        [&](const RunSummary* run) { return run->health == health; });
    if (n == 0) continue;
    out += (out.empty() ? "" : ", ") + std::to_string(n) + " " + Words(health);
  }
  return out;
}

std::string Table(std::string_view title, std::string_view id,
                  std::span<const RunSummary* const> runs, std::size_t shown,
                  const PageLinks& links, double now) {
  if (runs.empty()) return "";
  std::string out = "<section aria-labelledby=\"" + std::string(id) +
                    "\"><h2 id=\"" + std::string(id) + "\">" +
                    std::string(title) + " (" + std::to_string(runs.size()) +
                    ")</h2>\n<p class=\"dim\">" + Counts(runs) + "</p>\n";
  const std::string decision =
      HasEnded(*runs[0]) ? "" : "<th scope=\"col\">Decision</th>";
  out +=
      "<div class=\"table\"><table role=\"table\" class=\"rows\">\n<thead><tr "
      "role=\"row\"><th scope=\"col\">Run</th><th scope=\"col\">Health</th>"
      "<th scope=\"col\">State</th>" +
      decision +
      "<th scope=\"col\">Findings</th><th scope=\"col\" class=\"n\">Step</th>"
      "<th scope=\"col\" class=\"n\">Min/step</th><th scope=\"col\" "
      "class=\"n\">Last step</th></tr></thead>\n<tbody>\n";
  for (const RunSummary* run : runs.first(std::min(shown, runs.size()))) {
    out += Row(*run, links, now);
  }
  return out + "</tbody>\n</table></div></section>\n";
}

std::string Tables(const Snapshot& snapshot, const PageLinks& links,
                   double now) {
  const std::vector<const RunSummary*> order = WorstFirst(snapshot);
  const auto ended =
      std::find_if(order.begin(), order.end(),
                   [](const RunSummary* run) { return HasEnded(*run); });
  const auto live = static_cast<std::size_t>(ended - order.begin());
  const std::span<const RunSummary* const> all(order);
  const std::size_t left = kMaxRows - std::min(live, kMaxRows);
  const std::string jump = live != 0 && live < order.size()
                               ? "<p><a href=\"#ended\">Ended runs</a></p>\n"
                               : "";
  std::string out =
      jump + Table("Live runs", "live", all.first(live), kMaxRows, links, now) +
      Table("Ended runs", "ended", all.subspan(live), left, links, now);
  if (order.size() > kMaxRows) {
    out += "<p>" + std::to_string(order.size() - kMaxRows) +
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
                        const PageLinks& links, std::string_view telemetry_path,
                        double now) {
  const bool ready = snapshot != nullptr && snapshot->ready;
  const bool any = snapshot != nullptr && !snapshot->runs.empty();
  const auto link = [&](std::string_view path, const char* text) {
    return "<a href=" + PageHref(links, path) + ">" + text + "</a>\n";
  };
  std::string out = PageBegin(links, "Training runs",
                              link(EncodePath(telemetry_path), "Metrics") +
                                  link("/api/v1/runs", "JSON") +
                                  link("/runbooks/", "Runbooks") +
                                  link("/-/healthy", "Exporter health") +
                                  link("/-/ready", "Exporter readiness")) +
                    "<h1>Training runs</h1>\n";
  if (any && !ready) {
    out +=
        "<p class=\"dim\">The first pass over the files is under way: "
        "more runs may follow.</p>\n";
  }
  out += any ? Tables(*snapshot, links, now) : NoRuns(ready);
  return out +
         PageEnd("<p>rlrun_exporter " +
                 EscapeHtml(version.empty() ? "of unknown version" : version) +
                 "</p>");
}

std::string LandingPagePolicy() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_Digest(kPageStyle.data(), kPageStyle.size(), hash.data(), &size,
             EVP_sha256(), nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
  EVP_EncodeBlock(text.data(), hash.data(), static_cast<int>(size));
  return "default-src 'none'; img-src 'self'; style-src 'sha256-" +
         std::string(reinterpret_cast<const char*>(text.data())) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace rlrun
