#include "exporter/web/landing_page.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rlrun {
namespace {

constexpr std::size_t kMaxRows = 1000;

// Wide: a table. Narrow: each run is a card whose cells carry their column's
// name.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--fg:#1c2024;--bg:#fff;--dim:#60646c;
--line:#d9d9e0;--head:#f4f4f6;--link:#0b5cad}
@media(prefers-color-scheme:dark){:root{--fg:#edeef0;--bg:#111113;
--dim:#b0b4ba;--line:#363a3f;--head:#1c1d20;--link:#70b8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.25rem;color:var(--fg);
background:var(--bg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0}
h2{font-size:1.1rem;margin:1.5rem 0 .5rem}
p{margin:.25rem 0;max-width:46rem}
a{color:var(--link)}
nav{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;margin:.75rem 0}
.dim{color:var(--dim)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;
border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{background:var(--head);font-weight:600;white-space:nowrap}
td.run{min-width:10rem}
td.n,th.n{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
td.path{font:.85rem/1.6 ui-monospace,monospace;color:var(--dim)}
@media(max-width:40rem){
thead{display:none}
table,tbody,tr,td{display:block}
tr{border:1px solid var(--line);border-radius:.4rem;margin:0 0 .75rem;
padding:.3rem 0}
td,td.n,td.run{border:0;padding:.15rem .75rem;text-align:left;white-space:normal;
min-width:0}
td::before{content:attr(data-label) ": ";color:var(--dim);
font-family:system-ui,sans-serif}
}
)";

// Characters that mean something in HTML or in an URL, out of a path.
std::string EncodePath(std::string_view path) {
  constexpr std::string_view kKept = "/-._~!$()*+,;=:@";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9');
    if (letter || kKept.find(c) != kKept.npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

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

std::string Row(const RunSummary& run, double now) {
  const std::string age =
      run.last_step_time ? AgeText(*run.last_step_time, now) : "unknown";
  return "<tr>" + Cell("", "Project", run.project.empty() ? "-" : run.project) +
         Cell("run", "Run", run.run) + Cell("n", "Step", StepText(run)) +
         Cell("n", "Last step", age) + Cell("path", "Log", run.path) +
         "</tr>\n";
}

std::string Table(const Snapshot& snapshot, double now) {
  std::string out =
      "<table>\n<thead><tr><th>Project</th><th>Run</th><th class=\"n\">Step"
      "</th><th class=\"n\">Last step</th><th>Log</th></tr></thead>\n"
      "<tbody>\n";
  const std::size_t rows = std::min(snapshot.runs.size(), kMaxRows);
  for (std::size_t i = 0; i < rows; ++i) out += Row(snapshot.runs[i], now);
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

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : RepairUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          out += "\xEF\xBF\xBD";
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string AgeText(double time, double now) {
  const double age = now - time;
  if (!std::isfinite(age)) return "unknown";
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits = {
      {{86400, " d ago"}, {3600, " h ago"}, {60, " min ago"}, {1, " s ago"}}};
  for (const Unit& unit : kUnits) {
    // Two of a unit at least, so that the number keeps its precision.
    if (age >= 2 * unit.seconds || unit.seconds <= 1) {
      const double count = std::min(std::max(age, 0.0) / unit.seconds, 1e9);
      return std::to_string(static_cast<std::int64_t>(count)) + unit.name;
    }
  }
  return "unknown";
}

std::string LandingPage(const Snapshot* snapshot, std::string_view version,
                        const LandingLinks& links, double now) {
  const bool ready = snapshot != nullptr && snapshot->ready;
  const bool any = snapshot != nullptr && !snapshot->runs.empty();
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>rlrun_exporter</title>\n<style>";
  out.append(kStyle).append("</style>\n</head>\n<body>\n");
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
  out += any ? Table(*snapshot, now) : NoRuns(ready);
  return out + "</body>\n</html>\n";
}

std::string LandingPagePolicy() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_Digest(kStyle.data(), kStyle.size(), hash.data(), &size, EVP_sha256(),
             nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
  EVP_EncodeBlock(text.data(), hash.data(), static_cast<int>(size));
  return "default-src 'none'; style-src 'sha256-" +
         std::string(reinterpret_cast<const char*>(text.data())) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace rlrun
