#include "exporter/exposition/sample_block.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

bool SameName(const FamilyHeader& a, const FamilyHeader& b) {
  return &a == &b || a.name == b.name;
}

// Numbers the headers of slices in the order of their first appearance. The
// blocks of one trainer hold the same families in the same order, so the header
// that followed last time is tried before the map.
class HeaderNumbers {
 public:
  void BeginBlock() { previous_ = 0; }

  std::uint32_t Of(const FamilyHeader* header) {
    std::uint32_t number = next_[previous_];
    if (number >= headers_.size() || headers_[number] != header) {
      number = Find(header);
      next_[previous_] = number;
    }
    previous_ = number + 1;
    return number;
  }

  const std::vector<const FamilyHeader*>& headers() const { return headers_; }

 private:
  std::uint32_t Find(const FamilyHeader* header) {
    const auto [it, added] = numbers_.try_emplace(
        header, static_cast<std::uint32_t>(headers_.size()));
    if (added) {
      headers_.push_back(header);
      next_.push_back(0);
    }
    return it->second;
  }

  std::vector<const FamilyHeader*> headers_;
  std::unordered_map<const FamilyHeader*, std::uint32_t> numbers_;
  // [n + 1]: what followed header n; [0]: what a block began with.
  std::vector<std::uint32_t> next_{0};
  std::uint32_t previous_ = 0;
};

// Headers by name, equal names together in the order of their appearance.
// Returns for each header the place of its family in that order, and the
// header that speaks for each family in *families.
std::vector<std::uint32_t> RankByName(
    const std::vector<const FamilyHeader*>& headers,
    std::vector<const FamilyHeader*>* families) {
  std::vector<std::uint32_t> order(headers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return headers[a]->name < headers[b]->name;
                   });
  std::vector<std::uint32_t> rank(headers.size());
  for (const std::uint32_t h : order) {
    if (families->empty() || !SameName(*families->back(), *headers[h])) {
      families->push_back(headers[h]);
    }
    rank[h] = static_cast<std::uint32_t>(families->size() - 1);
  }
  return rank;
}

// The texts of all slices, ordered by family; those of family f are
// [begin[f], begin[f + 1]) of `texts`.
struct Pieces {
  std::vector<const FamilyHeader*> families;
  std::vector<std::size_t> begin;
  std::vector<std::string_view> texts;
  std::size_t bytes = 0;
};

Pieces GroupByFamily(
    std::span<const std::shared_ptr<const SampleBlock>> blocks) {
  Pieces pieces;
  HeaderNumbers numbers;
  std::vector<std::uint32_t> number_of;  // of each slice, block after block
  for (const auto& block : blocks) {
    if (block == nullptr) continue;
    numbers.BeginBlock();
    pieces.bytes += block->text.size();
    for (const SampleBlock::Slice& slice : block->slices) {
      number_of.push_back(numbers.Of(slice.family));
    }
  }
  const std::vector<std::uint32_t> rank =
      RankByName(numbers.headers(), &pieces.families);
  // A counting sort.
  std::vector<std::size_t> next(pieces.families.size() + 1, 0);
  for (const std::uint32_t number : number_of) ++next[rank[number] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  pieces.begin = next;
  pieces.texts.resize(number_of.size());
  auto number = number_of.begin();
  for (const auto& block : blocks) {
    if (block == nullptr) continue;
    for (const SampleBlock::Slice& slice : block->slices) {
      pieces.texts[next[rank[*number++]]++] =
          std::string_view(block->text).substr(slice.begin, slice.size);
    }
  }
  return pieces;
}

}  // namespace

void BlockBuilder::Add(const std::shared_ptr<const FamilyHeader>& family,
                       std::string_view common, std::span<const Label> labels,
                       double value) {
  const std::size_t begin = text_.size();
  AppendSample(&text_, family->name, common, labels, value);
  Close(family, begin);
}

void BlockBuilder::AddRendered(
    const std::shared_ptr<const FamilyHeader>& family, std::string_view common,
    std::string_view labels, double value) {
  const std::size_t begin = text_.size();
  AppendRenderedSample(&text_, family->name, common, labels, value);
  Close(family, begin);
}

void BlockBuilder::AddHistogram(
    const std::shared_ptr<const FamilyHeader>& family, std::string_view common,
    std::span<const Label> labels, std::span<const double> bounds,
    std::span<const std::uint64_t> counts, double sum) {
  std::vector<Label> with_bound(labels.begin(), labels.end());
  with_bound.push_back({"le", {}});
  const std::string bucket = family->name + "_bucket";
  std::string bound;
  std::uint64_t count = 0;
  const auto add = [&](const std::string& name, std::span<const Label> all,
                       double value) {
    const std::size_t begin = text_.size();
    AppendSample(&text_, name, common, all, value);
    Close(family, begin);
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bound.clear();
    AppendCanonicalDouble(&bound, i < bounds.size() ? bounds[i] : HUGE_VAL);
    with_bound.back().value = bound;
    count += counts[i];
    add(bucket, with_bound, static_cast<double>(count));
  }
  add(family->name + "_sum", labels, sum);
  add(family->name + "_count", labels, static_cast<double>(count));
}

bool BlockBuilder::ByName(const Piece& a, const Piece& b) {
  return a.family != b.family && a.family->name < b.family->name;
}

void BlockBuilder::Close(const std::shared_ptr<const FamilyHeader>& family,
                         std::size_t begin) {
  const auto size = static_cast<std::uint32_t>(text_.size() - begin);
  ++samples_;
  if (!pieces_.empty() && pieces_.back().family == family) {
    pieces_.back().size += size;
  } else {
    pieces_.push_back({family, static_cast<std::uint32_t>(begin), size});
  }
}

void BlockBuilder::Reserve(std::size_t samples, std::size_t bytes) {
  pieces_.reserve(pieces_.size() + samples);
  text_.reserve(text_.size() + samples * bytes);
}

void BlockBuilder::Merge(std::vector<Piece> pieces, SampleBlock* block) {
  auto families = std::make_shared<SampleBlock::Families>();
  families->reserve(pieces.size());
  block->slices.reserve(pieces.size());
  for (Piece& piece : pieces) {
    if (!families->empty() && SameName(*families->back(), *piece.family)) {
      block->slices.back().size += piece.size;
      continue;
    }
    block->slices.push_back({piece.family.get(), piece.begin, piece.size});
    families->push_back(std::move(piece.family));
  }
  block->families = std::move(families);
}

SampleBlock BlockBuilder::Build() {
  SampleBlock block;
  block.samples = std::exchange(samples_, 0);
  if (std::is_sorted(pieces_.begin(), pieces_.end(), ByName)) {
    block.text = std::move(text_);
  } else {
    block.in_order = false;
    std::stable_sort(pieces_.begin(), pieces_.end(), ByName);
    block.text.reserve(text_.size());
    for (Piece& piece : pieces_) {
      block.text.append(text_, piece.begin, piece.size);
      piece.begin = static_cast<std::uint32_t>(block.text.size()) - piece.size;
    }
  }
  // Blocks live long, and what was reserved was guessed.
  if (block.text.capacity() > block.text.size() + block.text.size() / 4) {
    block.text.shrink_to_fit();
  }
  Merge(std::exchange(pieces_, {}), &block);
  text_.clear();
  return block;
}

void AppendBlocks(std::string* out,
                  std::span<const std::shared_ptr<const SampleBlock>> blocks,
                  TextFormat format) {
  const Pieces pieces = GroupByFamily(blocks);
  out->reserve(out->size() + pieces.bytes + pieces.families.size() * 256);
  for (std::size_t f = 0; f < pieces.families.size(); ++f) {
    AppendHeader(out, *pieces.families[f], format);
    for (std::size_t i = pieces.begin[f]; i < pieces.begin[f + 1]; ++i) {
      out->append(pieces.texts[i]);
    }
  }
}

}  // namespace rlrun
