#include "exporter/report/run_diagnosis.h"

#include <algorithm>

#include "exporter/report/advice.h"
#include "exporter/report/check_words.h"
#include "exporter/report/html.h"
#include "exporter/report/runbook_page.h"
#include "exporter/report/runbooks.h"

namespace rlrun {
namespace {

std::string Steps(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " step" : " steps");
}

// `bound_name`: what its column is called.
std::string EvidenceRow(const std::string& key, double value, std::int64_t step,
                        std::string_view bound_name, const std::string& bound) {
  const std::string_view words = EvidenceWords(key);
  return "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><code>" +
         Breakable(key) + "</code>" +
         (words.empty()
              ? ""
              : " <span class=\"dim\">" + EscapeHtml(words) + "</span>") +
         "</th>" + TableCell("Value", EvidenceNumber(key, value), "n") +
         TableCell(bound_name, bound, "n") +
         TableCell("Step", step >= 0 ? std::to_string(step) : "-", "n") +
         "</tr>";
}

std::string EvidenceTable(const std::string& rows, std::string_view bound) {
  return "<div class=\"evidence\"><table role=\"table\"><thead><tr "
         "role=\"row\"><th scope=\"col\">Evidence</th><th scope=\"col\" "
         "class=\"n\">Value</th><th scope=\"col\" class=\"n\">" +
         std::string(bound) +
         "</th><th scope=\"col\" class=\"n\">Step</th></tr></thead><tbody>" +
         rows + "</tbody></table></div>\n";
}

// `M_5`, `F`, `T`, `U` in the words of a rule.
bool UsesShorthand(const RunReport& r) {
  return std::any_of(
      r.findings.begin(), r.findings.end(), [](const Finding& f) {
        return f.level != Level::kNone &&
               (f.detail.find("M_") != std::string::npos ||
                f.detail.find("F(") != std::string::npos ||
                std::any_of(f.evidence.begin(), f.evidence.end(),
                            [](const Evidence& e) {
                              return e.key.view().starts_with("M_");
                            }));
      });
}

class DiagnosisWriter {
 public:
  DiagnosisWriter(const RunReport& report, const PageLinks& links)
      : r_(report), links_(links) {}

  std::string Write() {
    Diagnosis();
    Recommendations();
    return std::move(out_);
  }

 private:
  void Diagnosis() {
    out_ +=
        "<section aria-labelledby=\"diagnosis\"><h2 id=\"diagnosis\">Diagnosis"
        "</h2>\n";
    const std::vector<const Finding*> active = ActiveFindings(r_.findings);
    for (const Finding* f : active) OneFinding(*f);
    if (active.empty()) out_ += "<p>No known signature matched.</p>\n";
    StateCards();
    for (const CheckResult& check : r_.checks) {
      if (check.failed()) OneCheck(check);
    }
    if (UsesShorthand(r_)) {
      out_ +=
          "<p class=\"small dim\">M_10 is the median of the newest 10 points "
          "of a key; F is the median of the run's first 5, T of the up to 64 "
          "before the newest.</p>\n";
    }
    for (const Recovered& item : r_.recovered) {
      out_ += "<p class=\"dim\">Recovered: " + Isolated(item.name) +
              ", cleared at step " + std::to_string(item.step) + ".</p>\n";
    }
    out_ += "</section>\n";
  }

  void OneFinding(const Finding& f) {
    const std::string level(LevelName(f.level));
    out_ += "<article class=\"card finding " + level +
            "\"><div class=\"head\"><h3>" + Breakable(f.name) + "</h3>" +
            Pill(level);
    if (f.since_step) {
      out_ += "<span>since step " + std::to_string(*f.since_step);
      if (r_.step && *r_.step > *f.since_step) {
        out_ += " (" +
                Steps(static_cast<std::size_t>(*r_.step - *f.since_step) + 1) +
                ")";
      }
      out_ += "</span>";
    }
    out_ += "</div>\n";
    if (!f.means.empty()) out_ += "<p>" + Isolated(f.means) + "</p>\n";
    std::string rows;
    for (const Evidence& e : f.evidence) {
      rows += EvidenceRow(e.key.str(), e.value, e.step, "Bound",
                          e.bound ? BoundText(e) : "-");
    }
    if (!rows.empty()) out_ += EvidenceTable(rows, "Bound");
    if (!f.detail.empty()) out_ += "<pre>" + Isolated(f.detail) + "</pre>\n";
    Next(f.next);
    out_ += Runbook(RunbookOfSignature(f.name));
    out_ += "</article>\n";
  }

  // What the recommendations do not say already.
  void Next(std::string_view next) {
    if (next.empty() || IsRecommended(next)) return;
    out_ += "<p><b>Next:</b> " + Isolated(next) + "</p>\n";
  }

  void OneCheck(const CheckResult& check) {
    out_ +=
        "<article class=\"card finding warning\"><div class=\"head\"><h3>" +
        Breakable(check.name) +
        "</h3><span class=\"pill warning\">check</span><span>out of range " +
        OutOfRange(check) + "</span></div>\n";
    if (!check.means.empty()) {
      out_ += "<p>" + Isolated(check.means) + "</p>\n";
    }
    if (check.value) {
      out_ += EvidenceTable(
          EvidenceRow(
              check.label.empty() ? check.key.str() : std::string(check.label),
              *check.value, check.step.value_or(-1), "Healthy",
              HealthyRange(check)),
          "Healthy");
    }
    Next(check.next);
    out_ += Runbook(RunbookOfCheck(check.name));
    out_ += "</article>\n";
  }

  // What no finding tells of, and what has a runbook of its own.
  void StateCards() {
    const auto card = [&](const char* title, const char* means,
                          const char* runbook) {
      out_ += "<article class=\"card finding warning\"><h3>" +
              std::string(title) + "</h3>\n<p>" + means + "</p>\n" +
              Runbook(runbook) + "</article>\n";
    };
    if (r_.state == RunState::kLost) {
      card("How it ended is not known",
           "Its log has been silent for hours, and no process of it was seen "
           "on this host.",
           "RLRunLost");
    }
    const bool blind =
        !r_.sources.empty() &&
        std::none_of(r_.sources.begin(), r_.sources.end(),
                     [](const ReportSource& source) { return source.up; });
    if (blind) {
      card("Its files cannot be read",
           "What this page shows is what was known before; it says nothing "
           "about the training now.",
           "RLRunSourceUnreadable");
    }
  }

  // That of the worst finding is unfolded.
  std::string Runbook(std::string_view name) {
    return RunbookFold(links_, name, {r_.project, r_.run, {}}, folds_++ == 0);
  }

  bool IsRecommended(std::string_view sentence) const {
    return std::any_of(r_.recommendations.begin(), r_.recommendations.end(),
                       [&](const std::string& text) {
                         return text.find(sentence) != std::string::npos;
                       });
  }

  void Recommendations() {
    if (r_.recommendations.empty()) return;
    out_ +=
        "<section aria-labelledby=\"todo\"><h2 id=\"todo\">Recommendations"
        "</h2>\n<div class=\"card\"><ol>";
    for (const std::string& text : r_.recommendations) {
      out_ += "<li>" + Isolated(text) + "</li>";
    }
    out_ += "</ol></div></section>\n";
  }

  const RunReport& r_;
  const PageLinks& links_;
  std::string out_;
  int folds_ = 0;
};

}  // namespace

namespace {

// The worst finding in words, else what the first failed check means.
std::string_view InWords(const RunReport& r) {
  const std::vector<const Finding*> active = ActiveFindings(r.findings);
  if (!active.empty() && active.front()->level >= Level::kWarning) {
    return active.front()->means;
  }
  for (const CheckResult& check : r.checks) {
    if (check.failed()) return check.means;
  }
  return {};
}

// The first thing to do about a run that is not well.
std::string_view FirstStep(const RunReport& r) {
  const bool calm = r.health == Health::kHealthy &&
                    (r.decision == Decision::kContinue || !r.decision);
  if (r.recommendations.empty() || (calm && r.state != RunState::kLost))
    return {};
  return r.recommendations.front();
}

}  // namespace

std::string VerdictHtml(const RunReport& r) {
  const auto state = kRunStateNames[static_cast<std::size_t>(r.state)];
  const auto health = kHealthNames[static_cast<std::size_t>(r.health)];
  // Nobody knows whether a run is well that was lost.
  const bool over = IsEnded(r.state) && r.state != RunState::kFinished;
  const std::string_view colour =
      over && r.health == Health::kHealthy ? "over" : health;
  std::string out =
      "<section class=\"verdict " + std::string(colour) +
      "\" aria-label=\"Verdict\"><p class=\"pills\">" +
      (colour == "over" ? "<span class=\"pill\">last seen healthy</span>"
                        : Pill(health)) +
      Pill(state);
  if (r.decision) {
    const auto name = kDecisionNames[static_cast<std::size_t>(*r.decision)];
    out += "<span class=\"pill " + std::string(name) +
           "\">Decision: " + std::string(name) + "</span>";
  }
  out += "</p>\n<p class=\"headline\">" + Isolated(r.headline) + "</p>\n";
  if (const std::string_view words = InWords(r); !words.empty()) {
    out += "<p>" + Isolated(words) + "</p>\n";
  }
  if (const std::string_view first = FirstStep(r); !first.empty()) {
    out += "<p><b>What to do:</b> " + Isolated(first);
    if (r.recommendations.size() > 1) {
      out += " <a href=\"#todo\">All recommendations</a>";
    }
    out += "</p>\n";
  }
  if (!r.decision_reason.empty()) {
    out +=
        "<p class=\"dim\">Why this decision: " + Isolated(r.decision_reason) +
        "</p>\n";
  }
  std::string thin;
  for (const std::string& why : r.thin)
    thin += (thin.empty() ? "" : ", ") + why;
  if (!thin.empty()) {
    out += "<p class=\"dim\">Evidence is thin: " + Isolated(thin) + ".</p>\n";
  }
  return out + "</section>\n";
}

std::string DiagnosisHtml(const RunReport& report, const PageLinks& links) {
  return DiagnosisWriter(report, links).Write();
}

}  // namespace rlrun
