// A block that is made again and again of the same samples with other values:
// what lies between the values is copied, not written anew.
// Not thread-safe; the blocks it gives out are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exporter/exposition/sample_block.h"

namespace rlrun {

class RepeatedBlock {
 public:
  // What Revise() starts from: samples as BlockBuilder::Add writes them, with
  // their values in the order in which they were added.
  void Set(SampleBlock block, std::span<const double> values);
  // There is a block, and its values are where they were added: one that is not
  // in order is to be made anew each time.
  bool can_revise() const { return block_ != nullptr && block_->in_order; }
  // The samples of the block before, in the order of its text, with `values`,
  // as many as it has samples: the very text that rendering them would give.
  // The same block where no value differs.
  void Revise(std::span<const double> values);

  // The newest one; null before the first Set().
  const std::shared_ptr<const SampleBlock>& block() const { return block_; }
  // What Revise() looks at beside the block, for who wants to ask the memory
  // for it in time.
  std::span<const std::byte> memory() const {
    return std::as_bytes(std::span(samples_));
  }

 private:
  struct Sample {
    double value = 0;
    std::uint32_t begin = 0, end = 0;  // of the value in the text
  };
  std::shared_ptr<const SampleBlock> block_;
  std::vector<Sample> samples_;
};

}  // namespace rlrun
