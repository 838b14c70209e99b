// What is held of a run as text: state, health, decision, signatures with their
// evidence, checks with their bounds. Looks at the Judgement; decides nothing.
// Pure; safe from any thread.
#pragma once

#include <string_view>

#include "exporter/exposition/sample_block.h"
#include "exporter/signatures/judgement.h"

namespace rlrun {

// `common`: text of AppendLabels with the labels that every series of the run
// carries. No two samples of the block have equal labels.
SampleBlock RenderJudgement(const Judgement& judgement,
                            std::string_view common);

}  // namespace rlrun
