// Samples that are rendered once and sent many times: a block holds the lines
// of one run, cut into slices by family, and an answer is put together from the
// slices of all blocks without looking at a sample again.
// A SampleBlock does not change once it is shared, and is then safe to read
// from any thread; a BlockBuilder belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/exposition/family.h"

namespace rlrun {

// Samples of many families, rendered once. Sample lines are the same in both
// formats, so a block serves both. Less than 4 GiB of text.
struct SampleBlock {
  struct Slice {
    const FamilyHeader* family = nullptr;  // one of `families`
    std::uint32_t begin = 0;               // in text, bytes
    std::uint32_t size = 0;
  };
  using Families = std::vector<std::shared_ptr<const FamilyHeader>>;

  std::string text;
  std::vector<Slice> slices;  // sorted by family name; one slice per family
  // Those of the slices; shared by blocks that differ in their values alone.
  std::shared_ptr<const Families> families;
  std::size_t samples = 0;
  // Its families came in the order of their names: samples are in the text in
  // the order in which they were added.
  bool in_order = true;
};

// Samples in any order of families in, a SampleBlock out. Samples of one family
// keep the order in which they were added. Cheapest if families come in the
// order of their names.
class BlockBuilder {
 public:
  void Add(const std::shared_ptr<const FamilyHeader>& family,
           std::span<const Label> labels, double value) {
    Add(family, {}, labels, value);
  }
  // `common`: text of AppendLabels that comes before `labels`.
  void Add(const std::shared_ptr<const FamilyHeader>& family,
           std::string_view common, std::span<const Label> labels,
           double value);
  // `common` and `labels` are both text of AppendLabels.
  void AddRendered(const std::shared_ptr<const FamilyHeader>& family,
                   std::string_view common, std::string_view labels,
                   double value);
  // A histogram: `counts` by bucket, not cumulative, one more than `bounds`.
  void AddHistogram(const std::shared_ptr<const FamilyHeader>& family,
                    std::string_view common, std::span<const Label> labels,
                    std::span<const double> bounds,
                    std::span<const std::uint64_t> counts, double sum);
  // Room for that many more samples of about `bytes` each.
  void Reserve(std::size_t samples, std::size_t bytes);
  std::size_t samples() const { return samples_; }
  SampleBlock Build();  // leaves the builder empty

 private:
  struct Piece {
    std::shared_ptr<const FamilyHeader> family;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  static bool ByName(const Piece& a, const Piece& b);
  // Pieces of one family, which lie next to each other, become one slice; so
  // does their text.
  static void Merge(std::vector<Piece> pieces, SampleBlock* block);
  // Takes what was written to text_ from `begin` on as a sample of `family`.
  void Close(const std::shared_ptr<const FamilyHeader>& family,
             std::size_t begin);

  std::string text_;
  std::vector<Piece> pieces_;  // in the order of Add
  std::size_t samples_ = 0;
};

// All blocks as one text: each family once, its header before the samples of
// all blocks in the order of `blocks`; families in the order of their names. Of
// several headers with one name the first one (in the order of `blocks`) is
// written. Without `# EOF`. Null blocks are passed over.
void AppendBlocks(std::string* out,
                  std::span<const std::shared_ptr<const SampleBlock>> blocks,
                  TextFormat format);

}  // namespace rlrun
