// A block that is made again and again of the same samples with other values:
// what lies between the values is copied, not written anew.
// Not thread-safe; the blocks it gives out are immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exporter/exposition/sample_block.h"

namespace rlrun {

class RepeatedBlock {
 public:
  // What Revise() starts from: samples as BlockBuilder::Add writes them, with
  // their values in the order of the text.
  void Set(SampleBlock block, std::span<const double> values);
  // The samples of the block before, in the order of its text, with `values`,
  // as many as it has samples: the very text that rendering them would give.
  // The same block where no value differs.
  void Revise(std::span<const double> values);

  // The newest one; null before the first Set().
  const std::shared_ptr<const SampleBlock>& block() const { return block_; }

 private:
  struct Place {
    std::uint32_t begin = 0, end = 0;  // of a value in the text
  };
  std::shared_ptr<const SampleBlock> block_;
  std::vector<Place> places_;
  std::vector<double> values_;
};

}  // namespace rlrun
