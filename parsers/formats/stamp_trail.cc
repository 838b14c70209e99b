#include "parsers/formats/stamp_trail.h"

#include <algorithm>
#include <utility>

#include "parsers/values/stamp.h"

namespace rlrun {

void StampTrail::Note(const Stamp& stamp, LogFacts* facts) {
  if (!facts->first_stamp) facts->first_stamp = stamp;
  facts->last_stamp = stamp;
  if (newest_) {
    const auto gap = SecondsBetween(*newest_, stamp);
    if (gap) longest_gap_ = std::max(longest_gap_.value_or(0), *gap);
  }
  newest_ = since_step_ = stamp;
  if (!std::exchange(behind_wanted_, false)) return;
  if (facts->steps.empty()) {
    facts->stamp_behind_previous = stamp;
  } else {
    facts->steps.back().stamp_behind = stamp;
  }
}

void StampTrail::Add(const Line& line, StepRecord record, LogFacts* facts) {
  record.begin_offset = line.offset;
  record.end_offset = line.end_offset;
  record.stamp_before = std::exchange(since_step_, std::nullopt);
  record.longest_gap = std::exchange(longest_gap_, std::nullopt);
  behind_wanted_ = true;
  facts->quiet_end = line.end_offset;
  facts->steps.push_back(std::move(record));
}

}  // namespace rlrun
