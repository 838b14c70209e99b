#include "exporter/metrics/run_block.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/judgement_block.h"
#include "exporter/metrics/run_samples.h"
#include "exporter/metrics/trial_block.h"
#include "exporter/store/prefetch.h"

namespace rlrun {
namespace {

// Renders them.
class RunText {
 public:
  explicit RunText(std::string_view common) : common_(common) {
    builder_.Reserve(40, 120);
  }
  void Add(const Header& family, double value) {
    builder_.AddRendered(family, common_, {}, value);
  }
  void Add(const Header& family, Label label, double value) {
    builder_.Add(family, common_, {&label, 1}, value);
  }
  void AddText(const Header& family, Label label, double value) {
    Add(family, label, value);
  }
  void AddTexts(const Header& family, std::span<const Label> labels,
                double value) {
    builder_.Add(family, common_, labels, value);
  }
  SampleBlock Build() { return builder_.Build(); }

 private:
  std::string_view common_;
  BlockBuilder builder_;
};

// Only tells them apart.
class RunShape {
 public:
  explicit RunShape(SampleShape* shape) : shape_(shape) { shape_->Clear(); }
  void Add(const Header& family, double value) {
    shape_->Add(family.get(), 0, value);
  }
  void Add(const Header& family, Label label, double value) {
    shape_->Add(family.get(), SampleShape::Lasting(label.value), value);
  }
  void AddText(const Header& family, Label label, double value) {
    shape_->Add(family.get(), SampleShape::Text(label.value), value);
  }
  void AddTexts(const Header& family, std::span<const Label> labels,
                double value) {
    std::uint64_t all = 0;
    for (const Label& label : labels) {
      all = SampleShape::Both(all, SampleShape::Text(label.value));
    }
    shape_->Add(family.get(), all, value);
  }

 private:
  SampleShape* shape_;
};

}  // namespace

RunSeries::RunSeries(std::shared_ptr<FamilyTable> table)
    : table_(std::move(table)) {}

RunSeries::~RunSeries() {
  for (const StepKey* key : keys_) {
    if (key != nullptr) table_->Release(key);
  }
  if (trial_budget_ != nullptr) trial_budget_->used -= trial_held_;
}

void RunSeries::AcquireKeys(const Run& run) {
  const std::size_t known = keys_.size();
  const std::size_t count = run.steps.key_count();
  if (known == count) return;
  keys_.reserve(count);
  for (std::size_t i = known; i < count; ++i) {
    keys_.push_back(table_->Acquire(run.steps.key(i)));
    if (keys_[i] != nullptr) order_.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order_.begin(), order_.end(),
            [this](std::uint32_t a, std::uint32_t b) {
              const StepFamily* left = keys_[a]->family;
              const StepFamily* right = keys_[b]->family;
              return left == right ? a < b : left->name < right->name;
            });
  values_.resize(count);
  current_.assign(count, 0);
}

void RunSeries::UpdateCommon(const Run& run) {
  if (!common_.empty() && identity_ == run.identity) return;
  identity_ = run.identity;
  common_.clear();
  std::vector<Label> labels = {{"run", run.identity.run},
                               {"project", run.identity.project}};
  for (const auto& [name, value] : run.labels) {
    // The configuration refuses other names; a broken line would cost the
    // whole scrape.
    if (table_->step_families().AllowsStaticLabel(name)) {
      labels.push_back({name, value});
    }
  }
  AppendLabels(&common_, labels);
}

void RunSeries::Prefetch(std::size_t stage) const {
  if (stage == 0) {
    PrefetchBytes(keys_.data(), std::as_bytes(std::span(keys_)).size());
    PrefetchTail(order_, order_.size());
    PrefetchTail(values_, values_.size());
    PrefetchTail(current_, current_.size());
    PrefetchTail(shown_, shown_.size());
  }
  for (const RepeatedBlock* block : {&steps_, &run_, &judged_.block()}) {
    const SampleBlock* made = block->block().get();
    if (made == nullptr) continue;
    if (stage == 0) {
      PrefetchBytes(block->memory().data(), block->memory().size());
      PrefetchBytes(made, sizeof *made);
    } else {
      PrefetchBytes(made->text.data(), 256);
      PrefetchTail(made->slices, made->slices.size());
      // Counts stand in front of what make_shared() has made.
      constexpr std::size_t kCounts = 16;
      PrefetchBytes(
          reinterpret_cast<const char*>(made->families.get()) - kCounts,
          kCounts);
    }
  }
}

std::shared_ptr<const SampleBlock> RunSeries::RenderSteps(const Run& run) {
  AcquireKeys(run);
  UpdateCommon(run);
  const bool same_keys = steps_.block() != nullptr &&
                         steps_generation_ == table_->generation() &&
                         steps_common_ == common_;
  if (same_keys && steps_version_ == run.steps.version()) {
    return steps_.block();
  }
  std::fill(current_.begin(), current_.end(), std::uint8_t{0});
  std::size_t i = 0;
  run.steps.ForEachCurrent([&](std::string_view key, double value) {
    while (run.steps.key(i).data() != key.data()) ++i;
    values_[i] = value;
    current_[i] = 1;
  });
  steps_version_ = run.steps.version();
  shown_values_.clear();
  std::size_t before = 0;
  bool same = same_keys;
  for (const std::uint32_t index : order_) {
    if (current_[index] == 0) continue;
    same = same && before < shown_.size() && shown_[before] == index;
    ++before;
    shown_values_.push_back(values_[index]);
  }
  if (same && before == shown_.size() && steps_.can_revise()) {
    steps_.Revise(shown_values_);
  } else {
    SetSteps();
  }
  return steps_.block();
}

void RunSeries::SetSteps() {
  shown_.clear();
  BlockBuilder builder;
  builder.Reserve(order_.size(), common_.size() + 64);
  for (const std::uint32_t index : order_) {
    if (current_[index] == 0) continue;
    shown_.push_back(index);
    builder.AddRendered(keys_[index]->family->header, common_,
                        keys_[index]->labels, values_[index]);
  }
  steps_.Set(builder.Build(), shown_values_);
  steps_common_ = common_;
  steps_generation_ = table_->generation();
}

std::shared_ptr<const SampleBlock> RunSeries::RenderJudged(
    const Run& run, const Judgement& judgement) {
  UpdateCommon(run);
  return judged_.Render(judgement, common_);
}

std::shared_ptr<const SampleBlock> RunSeries::RenderRun(const Run& run) {
  UpdateCommon(run);
  const std::uint64_t before = run_shape_.hash();
  RunShape shape(&run_shape_);
  RunSamples(&shape).AddAll(run);
  if (run_.can_revise() && run_shape_.hash() == before &&
      run_common_ == common_) {
    run_.Revise(run_shape_.values());
    return run_.block();
  }
  RunText text(common_);
  RunSamples(&text).AddAll(run);
  run_.Set(text.Build(), run_shape_.values());
  run_common_ = common_;
  return run_.block();
}

std::shared_ptr<const SampleBlock> RunSeries::RenderEngines(const Run& run,
                                                            double now) {
  UpdateCommon(run);
  return engines_.Render(run.events, common_, now, run.steps.budget());
}

std::shared_ptr<const SampleBlock> RunSeries::RenderTrials(
    const Run& run, SeriesBudget* budget) {
  UpdateCommon(run);
  std::size_t most = CountExceptionSeries(*run.trials);
  if (trial_budget_ != nullptr) trial_budget_->used -= trial_held_;
  trial_held_ = 0;
  trial_budget_ = budget;
  if (budget != nullptr) {
    const std::size_t left =
        budget->max > budget->used ? budget->max - budget->used : 0;
    if (most > left) budget->refused += most - left;
    most = std::min(most, left);
  }
  std::size_t written = 0;
  auto block = std::make_shared<const SampleBlock>(
      rlrun::RenderTrials(*run.trials, common_, most, &written));
  if (budget != nullptr) budget->used += trial_held_ = written;
  return block;
}

std::shared_ptr<const SampleBlock> RunSeries::RenderProcesses(const Run& run) {
  UpdateCommon(run);
  RunText text(common_);
  RunSamples(&text).AddProcesses(run);
  return std::make_shared<const SampleBlock>(text.Build());
}

}  // namespace rlrun
