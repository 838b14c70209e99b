// One tailer on /run/train.log in a file system in memory, a recording sink and
// a hand-moved clock.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exporter/tail/tailer.h"
#include "tests/support/in_memory_file_source.h"
#include "tests/support/recording_sink.h"

namespace rlrun {

inline constexpr std::size_t kPlenty = 1u << 30;

class TailFixture : public ::testing::Test {
 protected:
  using Call = InMemoryFileSource::Call;

  TailFixture() { fs_.Mkdir("/run"); }

  TailOutcome Poll(double seconds = 1, std::size_t budget = kPlenty) {
    now_ += seconds;
    return tailer_.Poll(fs_, now_, budget, &sink_);
  }
  const TailState& state() const { return tailer_.state(); }

  // Numbered lines; every text of them differs from every other.
  static std::string Lines(int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
      text += "step:" + std::to_string(i) + " - actor/lr:1e-6\n";
    }
    return text;
  }

  const std::string log_ = "/run/train.log";
  TailOptions options_;
  InMemoryFileSource fs_;
  RecordingSink sink_;
  Tailer tailer_{log_, options_};
  double now_ = 1000;
};

}  // namespace rlrun
