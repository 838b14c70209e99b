// A sink that keeps everything: the texts between restarts, their whole lines,
// and the reasons. Fails the test if offsets do not join.
// Not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/tail/tail_sink.h"

namespace rlrun {

class RecordingSink : public TailSink {
 public:
  std::size_t Text(std::uint64_t offset, std::string_view bytes) override {
    EXPECT_EQ(offset, expected_) << "offsets do not join";
    EXPECT_FALSE(bytes.empty());
    expected_ = offset + bytes.size();
    texts.back().append(bytes);
    bytes_total += bytes.size();
    partial_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end; (end = partial_.find('\n', begin)) != partial_.npos;
         begin = end + 1) {
      lines.push_back(partial_.substr(begin, end - begin));
    }
    partial_.erase(0, begin);
    return bytes.size();
  }
  void Restart(RestartReason reason) override {
    reasons.push_back(reason);
    texts.emplace_back();
    partial_.clear();
    expected_ = 0;
  }

  const std::string& text() const { return texts.back(); }
  std::string all() const {
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
  }

  std::vector<std::string> texts = {""};  // one per restart, and the first
  std::vector<std::string> lines;         // whole ones, without their LF
  std::vector<RestartReason> reasons;
  std::uint64_t bytes_total = 0;

 private:
  std::string partial_;
  std::uint64_t expected_ = 0;
};

}  // namespace rlrun
