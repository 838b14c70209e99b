// The validations of a run and their main scores (signatures.md, "Main score"):
// per data source `val-core/<source>/<acc or reward>/mean@N` with the largest
// N, older `val/test_score/<source>` and `val/<source>/test_score`.
// Not thread-safe; belongs to one History.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/signatures/step_frame.h"
#include "exporter/store/prefetch.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// What a validation key says.
struct MainScoreKey {
  std::string_view source;    // data source
  std::uint64_t samples = 0;  // N; 0 for the older keys
  bool accuracy = false;      // acc rather than reward
};
std::optional<MainScoreKey> ParseMainScoreKey(std::string_view key);

// The texts belong to the Validations they came from and to its copies.
struct MainScore {
  std::string_view source;
  std::string_view key;  // verbatim
  double value = 0;      // finite or not
  bool finite() const { return std::isfinite(value); }
};

struct Validation {
  ValidationFrame frame;
  std::vector<MainScore> scores;  // by data source, ascending; at most 32

  // The score of the data source; null where there is none or it is not finite.
  const MainScore* finite(std::string_view source) const;
};

class Validations {
 public:
  // Takes the validation keys of a record as those of training step `step`;
  // false: it has none. A record of the newest validation's step adds to it,
  // one of an older step drops those from there on.
  bool Apply(const StepRecord& record, std::int64_t step);
  bool Apply(const StepRecord& record) { return Apply(record, record.step); }
  // A training step began: what was validated before is of the steps before.
  void NoteTraining() { fresh_ = false; }
  // Drops validations of `step` and later ones; not one of `step` itself that
  // came after the last training line.
  void DropFrom(std::int64_t step);

  const std::deque<Validation>& list() const { return list_; }
  // Asks for the memory of the newest few.
  void Prefetch() const {
    for (std::size_t i = 0; i < list_.size() && i < 3; ++i) {
      const Validation& v = list_[list_.size() - 1 - i];
      PrefetchBytes(&v, sizeof v);
    }
  }
  const std::optional<Validation>& first() const { return first_; }
  // Some validation of this text, kept or not, had main scores.
  bool scored() const { return scored_; }

 private:
  void Take(std::string_view key, double value, Validation* validation);
  std::string_view Intern(std::string_view text);

  std::deque<Validation> list_;
  std::optional<Validation> first_;
  // Names, shared by copies, so that views into them stay valid.
  std::shared_ptr<std::deque<std::string>> texts_;
  std::map<std::string_view, std::string_view> index_;
  bool fresh_ = false;
  bool scored_ = false;
};

}  // namespace rlrun
