#include "exporter/report/run_page.h"

#include <algorithm>

#include "exporter/report/html.h"
#include "exporter/report/page_style.h"
#include "exporter/report/svg_curve.h"

namespace rlrun {
namespace {

std::string Isolated(std::string_view text) {
  return "<bdi>" + EscapeHtml(text) + "</bdi>";
}

std::string Cell(std::string_view label, const std::string& html,
                 std::string_view style = {}) {
  std::string out = "<td";
  if (!style.empty()) out.append(" class=\"").append(style).append("\"");
  return out + " data-label=\"" + EscapeHtml(label) + "\">" + html + "</td>";
}

class PageWriter {
 public:
  PageWriter(const RunPage& page, const PageLinks& links, double now)
      : page_(page), r_(page.report), links_(links), now_(now) {}

  std::string Write() {
    Head();
    Verdict();
    Diagnosis();
    Recommendations();
    Facts();
    Curves();
    Checks();
    Sources();
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  std::string Name() const {
    return r_.project.empty() ? r_.run : r_.project + "/" + r_.run;
  }
  std::string Href(const std::string& path) const {
    return "\"" + EncodePath(links_.root) + EncodePath(path) + "\"";
  }

  void Head() {
    out_ =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
        "\n<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n";
    if (links_.refresh > 0) {
      out_ += "<meta http-equiv=\"refresh\" content=\"" +
              std::to_string(links_.refresh) + "\">\n";
    }
    out_ += "<title>" + EscapeHtml(Name()) + "</title>\n<style>";
    out_ += kPageStyle;
    out_ += "</style>\n</head>\n<body>\n<main>\n<nav><a href=" + Href("/") +
            ">All runs</a>\n<a href=" +
            Href("/api/v1/runs/" + RunPath(r_.project, r_.run)) +
            ">JSON</a></nav>\n<h1>" + Isolated(Name()) + "</h1>\n";
  }

  void Verdict() {
    const auto state = kRunStateNames[static_cast<std::size_t>(r_.state)];
    const auto health = kHealthNames[static_cast<std::size_t>(r_.health)];
    out_ += "<p class=\"verdict\"><span class=\"" + std::string(state) + "\">" +
            std::string(state) + "</span> · <span class=\"" +
            std::string(health) + "\">" + Words(health) + "</span> — " +
            Isolated(r_.headline) + "</p>\n";
    if (r_.decision) {
      out_ +=
          "<p>Decision: <b>" +
          std::string(kDecisionNames[static_cast<std::size_t>(*r_.decision)]) +
          "</b>";
      if (!r_.decision_reason.empty()) {
        out_ += " — " + Isolated(r_.decision_reason);
      }
      out_ += "</p>\n";
    }
  }

  static std::string Words(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
  }

  void Diagnosis() {
    out_ += "<h2>Diagnosis</h2>\n";
    bool any = false;
    for (const Level level :
         {Level::kCritical, Level::kWarning, Level::kInfo}) {
      for (const Finding& f : r_.findings) {
        if (f.level != level) continue;
        any = true;
        OneFinding(f);
      }
    }
    if (!any) out_ += "<p>No known signature matched.</p>\n";
    for (const Recovered& item : r_.recovered) {
      out_ += "<p class=\"dim\">" + Isolated(item.name) + ": cleared at step " +
              std::to_string(item.step) + ".</p>\n";
    }
  }

  void OneFinding(const Finding& f) {
    const std::string level(LevelName(f.level));
    out_ += "<section class=\"finding\"><h3>" + Isolated(f.name) +
            " <span class=\"" + level + "\">" + level + "</span>";
    if (f.since_step) {
      out_ += " since step " + std::to_string(*f.since_step);
    }
    out_ += "</h3>\n";
    if (!f.means.empty()) out_ += "<p>" + Isolated(f.means) + "</p>\n";
    if (!f.evidence.empty()) {
      out_ += "<p class=\"dim\">Evidence:</p>\n<ul>";
      for (const Evidence& e : f.evidence) {
        out_ += "<li><code>" + Isolated(e.key) +
                "</code> = " + ReportNumber(e.value);
        if (e.step >= 0) out_ += " at step " + std::to_string(e.step);
        if (e.bound) out_ += ", bound " + ReportNumber(*e.bound);
        out_ += "</li>";
      }
      out_ += "</ul>\n";
    }
    if (!f.detail.empty()) out_ += "<p>" + Isolated(f.detail) + "</p>\n";
    if (!f.next.empty()) {
      out_ += "<p><b>Next:</b> " + Isolated(f.next) + "</p>\n";
    }
    out_ += "</section>\n";
  }

  void Recommendations() {
    if (r_.recommendations.empty()) return;
    out_ += "<h2>Recommendations</h2>\n<ol>";
    for (const std::string& text : r_.recommendations) {
      out_ += "<li>" + Isolated(text) + "</li>";
    }
    out_ += "</ol>\n";
  }

  void Fact(std::string_view name, const std::string& html) {
    if (html.empty()) return;
    out_ += "<dt>" + EscapeHtml(name) + "</dt><dd>" + html + "</dd>\n";
  }

  void Facts() {
    out_ += "<h2>Stage</h2>\n<dl>\n";
    std::string step = r_.step ? std::to_string(*r_.step) : "none yet";
    if (r_.total_steps) step += " of " + std::to_string(*r_.total_steps);
    Fact("step", step);
    if (!r_.phase.empty()) {
      std::string phase = EscapeHtml(r_.phase);
      if (r_.phase_seconds) phase += " for " + ShortDuration(*r_.phase_seconds);
      Fact("phase", phase);
    }
    if (r_.seconds_per_step) {
      Fact("time per step", ShortDuration(*r_.seconds_per_step));
    }
    if (r_.running_seconds) {
      Fact(IsEnded(r_.state) ? "ran" : "running",
           LongDuration(*r_.running_seconds));
    }
    if (r_.last_step_time) Fact("last step", AgeText(*r_.last_step_time, now_));
    if (r_.modified_time) {
      Fact("log last written", AgeText(*r_.modified_time, now_));
    }
    Processes();
    for (const ReportLine& line : r_.lines) Values(line);
    Fact("log", r_.log_text.empty() ? "" : Isolated(r_.log_text));
    Fact("data source", Isolated(r_.data_source));
    Fact("baseline", Isolated(r_.baseline));
    std::string unknown;
    for (const std::string& name : r_.unknown) {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
    Fact("not stated", Isolated(unknown.empty() ? "nothing" : unknown));
    out_ += "</dl>\n";
  }

  void Processes() {
    std::string text;
    for (const ReportProcess& p : r_.processes) {
      if (!text.empty()) text += ", ";
      text += p.role + (p.pid ? " " + std::to_string(*p.pid) : " gone");
    }
    if (r_.gpus) {
      text += (text.empty() ? "" : ", ") + std::to_string(*r_.gpus) + " GPUs";
    }
    Fact("processes", EscapeHtml(text));
  }

  void Values(const ReportLine& line) {
    std::string html;
    for (const ReportValue& v : line.values) {
      if (!html.empty()) html += "<br>";
      html += "<code>" + Isolated(v.key) + "</code> = " + ReportNumber(v.value);
      if (v.step) html += " (step " + std::to_string(*v.step) + ")";
    }
    if (!line.note.empty()) {
      html += (html.empty() ? "" : "<br>") + Isolated(line.note);
    }
    Fact(line.name, html);
  }

  void Curves() {
    if (page_.curves.empty()) return;
    out_ += "<h2>Curves over steps</h2>\n<div class=\"curves\">\n";
    for (const Curve& curve : page_.curves) out_ += CurveFigure(curve);
    out_ += "</div>\n";
  }

  void Checks() {
    if (r_.checks.empty()) return;
    out_ +=
        "<h2>Checks</h2>\n<table>\n<thead><tr><th>Check</th><th>Key</th>"
        "<th class=\"n\">Value</th><th>Healthy</th><th>Out of range</th></tr>"
        "</thead>\n<tbody>\n";
    for (const CheckResult& check : r_.checks) {
      std::string range;
      if (check.min) {
        range += (IsOpenAtMin(check) ? "more than " : "at least ") +
                 ReportNumber(*check.min);
      }
      if (check.max) {
        range += (range.empty() ? "" : ", ") + std::string("at most ") +
                 ReportNumber(*check.max);
      }
      const std::string out_of_range =
          check.failing_steps == 0
              ? "no"
              : "for " + std::to_string(check.failing_steps) +
                    (check.failing_steps == 1 ? " step" : " steps");
      out_ +=
          "<tr>" + Cell("Check", Isolated(check.name)) +
          Cell("Key", "<code>" + Isolated(check.key) + "</code>", "run") +
          Cell("Value", check.value ? ReportNumber(*check.value) : "-", "n") +
          Cell("Healthy", range.empty() ? "-" : range) +
          Cell("Out of range", out_of_range, check.failed() ? "warning" : "") +
          "</tr>\n";
    }
    out_ += "</tbody>\n</table>\n";
    for (const CheckResult& check : r_.checks) {
      if (check.failed()) {
        out_ += "<p><b>" + Isolated(check.name) +
                "</b>: " + Isolated(check.means) + "</p>\n";
      }
    }
  }

  void Sources() {
    out_ += "<h2>Sources</h2>\n<dl>\n";
    for (const ReportSource& s : r_.sources) {
      Fact(s.name, "<code>" + Isolated(s.path) + "</code>" +
                       (s.up ? ""
                             : " <span class=\"warning\">cannot be read"
                               "</span>"));
    }
    out_ += "</dl>\n";
  }

  const RunPage& page_;
  const RunReport& r_;
  const PageLinks& links_;
  const double now_;
  std::string out_;
};

}  // namespace

std::string RunPath(std::string_view project, std::string_view run) {
  return std::string(project.empty() ? "-" : project) + "/" + std::string(run);
}

std::string RunPageHtml(const RunPage& page, const PageLinks& links,
                        double now) {
  return PageWriter(page, links, now).Write();
}

}  // namespace rlrun
