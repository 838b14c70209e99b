#include "exporter/report/status_choice.h"

#include <algorithm>
#include <utility>

#include "exporter/report/plain_text.h"
#include "exporter/report/run_match.h"

namespace rlrun {
namespace {

constexpr std::size_t kNearestNames = 5;

bool Lives(const RunReport& report) { return !IsEnded(report.state); }

std::vector<RunName> Names(const std::vector<RunReport>& reports) {
  std::vector<RunName> names;
  names.reserve(reports.size());
  for (const RunReport& r : reports) {
    RunName name{r.project, r.run};
    for (const std::string& id : {r.run_id, r.app_id, r.metric_run_id}) {
      if (!id.empty()) name.ids.push_back(id);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string ListOf(const std::vector<std::size_t>& indices,
                   const std::vector<RunName>& names) {
  std::string out;
  for (const std::size_t i : indices)
    out += "\n  " + PlainText(FullName(names[i]));
  return out;
}

// The worst first; of equal ones in the order of their names.
void SortWorstFirst(const std::vector<RunReport>& reports,
                    std::vector<std::size_t>* indices) {
  std::stable_sort(indices->begin(), indices->end(),
                   [&](std::size_t a, std::size_t b) {
                     return reports[a].health > reports[b].health;
                   });
}

bool IsAskedFor(const RunReport& report,
                const std::vector<std::string>& paths) {
  return std::any_of(
      report.sources.begin(), report.sources.end(), [&](const auto& source) {
        return std::find(paths.begin(), paths.end(), source.path) !=
               paths.end();
      });
}

StatusChoice ChooseByName(const std::vector<RunReport>& reports,
                          std::string_view run) {
  StatusChoice choice;
  const std::vector<RunName> names = Names(reports);
  choice.full = MatchRuns(run, names);
  if (choice.full.size() == 1) return choice;
  choice.error = choice.full.empty() ? "no run is called " : "ambiguous: ";
  choice.error += PlainText(run);
  const std::vector<std::size_t> near =
      choice.full.empty() ? NearestRuns(run, names, kNearestNames)
                          : choice.full;
  if (!near.empty()) {
    choice.error += choice.full.empty() ? "; there are" : " may be";
    choice.error += ListOf(near, names);
  }
  choice.full.clear();
  return choice;
}

std::string TailText(const std::vector<std::string>& lines, ReportStyle style) {
  std::string block;
  for (const std::string& line : lines) block += PlainText(line) + "\n";
  const std::string fence =
      style == ReportStyle::kMarkdown ? MarkdownFence(block) : "";
  return "\n**Log**\n" + fence + block + fence;
}

}  // namespace

StatusChoice ChooseRuns(const std::vector<RunReport>& reports,
                        std::string_view run,
                        const std::vector<std::string>& paths) {
  if (!run.empty()) return ChooseByName(reports, run);
  StatusChoice choice;
  if (reports.empty()) return choice;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const bool full = Lives(reports[i]) || IsAskedFor(reports[i], paths);
    (full ? choice.full : choice.listed).push_back(i);
  }
  const bool any_lives = std::any_of(reports.begin(), reports.end(), Lives);
  if (choice.full.empty()) {
    // Of those that have ended, the finished ones come first.
    const auto last = std::max_element(
        choice.listed.begin(), choice.listed.end(),
        [&](std::size_t a, std::size_t b) {
          const auto key = [&](std::size_t i) {
            return std::pair(reports[i].state == RunState::kFinished,
                             reports[i].modified_time);
          };
          return key(a) < key(b);
        });
    const bool finished = reports[*last].state == RunState::kFinished;
    choice.full.push_back(*last);
    choice.listed.erase(last);
    choice.note = finished ? "No run is live; the last finished run:"
                           : "No run is live; the last one:";
  } else if (!any_lives) {
    choice.note = "No run is live.";
  }
  SortWorstFirst(reports, &choice.full);
  SortWorstFirst(reports, &choice.listed);
  return choice;
}

std::string StatusText(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, ReportStyle style,
                       const LogTails& tails) {
  std::string out;
  if (!choice.note.empty()) out += choice.note + "\n\n";
  for (std::size_t n = 0; n < choice.full.size(); ++n) {
    if (n != 0) out += "\n";
    AppendReport(reports[choice.full[n]], style, &out);
    if (n < tails.size() && !tails[n].empty()) out += TailText(tails[n], style);
  }
  if (!choice.listed.empty()) {
    out += "\nOther runs (--run=NAME shows one):\n";
    for (const std::size_t i : choice.listed) {
      out += "- " + ReportSummary(reports[i], style) + "\n";
    }
  }
  return out;
}

int StatusExitCode(const std::vector<RunReport>& reports,
                   const StatusChoice& choice) {
  int worst = 0;
  for (const std::size_t i : choice.full) {
    worst = std::max(worst, ReportExitCode(reports[i]));
  }
  return worst;
}

}  // namespace rlrun
