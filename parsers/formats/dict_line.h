// The numbers of one printed dict -> pairs of a record, in one pass and without
// building anything but the record. Which lines hold a dict of metrics, and
// what its keys mean, is left to slime_line.h and trl_line.h.
//
//   {'train/loss': 1e-09, 'eval/a-pass@1': np.float64(0.25), "x": nan}
//
// Accepts: keys in single or double quotes; bare integers as keys of inner
//   dicts; numbers as values/number.h knows them, quoted ones too (`'1.6e+04'`,
//   newer TRL), `tensor(0.5, device='cuda:0')`, `true` and `false`; an inner
//   dict, whose keys are joined to its own: `a/b`.
// Ignores (counted): values that are no number (text, lists, tuples, None);
//   pairs of the empty key; the last pair of a text that ends inside the dict.
// Rejects: anything else: what stood before it counts, the rest does not.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "parsers/formats/step_line.h"
#include "parsers/model/step_record.h"

namespace rlrun {

struct DictLine {
  std::size_t size = 0;  // bytes that were read: up to behind its brace
  bool closed = false;   // it ends with its brace
};

// Reads the dict that `text` begins with (`{`). Appends to *record and
// *skipped.
DictLine ReadDictPairs(std::string_view text, StepRecord* record,
                       SkipCounts* skipped);

}  // namespace rlrun
