#include "exporter/report/report_text.h"

#include <cmath>
#include <string_view>

#include "exporter/report/advice.h"
#include "exporter/report/check_words.h"
#include "exporter/report/plain_text.h"
#include "exporter/report/run_match.h"

namespace rlrun {
namespace {

std::string_view Mark(const RunReport& r) {
  if (IsEnded(r.state)) return "⚫";
  if (r.decision == Decision::kStop || r.health == Health::kCritical) {
    return "🔴";
  }
  return r.health == Health::kAtRisk ? "🟡" : "🟢";
}

std::string_view Word(const RunReport& r) {
  if (IsEnded(r.state))
    return kRunStateNames[static_cast<std::size_t>(r.state)];
  if (r.decision == Decision::kStop) return "recommend stopping";
  if (r.health == Health::kCritical) return "critical";
  return r.health == Health::kAtRisk ? "at risk" : "healthy";
}

std::string Capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

class TextWriter {
 public:
  TextWriter(const RunReport& report, ReportStyle style, std::string* out)
      : r_(report), markdown_(style == ReportStyle::kMarkdown), out_(*out) {}

  void Write() {
    out_ += "## harbor status — " + Shown(FullName({r_.project, r_.run})) +
            "\n\n**";
    out_ += Mark(r_);
    out_ += " ";
    out_ += Word(r_);
    out_ += "** — " + Shown(r_.headline) + "\n\n";
    Stage();
    Processes();
    bool also = false;
    for (const ReportLine& line : r_.lines) {
      if (line.name == "also") {
        also = true;
        Rollouts();
      }
      Values(line);
    }
    if (!also) Rollouts();
    if (!r_.log_text.empty()) Line("log", r_.log_text);
    Quality();
    Unknown();
    Files();
    const std::string fence = markdown_ ? MarkdownFence(block_) : "";
    out_ += fence + block_ + fence;
    Diagnosis();
    RecoveredList();
    RecommendationList();
  }

 private:
  // Text of others, in a line that a reader of Markdown reads.
  std::string Shown(std::string_view text) const {
    return markdown_ ? MarkdownText(text) : PlainText(text);
  }
  std::string Quoted(std::string_view text) const {
    return markdown_ ? MarkdownCode(text) : PlainText(text);
  }

  // One line of the block, as it is.
  void Line(std::string_view name, std::string_view text) {
    block_ += "  ";
    block_ += name;
    block_.append(name.size() < 9 ? 9 - name.size() : 1, ' ');
    block_ += PlainText(text);
    block_ += '\n';
  }

  void Stage() {
    std::string text;
    if (r_.step) {
      text += "step " + std::to_string(*r_.step) + "/" +
              (r_.total_steps ? std::to_string(*r_.total_steps) : "?");
    } else {
      text += "no step yet";
      if (r_.total_steps) text += " of " + std::to_string(*r_.total_steps);
    }
    if (r_.epoch) text += " (epoch " + ReportNumber(*r_.epoch) + ")";
    if (!r_.phase.empty()) {
      text += " · phase " + r_.phase;
      if (r_.phase_seconds) text += " for " + ShortDuration(*r_.phase_seconds);
    }
    if (r_.running_seconds) {
      text += (IsEnded(r_.state) ? " · ran " : " · running ") +
              LongDuration(*r_.running_seconds);
    }
    if (r_.seconds_per_step) {
      text += " · ~" + MinutesText(*r_.seconds_per_step) +
              " min/step (mean of the last " +
              std::to_string(r_.averaged_steps) + ")";
    }
    if (r_.silence_seconds) {
      text +=
          " · log last written " + ShortDuration(*r_.silence_seconds) + " ago";
    }
    if (r_.record_seconds) {
      text += " · record updated " + ShortDuration(*r_.record_seconds) + " ago";
    }
    if (r_.attempts && *r_.attempts > 1) {
      text += " · attempt " + std::to_string(*r_.attempts);
    }
    Line("stage", text);
  }

  void Processes() {
    if (r_.processes.empty() && !r_.gpus) return;
    std::string text;
    for (const ReportProcess& p : r_.processes) {
      if (!text.empty()) text += "  ";
      text += p.role + "=" + (p.pid ? std::to_string(*p.pid) : "gone");
    }
    if (r_.gpus) {
      if (!text.empty()) text += "  ";
      text += "GPUs in use: " + std::to_string(*r_.gpus);
    }
    Line("procs", text);
  }

  void Values(const ReportLine& line) {
    std::string text;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      const ReportValue& v = line.values[i];
      if (!text.empty()) text += "  ";
      text += v.label + "=" + ReportNumber(v.value);
      const bool last =
          i + 1 == line.values.size() || line.values[i + 1].step != v.step;
      if (v.step && last) text += " (step " + std::to_string(*v.step) + ")";
    }
    if (!line.note.empty()) text += (text.empty() ? "" : "  ") + line.note;
    Line(line.name, text);
  }

  void Rollouts() {
    if (!r_.rollouts) return;
    const ReportRollouts& all = *r_.rollouts;
    std::string text;
    if (all.count) text = std::to_string(*all.count);
    if (!all.newest.empty()) {
      text += (text.empty() ? "newest " : ", newest ") +
              std::to_string(all.newest.back().id) + "; last " +
              std::to_string(all.newest.size()) + ":";
      for (const RecordedRollout& rollout : all.newest) {
        text +=
            " " + (rollout.samples ? std::to_string(*rollout.samples) : "?") +
            "/" +
            (rollout.mean_reward ? ReportNumber(*rollout.mean_reward) : "?") +
            "/" + (rollout.seconds ? ShortDuration(*rollout.seconds) : "?");
      }
    }
    Line("rollouts", text);
  }

  void Quality() {
    std::string text;
    if (r_.decision) {
      text = "Decision: " +
             Capitals(kDecisionNames[static_cast<std::size_t>(*r_.decision)]);
      if (!r_.decision_reason.empty()) text += " — " + r_.decision_reason;
      text += " · ";
    }
    text += "Data source: " + r_.data_source + " · Baseline: " + r_.baseline;
    for (std::size_t i = 0; i < r_.thin.size(); ++i) {
      text += (i == 0 ? " · Evidence is thin: " : ", ") + r_.thin[i];
    }
    Line("quality", text);
  }

  void Unknown() {
    if (r_.unknown.empty()) return;
    std::string text;
    for (const std::string& name : r_.unknown) {
      text += (text.empty() ? "not stated: " : ", ") + name;
    }
    Line("facts", text);
  }

  // Only where the path of a source is not all of it.
  void Files() {
    std::string text;
    for (const ReportSource& s : r_.sources) {
      if (s.files < 2) continue;
      text += (text.empty() ? "" : " · ") + s.name + ": " +
              std::to_string(s.files) + ", the first " + s.path +
              ", the newest " + s.newest_path;
    }
    if (!text.empty()) Line("files", text);
  }

  void Diagnosis() {
    out_ += "\n**Diagnosis**\n";
    const std::vector<const Finding*> active = ActiveFindings(r_.findings);
    for (const Finding* f : active) OneFinding(*f);
    if (active.empty()) out_ += "no known signature matched\n";
    for (const CheckResult& check : r_.checks) {
      if (check.failed()) OneCheck(check);
    }
  }

  void OneFinding(const Finding& f) {
    out_ += "- " + Shown(f.name) + " (" + std::string(LevelName(f.level));
    if (f.since_step) out_ += ", since step " + std::to_string(*f.since_step);
    out_ += ")";
    if (!f.means.empty()) out_ += ": " + Shown(f.means);
    out_ += "\n";
    std::string text;
    for (const Evidence& e : f.evidence) {
      if (!text.empty()) text += ", ";
      text += e.key.str() + "=" + EvidenceNumber(e.key, e.value);
      if (const auto words = EvidenceWords(e.key); !words.empty()) {
        text += " (" + std::string(words) + ")";
      }
      if (e.step >= 0) text += " at step " + std::to_string(e.step);
      if (!e.bound) continue;
      text += SideOf(e) == Side::kAbove   ? " (above the bound "
              : SideOf(e) == Side::kBelow ? " (below the bound "
                                          : " (bound ";
      text += EvidenceNumber(e.key, *e.bound) + ")";
    }
    if (!f.detail.empty()) text += (text.empty() ? "" : "; ") + f.detail;
    if (!text.empty()) out_ += "  evidence: " + Quoted(text) + "\n";
  }

  void OneCheck(const CheckResult& check) {
    std::string text =
        check.label.empty() ? check.key.str() : std::string(check.label);
    if (check.value) text += "=" + ReportNumber(*check.value);
    if (check.step) text += " at step " + std::to_string(*check.step);
    if (check.min) {
      text += (IsOpenAtMin(check) ? ", healthy > " : ", healthy >= ") +
              ReportNumber(*check.min);
    }
    if (check.max) text += ", healthy <= " + ReportNumber(*check.max);
    if (!check.min && !check.max) {
      const std::string range = HealthyRange(check);
      if (!range.empty()) text += ", healthy: " + range;
    }
    out_ += "- check " + Shown(check.name) + ": " + Quoted(text) +
            ", out of range " + OutOfRange(check) + "\n";
  }

  void RecoveredList() {
    if (r_.recovered.empty()) return;
    out_ += "\n**Recovered**\n";
    for (const Recovered& item : r_.recovered) {
      out_ += "- " + Shown(item.name) + ": cleared at step " +
              std::to_string(item.step) + "\n";
    }
  }

  void RecommendationList() {
    if (r_.recommendations.empty()) return;
    out_ += "\n**Recommendations**\n";
    for (std::size_t i = 0; i < r_.recommendations.size(); ++i) {
      out_ +=
          std::to_string(i + 1) + ". " + Shown(r_.recommendations[i]) + "\n";
    }
  }

  const RunReport& r_;
  bool markdown_;
  std::string block_;  // the lines of values
  std::string& out_;
};

}  // namespace

void AppendReport(const RunReport& report, ReportStyle style,
                  std::string* out) {
  TextWriter(report, style, out).Write();
}

std::string ReportSummary(const RunReport& r, ReportStyle style) {
  const auto shown = [style](std::string_view text) {
    return style == ReportStyle::kMarkdown ? MarkdownText(text)
                                           : PlainText(text);
  };
  std::string out(Mark(r));
  out += " " + shown(FullName({r.project, r.run})) + " — ";
  out += Word(r);
  if (r.step) {
    out += ", step " + std::to_string(*r.step);
    if (r.total_steps) out += "/" + std::to_string(*r.total_steps);
  }
  if (r.silence_seconds) {
    out += ", log last written " + ShortDuration(*r.silence_seconds) + " ago";
  }
  return out + ": " + shown(r.headline);
}

int ReportExitCode(const RunReport& report) {
  return static_cast<int>(report.health);
}

}  // namespace rlrun
