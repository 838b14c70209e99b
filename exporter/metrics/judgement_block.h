// What is held of a run as text: state, health, decision, signatures with their
// evidence, checks with their bounds. Looks at the Judgement; decides nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exporter/exposition/repeated_block.h"
#include "exporter/exposition/sample_block.h"
#include "exporter/exposition/sample_shape.h"
#include "exporter/signatures/judgement.h"

namespace rlrun {

// `common`: text of AppendLabels with the labels that every series of the run
// carries. No two samples of the block have equal labels.
// Pure; safe from any thread.
SampleBlock RenderJudgement(const Judgement& judgement,
                            std::string_view common);

// The same for the judgements of one run, one after the other: they mostly have
// the samples of the one before with other values. Not thread-safe.
class JudgementBlock {
 public:
  // Names in `judgement` are there until the program ends.
  std::shared_ptr<const SampleBlock> Render(const Judgement& judgement,
                                            std::string_view common);
  const RepeatedBlock& block() const { return block_; }

 private:
  std::string common_;  // of block_
  RepeatedBlock block_;
  SampleShape shape_;
};

}  // namespace rlrun
