#include "exporter/report/trial_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "exporter/report/page_frame.h"
#include "parsers/model/trial_result.h"

namespace rlrun {
namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 28;

std::string Share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  const double percent =
      100 * static_cast<double>(part) / static_cast<double>(whole);
  std::array<char, 32> text;
  const char* format = percent > 0 && percent < 10 ? "%.1f %%" : "%.0f %%";
  const int n = std::snprintf(text.data(), text.size(), format, percent);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

struct Part {
  std::string name;
  std::uint64_t count = 0;
  std::size_t colour = 0;  // class c0, c1, ...
};

// In the order of the reasons, each in a colour of its own.
std::vector<Part> Parts(const ReportTrials& trials) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kTrialReasons; ++i) {
    const std::string name(kTrialReasonNames[i]);
    const auto it = trials.reasons.find(name);
    if (it != trials.reasons.end()) parts.push_back({name, it->second, i});
  }
  return parts;
}

std::string Sentence(const std::vector<Part>& parts, std::uint64_t all) {
  std::string out = std::to_string(all) + " finished trials: ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : ", ") + Words(parts[i].name) + " " +
           std::to_string(parts[i].count) + " (" + Share(parts[i].count, all) +
           ")";
  }
  return out;
}

std::string Bar(const std::vector<Part>& parts, std::uint64_t all) {
  std::string out =
      "<svg class=\"stack\" role=\"img\" viewBox=\"0 0 1000 28\" "
      "preserveAspectRatio=\"none\" aria-label=\"" +
      Sentence(parts, all) + "\">";
  double x = 0;
  for (const Part& part : parts) {
    const double width =
        kWidth * static_cast<double>(part.count) / static_cast<double>(all);
    std::array<char, 96> text;
    const int n =
        std::snprintf(text.data(), text.size(),
                      "<rect class=\"c%zu\" x=\"%.2f\" width=\"%.2f\" "
                      "height=\"%.0f\">",
                      part.colour, x, width, kHeight);
    out.append(text.data(), static_cast<std::size_t>(std::max(n, 0)));
    out += "<title>" + Words(part.name) + ": " + std::to_string(part.count) +
           "</title></rect>";
    x += width;
  }
  return out + "</svg>\n";
}

std::string Legend(const std::vector<Part>& parts, std::uint64_t all) {
  std::string out = "<ul class=\"legend\">";
  for (const Part& part : parts) {
    out +=
        "<li><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><rect "
        "class=\"c" +
        std::to_string(part.colour) +
        "\" width=\"8\" height=\"8\"></rect></svg>" + Words(part.name) +
        " <b>" + std::to_string(part.count) + "</b> <span class=\"dim\">" +
        Share(part.count, all) + "</span></li>";
  }
  return out + "</ul>\n";
}

std::string Numbers(const ReportTrials& trials) {
  std::string out =
      "<p>Since the start, all splits: " + std::to_string(trials.scored) +
      " of " + std::to_string(trials.finished) + " scored (coverage " +
      Share(trials.scored, trials.finished) + ")";
  if (trials.scored != 0) {
    out += "; " + std::to_string(trials.solved) + " of them solved (" +
           Share(trials.solved, trials.scored) + ")";
  }
  if (trials.reward_mean) {
    out += ", mean reward " + ReportNumber(*trials.reward_mean);
  }
  out += ". Running " + std::to_string(trials.running) + ", stuck " +
         std::to_string(trials.stuck) + ".</p>\n";
  std::string dropped;
  for (const auto& [reason, n] : trials.dropped) {
    dropped +=
        (dropped.empty() ? "" : ", ") + Words(reason) + " " + std::to_string(n);
  }
  if (!dropped.empty()) {
    out += "<p class=\"dim\">Dropped by the trainer: " + Isolated(dropped) +
           ".</p>\n";
  }
  return out;
}

}  // namespace

std::string TrialsHtml(const ReportTrials& trials) {
  std::string out =
      "<section aria-labelledby=\"trials\"><h2 id=\"trials\">Trials</h2>\n"
      "<div class=\"card\">\n";
  if (!trials.complete) {
    out += "<p>Not all trial directories have been read yet.</p>\n";
  } else {
    const std::vector<Part> parts = Parts(trials);
    if (trials.finished != 0) {
      out += Bar(parts, trials.finished) + Legend(parts, trials.finished);
    }
    out += Numbers(trials);
  }
  return out + "</div></section>\n";
}

}  // namespace rlrun
