#include "exporter/report/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "exporter/exposition/text.h"
#include "exporter/report/report_lines.h"

namespace rlrun {
namespace {

constexpr std::size_t kThinSteps = 10;
constexpr std::size_t kTrendSteps = 10;
constexpr std::size_t kMaxRecommendations = 3;
constexpr std::size_t kMaxLogText = 200;

std::string Format(const char* format, double value) {
  std::array<char, 64> text;
  const int n = std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

void FillTimes(const ReportInput& input, RunReport* report) {
  const Run& run = input.run;
  report->start_time = run.start_time;
  report->last_step_time = run.last_step_time;
  report->modified_time = run.progress.modified_time;
  if (report->modified_time) {
    report->silence_seconds = std::max(0.0, input.now - *report->modified_time);
  }
  if (run.start_time) {
    const double end = IsEnded(report->state)
                           ? report->modified_time.value_or(input.now)
                           : input.now;
    report->running_seconds = std::max(0.0, end - *run.start_time);
  }
  report->seconds_per_step = run.durations.mean(kTrendSteps);
}

void FillStage(const ReportInput& input, RunReport* report) {
  const Run& run = input.run;
  report->step = run.steps.last_step(LineClass::kTrain);
  report->total_steps = run.total_steps;
  if (run.mode != RunMode::kAsync && run.mode != RunMode::kSao) {
    report->epoch = run.steps.Value("training/epoch");
  }
  if (run.events.phase && !IsEnded(report->state)) {
    report->phase = kRunPhaseNames[static_cast<std::size_t>(*run.events.phase)];
    if (input.phase_since) {
      report->phase_seconds = std::max(0.0, input.now - *input.phase_since);
    }
  }
}

// One line, without control characters, at most `size` bytes and whole
// characters.
std::string OneLine(std::string_view text, std::size_t size) {
  std::string out;
  for (const char c : RepairUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  if (out.size() > size) {
    std::size_t end = size;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) {
      --end;
    }
    out.resize(end);
    out += "...";
  }
  return out;
}

void FillLogText(const Run& run, RunReport* report) {
  const auto& events = run.events;
  const LogText* shown =
      events.last_activity ? &*events.last_activity : nullptr;
  if (events.newest_burst && events.newest_burst->severe &&
      events.burst_is_last()) {
    report->log_text =
        OneLine(events.newest_burst->evidence().text, kMaxLogText);
  } else if (shown != nullptr) {
    report->log_text = OneLine(shown->text, kMaxLogText);
  }
}

void FillThin(const ReportInput& input, RunReport* report) {
  const std::size_t steps = input.judgement.training_steps;
  if (steps < kThinSteps) {
    report->thin.push_back(std::to_string(steps) + " training step" +
                           (steps == 1 ? "" : "s"));
  }
  const auto& skipped = input.run.progress.values_skipped;
  if (skipped[static_cast<std::size_t>(SkipReason::kCut)] != 0) {
    report->thin.emplace_back("a cut line among the inputs");
  }
}

// The facts that rules read; what none of the sources states is named.
void FillUnknown(const ReportInput& input, RunReport* report) {
  constexpr std::array<std::string_view, 9> wanted = {
      "lr",        "lr_scheduler",     "lr_warmup_steps",
      "estimator", "prompts_per_step", "responses_per_prompt",
      "test_freq", "routing_replay",   "max_response_tokens"};
  if (!input.run.total_steps) report->unknown.emplace_back("total_steps");
  const RunFacts none;
  const RunFacts& facts = input.run.facts ? *input.run.facts : none;
  ForEachRunFact([&](std::string_view name, auto field) {
    const bool is_wanted =
        std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (is_wanted && !(facts.*field)) report->unknown.emplace_back(name);
  });
}

std::string Baseline(const ReportInput& input) {
  if (input.rules.baseline.empty()) return "the run's own steps";
  std::string out;
  for (const auto& [key, value] : input.rules.baseline) {
    if (!out.empty()) out += ", ";
    out += key + " " + ReportNumber(value);
    if (const auto now = input.run.steps.Value(key)) {
      out += " (now " + ReportNumber(*now) + ")";
    }
  }
  return out;
}

std::vector<const Finding*> ActiveFindings(const Judgement& judgement) {
  std::vector<const Finding*> out;
  for (const Finding& f : judgement.findings) {
    if (f.level != Level::kNone) out.push_back(&f);
  }
  std::stable_sort(
      out.begin(), out.end(),
      [](const Finding* a, const Finding* b) { return a->level > b->level; });
  return out;
}

void FillRecommendations(const Judgement& judgement, RunReport* report) {
  std::set<std::string_view> said;
  for (const Finding* f : ActiveFindings(judgement)) {
    if (report->recommendations.size() == kMaxRecommendations) return;
    if (f->next.empty() || !said.insert(f->next).second) continue;
    report->recommendations.push_back(std::string(f->name) + ": " +
                                      std::string(f->next));
  }
  for (const CheckResult& check : judgement.checks) {
    if (report->recommendations.size() == kMaxRecommendations) return;
    if (!check.failed() || !said.insert(check.means).second) continue;
    report->recommendations.push_back(std::string(check.name) + ": " +
                                      std::string(check.means));
  }
  if (report->recommendations.empty() && !IsEnded(report->state)) {
    report->recommendations.emplace_back("let it run");
  }
}

std::string Headline(const Judgement& judgement, const RunReport& report) {
  const std::vector<const Finding*> active = ActiveFindings(judgement);
  std::string out;
  for (const Finding* f : active) {
    if (f->level == Level::kInfo) continue;
    out += (out.empty() ? "" : ", ") + std::string(f->name);
    if (f->since_step) out += " since step " + std::to_string(*f->since_step);
  }
  if (out.empty()) {
    for (const CheckResult& check : judgement.checks) {
      if (!check.failed()) continue;
      out += (out.empty() ? "" : ", ") + std::string(check.name) +
             " out of range for " + std::to_string(check.failing_steps) +
             " steps";
    }
  }
  if (IsEnded(report.state) && !report.state_reason.empty()) {
    out = report.state_reason + (out.empty() ? "" : "; " + out);
  }
  if (out.empty()) {
    out = report.state == RunState::kStarting ? "no training step yet"
                                              : "no known signature matched";
  }
  return out;
}

}  // namespace

std::string ReportNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return Format("%.5g", value);
}

std::string LongDuration(double seconds) {
  const auto all = static_cast<long long>(std::max(0.0, seconds));
  std::array<char, 64> text;
  const int n =
      std::snprintf(text.data(), text.size(), "%lld-%02lld:%02lld:%02lld",
                    all / 86400, all / 3600 % 24, all / 60 % 60, all % 60);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

std::string ShortDuration(double seconds) {
  seconds = std::max(0.0, seconds);
  if (seconds < 120) return Format("%.0f s", seconds);
  if (seconds < 2 * 3600) return Format("%.0f min", seconds / 60);
  if (seconds < 2 * 86400) return Format("%.1f h", seconds / 3600);
  return Format("%.1f d", seconds / 86400);
}

RunReport MakeRunReport(const ReportInput& input) {
  const Run& run = input.run;
  const Judgement& judgement = input.judgement;
  RunReport report;
  report.project = run.identity.project;
  report.run = run.identity.run;
  report.framework = run.framework;
  report.mode = RunModeName(run.mode);
  report.path = run.path;
  report.sources = input.sources;
  report.state = judgement.state;
  report.state_reason = judgement.state_reason;
  report.health = judgement.health;
  report.decision = judgement.decision;
  report.decision_reason = judgement.decision_reason;
  report.processes = input.processes;
  report.gpus = input.gpus;
  FillTimes(input, &report);
  FillStage(input, &report);
  FillReportLines(input, &report);
  FillLogText(run, &report);
  report.data_source = run.progress.up ? run.source : "unreachable";
  report.baseline = Baseline(input);
  report.findings = judgement.findings;
  report.checks = judgement.checks;
  report.recovered = judgement.recovered;
  FillThin(input, &report);
  FillUnknown(input, &report);
  report.headline = Headline(judgement, report);
  FillRecommendations(judgement, &report);
  return report;
}

}  // namespace rlrun
