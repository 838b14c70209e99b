#include "exporter/app/shard.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kNames = 10000;

RunIdentity NameOf(int i) {
  return {"project-" + std::to_string(i % 7), "run-" + std::to_string(i)};
}

TEST(ParseShardTest, NumberOrNameThatEndsInOne) {
  const auto parsed = [](std::string_view text) {
    Shard shard{7, 7};
    EXPECT_EQ(ParseShard(text, &shard), "") << text;
    return std::pair(shard.index, shard.count);
  };
  EXPECT_EQ(parsed("0/1"), std::pair(0u, 1u));
  EXPECT_EQ(parsed("1/2"), std::pair(1u, 2u));
  EXPECT_EQ(parsed("rlrun-exporter-12/13"), std::pair(12u, 13u));
  EXPECT_EQ(parsed("a1b-3/4"), std::pair(3u, 4u));
  EXPECT_EQ(parsed("10-002/4"), std::pair(2u, 4u));
}

TEST(ParseShardTest, WhatIsNoShardIsRefused) {
  for (const char* text :
       {"", "/", "1", "2/2", "0/0", "0/1025", "0/-1", "pod-/2", "pod/2", "0/",
        "0/2x", " 0/2 ", "-1/2", " 1/2", "99999999999/3", "0/99999999999"}) {
    Shard shard{5, 6};
    EXPECT_NE(ParseShard(text, &shard), "") << text;
    EXPECT_EQ(shard.index, 5u) << text;
  }
  Shard shard;
  EXPECT_THAT(ParseShard("2/2", &shard), HasSubstr("counted from 0"));
}

// A run must not change its exporter with a version: these never change.
TEST(ShardOfTest, IsTheSameInEveryVersion) {
  EXPECT_EQ(ShardOf({"gsm8k", "qwen-grpo"}, 2), 1u);
  EXPECT_EQ(ShardOf({"gsm8k", "qwen-ppo"}, 2), 1u);
  EXPECT_EQ(ShardOf({"", "run"}, 5), 4u);
  EXPECT_EQ(ShardOf({"p", "exp"}, 1000), 800u);
}

TEST(ShardOfTest, ProjectEndsWhereTheRunBegins) {
  int other = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    other += ShardOf({"ab" + n, "c"}, 64) != ShardOf({"ab", n + "c"}, 64);
  }
  EXPECT_GT(other, 90);
}

TEST(ShardOfTest, EveryShardHasItsPart) {
  for (const std::uint32_t count : {2u, 3u, 8u}) {
    std::vector<int> had(count);
    for (int i = 0; i < kNames; ++i) ++had[ShardOf(NameOf(i), count)];
    for (const int n : had) {
      EXPECT_NEAR(n, kNames / static_cast<int>(count), 300) << count;
    }
  }
}

TEST(ShardOfTest, OneMoreShardTakesFromAllAndNothingElseMoves) {
  for (const std::uint32_t count : {1u, 2u, 5u}) {
    int moved = 0;
    for (int i = 0; i < kNames; ++i) {
      const std::uint32_t before = ShardOf(NameOf(i), count);
      const std::uint32_t after = ShardOf(NameOf(i), count + 1);
      if (before == after) continue;
      EXPECT_EQ(after, count) << i;
      ++moved;
    }
    EXPECT_NEAR(moved, kNames / static_cast<int>(count + 1), 300) << count;
  }
}

class ShardedAppTest : public AppFixture {
 protected:
  std::unique_ptr<App> AppOf(std::uint32_t index, std::uint32_t count) {
    if (config_.roots.empty()) AddRoot("/r");
    AppOptions options;
    options.self = {"test", "test", true};
    options.shard = {index, count};
    return std::make_unique<App>(config_, options, &files_);
  }
  // How many of the apps publish each run.
  std::map<std::string, int> RunsOf(
      const std::vector<std::unique_ptr<App>>& apps, double t) {
    std::map<std::string, int> times;
    Clock(t);
    for (const auto& app : apps) {
      app->ReadInline(NowAt(t));
      for (const RunSummary& r : app->snapshot()->runs) {
        ++times[r.project + "/" + r.run];
      }
    }
    return times;
  }
};

TEST_F(ShardedAppTest, EveryRunIsPublishedOnce) {
  for (int i = 0; i < 20; ++i) {
    const RunIdentity name = NameOf(i);
    files_.Write("/r/" + std::to_string(i) + "/train.log",
                 ConfigBlock(name.project, name.run) + TimedStep(1, "2.5"));
  }
  std::vector<std::unique_ptr<App>> apps;
  for (std::uint32_t i = 0; i < 3; ++i) apps.push_back(AppOf(i, 3));
  const auto times = RunsOf(apps, 0);
  EXPECT_EQ(times.size(), 20u);
  for (const auto& [name, n] : times) EXPECT_EQ(n, 1) << name;
  for (const auto& app : apps)
    EXPECT_THAT(app->snapshot()->runs, ::testing::Not(IsEmpty()));
}

// Whoever saw the log before it stated its name and who did not agree.
TEST_F(ShardedAppTest, ExporterThatStartsLaterDecidesTheSame) {
  for (int i = 0; i < 20; ++i) {
    files_.Write("/r/" + std::to_string(i) + "/train.log", TimedStep(1, "2.5"));
  }
  std::vector<std::unique_ptr<App>> apps;
  apps.push_back(AppOf(0, 2));
  EXPECT_FALSE(RunsOf(apps, 0).empty());
  for (int i = 0; i < 20; ++i) {
    const RunIdentity name = NameOf(i);
    files_.Append("/r/" + std::to_string(i) + "/train.log",
                  ConfigBlock(name.project, name.run) + TimedStep(2, "2.5"));
  }
  apps.push_back(AppOf(1, 2));
  // The files of others are looked at less often.
  for (double t = 10; t <= 30; t += 10) RunsOf(apps, t);
  const auto times = RunsOf(apps, 40);
  EXPECT_EQ(times.size(), 20u);
  for (const auto& [name, n] : times) EXPECT_EQ(n, 1) << name;
}

TEST_F(ShardedAppTest, RunsOfOneNameAreOnOneShard) {
  for (const char* folder : {"a", "b", "c"}) {
    files_.Write(
        std::string("/r/") + folder + "/train.log",
        ConfigBlock("p", "same") +
            TimedStep(1, std::string("2.") +
                             static_cast<char>(folder[0] - 'a' + '1')));
  }
  std::vector<std::unique_ptr<App>> apps;
  for (std::uint32_t i = 0; i < 2; ++i) apps.push_back(AppOf(i, 2));
  int with_runs = 0;
  RunsOf(apps, 0);
  for (const auto& app : apps) with_runs += !app->snapshot()->runs.empty();
  EXPECT_EQ(with_runs, 1);
}

TEST_F(ShardedAppTest, RunOfAnotherShardCountsAgainstNoCapHere) {
  config_.store.max_series = 30;
  for (int i = 0; i < 8; ++i) {
    const RunIdentity name = NameOf(i);
    files_.Write("/r/" + std::to_string(i) + "/train.log",
                 ConfigBlock(name.project, name.run));
  }
  std::vector<std::unique_ptr<App>> apps;
  for (std::uint32_t i = 0; i < 2; ++i) apps.push_back(AppOf(i, 2));
  RunsOf(apps, 0);
  for (int i = 0; i < 8; ++i) {
    files_.Append("/r/" + std::to_string(i) + "/train.log",
                  Step(1, "a:1 - b:1 - c:1 - d:1 - e:1"));
  }
  for (double t = 10; t <= 40; t += 10) RunsOf(apps, t);
  for (const auto& app : apps) {
    std::string text;
    app->AppendSelf(&text, TextFormat::kText004);
    EXPECT_THAT(text,
                HasSubstr("series_dropped_total{reason=\"max_series\"} 0\n"));
  }
}

}  // namespace
}  // namespace rlrun
