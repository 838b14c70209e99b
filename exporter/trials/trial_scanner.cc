#include "exporter/trials/trial_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

constexpr std::string_view kStepPrefix = "step_";
constexpr std::string_view kDropped = "_dropped";
constexpr double kNetworkFactor = 4;

}  // namespace

std::optional<std::uint64_t> StepNumber(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  name.remove_prefix(kStepPrefix.size());
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || error != std::errc() ||
      end != name.data() + name.size()) {
    return std::nullopt;
  }
  return number;
}

TrialScanner::TrialScanner(std::string directory, TrialOptions options,
                           FileSource* source)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      source_(source),
      cache_(options_.cache_dir, directory_),
      dropped_(directory_ + "/" + std::string(kDropped)) {}

double TrialScanner::Pass(double steady, double wall,
                          const std::function<bool()>& go_on) {
  wall_ = wall;
  if (!network_known_) {
    network_known_ = true;
    slower_ = source_->IsNetwork(directory_) ? kNetworkFactor : 1;
  }
  TrialScan scan{*source_, options_, cache_, totals_,
                 go_on,    steady,   wall,   slower_};
  if (!cursor_ && steady >= list_due_) {
    if (!go_on()) return 0;
    list_due_ = steady + options_.interval * slower_;
    if (!ListSteps(&scan)) return options_.interval * slower_;
    dropped_waiting_ = has_dropped_;
  }
  // The newest first: what has changed last is known before a long walk ends.
  auto it = cursor_ ? steps_.upper_bound(*cursor_) : steps_.end();
  cursor_.reset();
  while (it != steps_.begin()) {
    --it;
    if (it->second.due() > steady) continue;
    if (!it->second.Pass(&scan)) {
      cursor_ = it->first;
      return 0;
    }
  }
  if (dropped_waiting_) {
    if (!dropped_.Pass(*source_, go_on, &totals_)) {
      cursor_ = {0, std::string()};  // no step is left
      return 0;
    }
    dropped_waiting_ = false;
  }
  totals_.complete = true;
  cache_.Flush();
  return NextDue(steady);
}

// False: the directory did not answer.
bool TrialScanner::ListSteps(TrialScan* scan) {
  std::vector<DirEntry> entries;
  const IoStatus status = scan->source.List(directory_, &entries);
  totals_.up = status.ok();
  if (!status.ok()) return false;
  for (DirEntry& entry : entries) {
    has_dropped_ = has_dropped_ || entry.name == kDropped;
    const auto number = StepNumber(entry.name);
    if (!number || entry.kind == FileKind::kRegular) continue;
    StepDirectory step(directory_, entry.name);
    steps_.try_emplace({*number, std::move(entry.name)}, std::move(step));
  }
  return true;
}

double TrialScanner::NextDue(double steady) const {
  double next = list_due_;
  for (const auto& [key, step] : steps_) next = std::min(next, step.due());
  return std::max(0.05, next - steady);
}

TrialTotals TrialScanner::totals() const {
  TrialTotals out = totals_;
  const double train = stuck_after_.train.value_or(options_.stuck_after);
  const double val = stuck_after_.val.value_or(options_.stuck_after);
  const std::array<double, kTrialSplits> limits = {train, val,
                                                   std::max(train, val)};
  for (const auto& [key, step] : steps_) {
    step.CountRunning(wall_, limits, &out);
    if (step.changed()) {
      out.newest_change = std::max(out.newest_change.value_or(*step.changed()),
                                   *step.changed());
    }
  }
  return out;
}

}  // namespace rlrun
