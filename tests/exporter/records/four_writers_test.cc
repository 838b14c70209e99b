// A store that four writers write live: removal before each upload, texts that
// are torn in the middle, summaries that they take from each other, copies that
// are older than what they replace. Whatever the reader has told must be what
// was written: no run lost, none invented, no step back.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/exporter/records/store_fixture.h"

namespace rlrun {
namespace {

class FourWritersTest : public StoreFixture,
                        public testing::WithParamInterface<int> {
 protected:
  struct Writer {
    std::string name;
    int rollouts = 0;  // written so far
    bool exists = false;
  };

  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<unsigned>(n));
  }

  std::string Text(const Writer& w) {
    const std::string at = std::to_string(1750000000 + clock_);
    return Record(
        w.name,
        R"("status": "running", "updated_at": )" + at +
            R"(, "metadata": {"framework_progress": {"phase": "training", )"
            R"("updated_at": )" +
            at + R"(, "current": )" + std::to_string(w.rollouts) + "}}");
  }

  void Put(const std::string& path, const std::string& text) {
    if (Pick(3) == 0 && files_.Exists(path)) {
      files_.Remove(path);
      if (Pick(2) == 0) Look(1);
    }
    if (Pick(3) == 0) {
      files_.Write(path, text.substr(0, text.size() / 2));
      if (Pick(2) == 0) Look(1);
    }
    files_.Write(path, text);
  }

  // Its own summary, of which another load may have lost some items.
  void PutSummary(const Writer& w, bool healed = false) {
    std::string items;
    for (int r = 0; r < w.rollouts; ++r) {
      if (!healed && r + 1 != w.rollouts && Pick(10) == 0) continue;
      items += (items.empty() ? "" : ", ") + std::string(R"({"rollout_id": )") +
               std::to_string(r) + R"(, "mean": 0.5})";
    }
    Put("/vol/training-rollouts-summary/" + w.name + "/summary.json",
        "{\"items\": [" + items + "]}");
  }

  void PutSeries(const Writer& w) {
    std::string steps, written;
    for (int s = 0; s < w.rollouts; ++s) {
      const std::string head =
          (s == 0 ? "\"" : ", \"") + std::to_string(s) + "\": ";
      steps += head + R"({"train/loss": )" + std::to_string(s) + "}";
      written +=
          head + R"({"train/loss": )" + std::to_string(1750000000 + s) + "}";
    }
    Put("/vol/metric-series/" + w.name + "/chunk-000000-ab.json",
        "{\"steps\": {" + steps + "}, \"written\": {" + written + "}}");
  }

  void CheckNoStepBack() {
    for (const auto& [name, run] : runs_) {
      std::int64_t& last = seen_[name];
      const std::int64_t now = run->progress.current.value_or(0);
      EXPECT_GE(now, last) << name;
      last = std::max(last, now);
      EXPECT_GE(run->rollouts, rollouts_[name]);
      rollouts_[name] = run->rollouts;
    }
  }

  std::mt19937 random_{static_cast<unsigned>(GetParam())};
  int clock_ = 0;
  std::map<std::string, std::int64_t> seen_;
  std::map<std::string, std::uint64_t> rollouts_;
};

TEST_P(FourWritersTest, NoRunIsLostNoneInventedNoStepBack) {
  std::vector<Writer> writers = {{"calm-otter-01", 0, false},
                                 {"calm-otter-012", 0, false},
                                 {"bold-heron-02", 0, false},
                                 {"late-finch-03", 0, false}};
  std::set<std::string> begun;
  for (int i = 0; i < 200; ++i) {
    ++clock_;
    Writer& w = writers[static_cast<std::size_t>(Pick(4))];
    const std::string old = Text(w);
    ++w.rollouts;
    Put("/vol/training-runs/" + w.name + ".json", Text(w));
    begun.insert(w.name);
    PutSummary(w);
    PutSeries(w);
    if (Pick(8) == 0) {  // saves what it had loaded before
      files_.Write("/vol/training-runs/" + w.name + ".json", old);
    }
    if (Pick(3) == 0) Look(1 + Pick(10));
    CheckNoStepBack();
    for (const auto& [name, run] : runs_) EXPECT_TRUE(begun.contains(name));
    EXPECT_TRUE(removed_.empty());
  }
  for (const Writer& w : writers) {
    files_.Write("/vol/training-runs/" + w.name + ".json", Text(w));
    PutSummary(w, true);
  }
  for (int i = 0; i < 6; ++i) Look(10);
  ASSERT_EQ(runs_.size(), writers.size());
  for (const Writer& w : writers) {
    const RecordedRun& run = *runs_.at(w.name);
    EXPECT_EQ(run.progress.current, w.rollouts);
    EXPECT_EQ(run.rollouts, static_cast<std::uint64_t>(w.rollouts)) << w.name;
    EXPECT_EQ(run.bad_documents, 0U);
    std::vector<std::int64_t> all;
    for (int s = 0; s < w.rollouts; ++s) all.push_back(s);
    EXPECT_EQ(Steps(w.name), all) << w.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FourWritersTest, testing::Range(1, 21));

}  // namespace
}  // namespace rlrun
