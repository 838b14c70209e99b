#include "exporter/exposition/repeated_block.h"

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

bool Same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

void RepeatedBlock::Set(SampleBlock block, std::span<const double> values) {
  samples_.clear();
  samples_.reserve(block.samples);
  const std::string_view text = block.text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    // A value has no space; labels may.
    const std::size_t value = text.rfind(' ', end) + 1;
    samples_.push_back({values[samples_.size()],
                        static_cast<std::uint32_t>(value),
                        static_cast<std::uint32_t>(end)});
    begin = end + 1;
  }
  block_ = std::make_shared<const SampleBlock>(std::move(block));
}

void RepeatedBlock::Revise(std::span<const double> values) {
  std::size_t i = 0;
  while (i < values.size() && Same(samples_[i].value, values[i])) ++i;
  if (i == values.size()) return;
  const std::string_view old = block_->text;
  auto next = std::make_shared<SampleBlock>();
  next->samples = block_->samples;
  next->slices = block_->slices;
  next->families = block_->families;
  next->in_order = block_->in_order;
  std::string& text = next->text;
  text.reserve(old.size() + old.size() / 32 + 16);
  auto slice = next->slices.begin();
  std::size_t copied = 0;  // of the old text
  for (; i < values.size(); ++i) {
    Sample& sample = samples_[i];
    // By how much the text before this value is longer than it was; unsigned,
    // as whatever it is added to.
    const auto shift = static_cast<std::uint32_t>(text.size() - copied);
    while (slice != next->slices.end() && slice->begin <= sample.begin) {
      slice->begin += shift;
      ++slice;
    }
    if (Same(sample.value, values[i])) {
      sample.begin += shift;
      sample.end += shift;
      continue;
    }
    text.append(old.substr(copied, sample.begin - copied));
    copied = sample.end;
    sample.value = values[i];
    sample.begin = static_cast<std::uint32_t>(text.size());
    AppendDouble(&text, values[i]);
    sample.end = static_cast<std::uint32_t>(text.size());
  }
  text.append(old.substr(copied));
  for (std::size_t s = 0; s < next->slices.size(); ++s) {
    const std::size_t end =
        s + 1 < next->slices.size() ? next->slices[s + 1].begin : text.size();
    next->slices[s].size =
        static_cast<std::uint32_t>(end) - next->slices[s].begin;
  }
  block_ = std::move(next);
}

}  // namespace rlrun
