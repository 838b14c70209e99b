#include "exporter/metrics/engine_series.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"

namespace rlrun {
namespace {

using Header = std::shared_ptr<const FamilyHeader>;
using Value = std::optional<double> EngineReading::*;

struct EngineFamily {
  Header header;
  Value value;
  std::string_view state;  // empty: the family has no label `state`
};

// In the order of the names.
const std::array<EngineFamily, 6>& Families() {
  static const std::array<EngineFamily, 6> families = {{
      {Family("rlrun_engine_generation_tokens_per_second"),
       &EngineReading::generation_rate,
       {}},
      {Family("rlrun_engine_kv_cache_usage_ratio"),
       &EngineReading::kv_cache_usage,
       {}},
      {Family("rlrun_engine_prefix_cache_hit_ratio"),
       &EngineReading::prefix_hit_ratio,
       {}},
      {Family("rlrun_engine_prompt_tokens_per_second"),
       &EngineReading::prompt_rate,
       {}},
      {Family("rlrun_engine_requests"), &EngineReading::running, "running"},
      {Family("rlrun_engine_requests"), &EngineReading::waiting, "waiting"},
  }};
  return families;
}

}  // namespace

EngineSeries::~EngineSeries() {
  if (budget_ != nullptr) budget_->used -= held_;
}

std::shared_ptr<const SampleBlock> EngineSeries::Render(const RunEvents& events,
                                                        std::string_view common,
                                                        double now,
                                                        SeriesBudget* budget) {
  const auto is_current = [now](const RunEngine& e) {
    return e.IsCurrent(now);
  };
  const auto current = static_cast<std::size_t>(
      std::count_if(events.engines.begin(), events.engines.end(), is_current));
  if (block_ != nullptr && version_ == events.version && common_ == common &&
      current_ == current) {
    return block_;
  }
  budget_ = budget;
  if (budget_ != nullptr) budget_->used -= std::exchange(held_, 0);
  BlockBuilder builder;
  builder.Reserve(current * Families().size(), common.size() + 80);
  for (const EngineFamily& family : Families()) {
    for (const RunEngine& engine : events.engines) {
      const std::optional<double>& value = engine.reading.*family.value;
      if (!value || !is_current(engine)) continue;
      if (budget_ != nullptr && budget_->used >= budget_->max) {
        ++budget_->refused;
        continue;
      }
      if (budget_ != nullptr) {
        ++budget_->used;
        ++held_;
      }
      const std::array<Label, 2> labels = {
          Label{"engine", engine.reading.engine}, Label{"state", family.state}};
      builder.Add(family.header, common,
                  {labels.data(), family.state.empty() ? 1u : 2u}, *value);
    }
  }
  block_ = std::make_shared<const SampleBlock>(builder.Build());
  common_ = common;
  version_ = events.version;
  current_ = current;
  return block_;
}

}  // namespace rlrun
