#include "exporter/report/run_page.h"

#include <algorithm>

#include "exporter/report/check_words.h"
#include "exporter/report/html.h"
#include "exporter/report/run_diagnosis.h"
#include "exporter/report/run_path.h"
#include "exporter/report/svg_curve.h"
#include "exporter/report/trial_bar.h"

namespace rlrun {
namespace {

class PageWriter {
 public:
  PageWriter(const RunPage& page, const PageLinks& links, double now)
      : page_(page), r_(page.report), links_(links), now_(now) {}

  std::string Write() {
    Head();
    out_ += VerdictHtml(r_);
    Tiles();
    out_ += "<div class=\"" + std::string(IsSick() ? "two" : "one") +
            "\"><div>\n" + DiagnosisHtml(r_, links_) + "</div>\n";
    Lines();
    out_ += "</div>\n";
    Curves();
    if (r_.trials) out_ += TrialsHtml(*r_.trials);
    Checks();
    Sources();
    out_ += PageEnd("<p>Judged at " + UtcText(now_) +
                    " from what the run writes. The exporter only reads; it "
                    "changes nothing of a run.</p>");
    return std::move(out_);
  }

 private:
  std::string Name() const {
    return r_.project.empty() ? r_.run : r_.project + "/" + r_.run;
  }

  void Head() {
    std::string nav =
        "<a href=" + PageHref(links_, "/") + ">All runs</a>\n<a href=" +
        PageHref(links_, "/api/v1/runs/" + RunPath(r_.project, r_.run)) +
        ">JSON</a>\n<a href=" + PageHref(links_, "/runbooks/") +
        ">Runbooks</a>";
    if (!links_.grafana.empty()) {
      nav += "\n<a href=\"" + EscapeHtml(links_.grafana) +
             "/d/rlrun-run?var-project=" + EncodeQuery(r_.project) +
             "&amp;var-run=" + EncodeQuery(r_.run) + "\">Dashboard</a>";
    }
    out_ = PageBegin(links_, Name(), nav) + "<h1>";
    if (!r_.project.empty()) {
      out_ += "<span class=\"dim\">" + Isolated(r_.project) + "/</span>";
    }
    out_ += Breakable(r_.run) + "</h1>\n";
  }

  // There is something to be said beside the newest values.
  bool IsSick() const {
    return std::any_of(
               r_.findings.begin(), r_.findings.end(),
               [](const Finding& f) { return f.level != Level::kNone; }) ||
           std::any_of(r_.checks.begin(), r_.checks.end(),
                       [](const CheckResult& c) { return c.failed(); });
  }

  void Tile(std::string_view name, const std::string& html) {
    out_ +=
        "<div><dt>" + std::string(name) + "</dt><dd>" + html + "</dd></div>\n";
  }

  void Tiles() {
    out_ += "<dl class=\"tiles\" aria-label=\"Stage\">\n";
    std::string step = r_.step ? std::to_string(*r_.step) : "none yet";
    if (r_.total_steps) {
      step += " <span>of " + std::to_string(*r_.total_steps) + "</span>" +
              ProgressBar(static_cast<double>(r_.step.value_or(0)),
                          static_cast<double>(*r_.total_steps));
    }
    Tile("Step", step);
    if (r_.epoch) Tile("Epoch", ReportNumber(*r_.epoch));
    if (!r_.phase.empty()) {
      std::string phase = Isolated(Words(r_.phase));
      if (r_.phase_seconds) {
        phase += " <span>for " + ShortDuration(*r_.phase_seconds) + "</span>";
      }
      Tile("Phase", phase);
    }
    if (r_.seconds_per_step) {
      Tile("Time per step",
           ShortDuration(*r_.seconds_per_step) + " <span>mean of " +
               std::to_string(r_.averaged_steps) +
               (r_.steps_hold_more ? ", with validation" : "") + "</span>");
    }
    if (r_.running_seconds) {
      Tile(IsEnded(r_.state) ? "Ran" : "Running",
           ShortDuration(*r_.running_seconds));
    }
    if (r_.last_step_time) Tile("Last step", AgeText(*r_.last_step_time, now_));
    if (r_.modified_time && r_.silence_seconds) {
      Tile("Log last written", AgeText(*r_.modified_time, now_));
    }
    if (r_.record_seconds) {
      Tile("Record updated", AgeText(now_ - *r_.record_seconds, now_));
    }
    if (r_.attempts && *r_.attempts > 1) {
      Tile("Attempt", std::to_string(*r_.attempts));
    }
    out_ += "</dl>\n";
  }

  void Fact(std::string_view name, const std::string& html) {
    if (html.empty()) return;
    out_ +=
        "<div><dt>" + EscapeHtml(name) + "</dt><dd>" + html + "</dd></div>\n";
  }

  void Lines() {
    out_ +=
        "<section aria-labelledby=\"values\"><h2 id=\"values\">Newest values"
        "</h2>\n<dl class=\"card lines\">\n";
    Processes();
    for (const ReportLine& line : r_.lines) {
      if (line.name == "also") Rollouts();
      Values(line);
    }
    if (r_.lines.empty() || r_.lines.back().name != "also") Rollouts();
    Fact("log", r_.log_text.empty()
                    ? ""
                    : "<code>" + Isolated(r_.log_text) + "</code>");
    Ids();
    Fact("data source", Isolated(r_.data_source));
    Fact("baseline", Isolated(r_.baseline));
    std::string unknown;
    for (const std::string& name : r_.unknown) {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
    Fact("not stated", unknown.empty() ? "" : Isolated(unknown));
    out_ += "</dl></section>\n";
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
    Fact("processes", text.empty() ? "" : Isolated(text));
  }

  // The newest last, as they came.
  void Rollouts() {
    if (!r_.rollouts) return;
    const ReportRollouts& all = *r_.rollouts;
    std::string html;
    if (all.count) html = std::to_string(*all.count) + " written";
    for (const RecordedRollout& rollout : all.newest) {
      std::string facts;
      const auto add = [&facts](const std::string& fact) {
        facts += (facts.empty() ? "" : ", ") + fact;
      };
      if (rollout.samples) add(std::to_string(*rollout.samples) + " samples");
      if (rollout.mean_reward) {
        add("reward " + ReportNumber(*rollout.mean_reward));
      }
      if (rollout.seconds) add(ShortDuration(*rollout.seconds));
      html += "<div class=\"kv wide\"><span>rollout " +
              std::to_string(rollout.id) +
              (&rollout == &all.newest.back() ? ", the newest" : "") +
              "</span><b>" + facts + "</b></div>";
    }
    Fact("rollouts", html);
  }

  // What the run is called elsewhere; --run takes these too.
  void Ids() {
    std::string html;
    for (const std::string& id : {r_.run_id, r_.app_id, r_.metric_run_id}) {
      if (id.empty()) continue;
      html +=
          (html.empty() ? "<code>" : ", <code>") + Breakable(id) + "</code>";
    }
    Fact("ids", html);
  }

  void Values(const ReportLine& line) {
    std::string html;
    for (const ReportValue& v : line.values) {
      html += "<div class=\"kv\"><code>" + Breakable(v.key) + "</code><b>" +
              ReportNumber(v.value) + "</b></div>";
    }
    std::string note = line.note;
    if (!line.values.empty() && line.values.back().step) {
      note = "step " + std::to_string(*line.values.back().step) +
             (note.empty() ? "" : "; ") + note;
    }
    if (!note.empty()) {
      html += "<div class=\"small dim\">" + Isolated(note) + "</div>";
    }
    Fact(line.name, html);
  }

  void Curves() {
    if (page_.curves.empty()) return;
    out_ +=
        "<section aria-labelledby=\"curves\"><h2 id=\"curves\">Curves over "
        "steps</h2>\n<div class=\"curves\">\n";
    for (const Curve& curve : page_.curves) out_ += CurveFigure(curve);
    out_ += "</div></section>\n";
  }

  void Checks() {
    if (r_.checks.empty()) return;
    out_ +=
        "<section aria-labelledby=\"checks\"><h2 id=\"checks\">Checks</h2>\n"
        "<div class=\"table\"><table role=\"table\" class=\"rows\">\n<thead>"
        "<tr role=\"row\"><th scope=\"col\">Check</th><th scope=\"col\">Key"
        "</th><th scope=\"col\" class=\"n\">Value</th><th scope=\"col\" "
        "class=\"n\">Step</th><th scope=\"col\" "
        "class=\"n\">Healthy</th><th scope=\"col\">Out of range</th></tr>"
        "</thead>\n<tbody>\n";
    for (const CheckResult& check : r_.checks) {
      const std::string key =
          "<code>" + Breakable(check.key) + "</code>" +
          (check.label.empty() ? "" : " " + EscapeHtml(check.label));
      const std::string range = HealthyRange(check);
      const std::string out_of_range =
          check.failing_steps == 0 ? "no" : OutOfRange(check);
      out_ += "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\">" +
              Breakable(check.name) + "</th>" + TableCell("Key", key, "k") +
              TableCell("Value", CheckValue(check), "n") +
              TableCell("Step", check.step ? std::to_string(*check.step) : "-",
                        "n") +
              TableCell("Healthy", range.empty() ? "-" : range, "n") +
              TableCell("Out of range", out_of_range,
                        check.failed() ? "s out" : "s") +
              "</tr>\n";
    }
    out_ += "</tbody>\n</table></div></section>\n";
  }

  void Sources() {
    out_ +=
        "<section aria-labelledby=\"sources\"><h2 id=\"sources\">Sources</h2>\n"
        "<dl class=\"card lines\">\n";
    for (const ReportSource& s : r_.sources) {
      std::string html = "<code>" + Breakable(s.path) + "</code>";
      if (s.files > 1) {
        html += " <span class=\"dim\">the first of " + std::to_string(s.files) +
                " files; the newest:</span> <code>" + Breakable(s.newest_path) +
                "</code>";
      }
      if (!s.up) {
        html += " <span class=\"pill warning\">cannot be read</span>";
      }
      Fact(s.name, html);
    }
    out_ += "</dl></section>\n";
  }

  const RunPage& page_;
  const RunReport& r_;
  const PageLinks& links_;
  const double now_;
  std::string out_;
};

}  // namespace

std::string NoSuchRunHtml(const PageLinks& links, std::string_view name,
                          const std::vector<RunName>& near, bool all) {
  const std::string title = all ? "No such run" : "Not read yet";
  std::string out =
      PageBegin(links, title,
                "<a href=" + PageHref(links, "/") + ">All runs</a>") +
      "<h1>" + title + "</h1>\n<p>There is no run called " + Breakable(name) +
      (all ? ".</p>\n" : " yet.</p>\n");
  if (!all) {
    out +=
        "<p>The first pass over the files is under way: a run appears when its "
        "files have been read to the end once.</p>\n";
  }
  if (!near.empty()) out += "<p>The names nearest to it:</p>\n<ul>\n";
  for (const RunName& run : near) {
    out += "<li><a href=" +
           PageHref(links, "/runs/" + RunPath(run.project, run.run)) + ">" +
           Breakable(FullName(run)) + "</a></li>\n";
  }
  if (!near.empty()) out += "</ul>\n";
  return out + PageEnd("<p>A run that has ended is shown for a day.</p>");
}

std::string RunPageHtml(const RunPage& page, const PageLinks& links,
                        double now) {
  return PageWriter(page, links, now).Write();
}

}  // namespace rlrun
