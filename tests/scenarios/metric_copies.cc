#include "tests/scenarios/metric_copies.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rlrun::scenarios {
namespace {

constexpr std::size_t kBlock = 32768;
constexpr std::string_view kStep = "step:";
constexpr std::string_view kSeparator = " - ";

// As JSON has it; empty: the value is no number.
std::string JsonOf(const std::string& text) {
  if (text == "nan") return "NaN";
  if (text == "inf") return "Infinity";
  if (text == "-inf") return "-Infinity";
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? text : "";
}

double NumberOf(const std::string& json) {
  return std::strtod(json == "Infinity"    ? "inf"
                     : json == "-Infinity" ? "-inf"
                                           : json.c_str(),
                     nullptr);
}

}  // namespace

MetricCopies::MetricCopies(const Scenario& scenario,
                           const ScenarioOptions& options)
    : start_(static_cast<double>(options.start)) {
  const std::string project = scenario.recipe.project;
  wandb_path_ = project + "/" + scenario.name +
                "/wandb/run-20260302_090000-sample/run-sample.wandb";
  events_path_ = "tensorboard_log/" + project + "/" + scenario.name +
                 "/events.out.tfevents.1772442000.host-a.4711.0";
  WandbRun run;
  run.id = "sample";
  run.project = project;
  run.display_name = scenario.name;
  run.start_time = start_;
  run.config = {
      {"trainer", "{\"project_name\": \"" + project +
                      "\", \"experiment_name\": \"" + scenario.name + "\"}"},
      {"data", "{}"}};
  wandb_.Add(WandbRunRecord(run));
}

MetricCopies::Bytes MetricCopies::Take(const Piece& piece) {
  Bytes out;
  if (!has_events_) out.events = EventRecord(FileVersionEvent(start_));
  has_events_ = true;
  std::string_view rest = piece.bytes;
  while (!rest.empty()) {
    const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string text(rest.substr(0, size));
    rest.remove_prefix(size);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
      text.pop_back();
    }
    wandb_.Add(WandbOutput(text));
    const std::size_t at = text.find(kStep);
    const std::size_t first = text.find(kSeparator);
    if (at == std::string::npos || first == std::string::npos || first < at) {
      continue;
    }
    Line line;
    line.step = std::atoll(text.c_str() + at + kStep.size());
    for (std::size_t i = first; i != std::string::npos;) {
      const std::size_t begin = i + kSeparator.size();
      i = text.find(kSeparator, begin);
      const std::string pair = text.substr(begin, i - begin);
      const std::size_t colon = pair.rfind(':');
      if (colon == std::string::npos) continue;
      const std::string json = JsonOf(pair.substr(colon + 1));
      if (!json.empty()) line.values.emplace_back(pair.substr(0, colon), json);
    }
    for (const auto& [key, json] : line.values) {
      out.events += EventRecord(
          Event(piece.at, line.step,
                {SimpleValue(key, static_cast<float>(NumberOf(json)))}));
    }
    if (open_ && open_->step == line.step) {
      for (auto& value : line.values) open_->values.push_back(value);
    } else {
      if (open_) Log(*open_, open_at_);
      open_ = std::move(line);
    }
    open_at_ = piece.at;
  }
  out.wandb = WholeBlocks();
  return out;
}

void MetricCopies::Log(const Line& line, double at) {
  WandbItems items = line.values;
  items.emplace_back("_step", std::to_string(line.step));
  items.emplace_back("_timestamp", std::to_string(at));
  wandb_.Add(WandbSummary(items));
  wandb_.Add(WandbHistory(line.step, items));
}

// The header is written at once, all else block by block.
std::string MetricCopies::WholeBlocks() {
  const std::size_t whole =
      std::max<std::size_t>(wandb_.text().size() / kBlock * kBlock, 7);
  std::string out = wandb_.text().substr(written_, whole - written_);
  written_ = whole;
  return out;
}

std::string MetricCopies::Finish() {
  if (open_) Log(*open_, open_at_);
  open_.reset();
  wandb_.Add(WandbExit(0));
  std::string out = wandb_.text().substr(written_);
  written_ = wandb_.text().size();
  return out;
}

}  // namespace rlrun::scenarios
