#include "parsers/formats/engine_line.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "parsers/values/stamp.h"

namespace rlrun {
namespace {

struct Read {
  EngineLine line;
  EngineReading reading;
};

Read ReadLine(std::string_view payload) {
  const std::optional<Stamp> stamp = ParseStamp(payload);
  Read read;
  read.line = FindEngineLine(payload, stamp ? &*stamp : nullptr);
  if (read.line.kind != EngineLineKind::kNone) {
    ParseEngineLine(read.line.kind, payload, &read.reading);
  }
  return read;
}

TEST(EngineLineTest, VllmV1WithEveryField) {
  const Read r = ReadLine(
      "INFO 07-16 18:49:02 [loggers.py:208] Engine 003: Avg prompt throughput: "
      "812.5 tokens/s, Avg generation throughput: 95.0 tokens/s, Running: 3 "
      "reqs, Waiting: 7 reqs, Deferred: 1 reqs, Preemptions: 2, GPU KV cache "
      "usage: 12.5%, Prefix cache hit rate: 80.0%, External prefix cache hit "
      "rate: 1.0%, MM cache hit rate: 2.0%");
  ASSERT_EQ(r.line.kind, EngineLineKind::kVllm);
  EXPECT_EQ(r.line.number, "003");
  EXPECT_EQ(r.reading.prompt_rate, 812.5);
  EXPECT_EQ(r.reading.generation_rate, 95.0);
  EXPECT_EQ(r.reading.running, 3);
  EXPECT_EQ(r.reading.waiting, 7);
  EXPECT_EQ(r.reading.kv_cache_usage, 0.125);
  EXPECT_EQ(r.reading.prefix_hit_ratio, 0.8);
}

TEST(EngineLineTest, VllmV0HasPendingRequests) {
  const Read r = ReadLine(
      "INFO 08-05 15:09:11 metrics.py:406] Avg prompt throughput: 0.0 "
      "tokens/s, Avg generation throughput: 9.5 tokens/s, Running: 1 reqs, "
      "Swapped: 0 reqs, Pending: 4 reqs, GPU KV cache usage: 50.0%, CPU KV "
      "cache usage: 1.0%.");
  ASSERT_EQ(r.line.kind, EngineLineKind::kVllm);
  EXPECT_EQ(r.line.number, "000");
  EXPECT_EQ(r.reading.waiting, 4);
  EXPECT_EQ(r.reading.kv_cache_usage, 0.5);
  EXPECT_FALSE(r.reading.prefix_hit_ratio);
}

TEST(EngineLineTest, AggregatedEngines) {
  const Read r = ReadLine(
      "INFO 07-16 18:49:02 [loggers.py:300] 8 Engines Aggregated: Avg prompt "
      "throughput: 1.0 tokens/s");
  EXPECT_EQ(r.line.number, "all");
  EXPECT_EQ(r.reading.prompt_rate, 1.0);
}

TEST(EngineLineTest, CutLineGivesItsWholeFields) {
  const Read r = ReadLine(
      "12-05 22:34:04 [loggers.py:236] Engine 000: Avg prompt throughput: 2.0 "
      "tokens/s, Avg generation throughput: 29.8 tokens/s, Running: 1");
  ASSERT_EQ(r.line.kind, EngineLineKind::kVllm);
  EXPECT_EQ(r.reading.generation_rate, 29.8);
  EXPECT_FALSE(r.reading.running);  // perhaps 12
  EXPECT_FALSE(r.reading.kv_cache_usage);
}

TEST(EngineLineTest, DamagedFieldIsLeftOut) {
  const Read r = ReadLine(
      "INFO 07-16 18:49:02 [loggers.py:1] Engine 000: Avg prompt throughput: "
      "x tokens/s, Running: 1.2.3 reqs, Waiting: 5 reqs");
  EXPECT_FALSE(r.reading.prompt_rate);
  EXPECT_FALSE(r.reading.running);
  EXPECT_EQ(r.reading.waiting, 5);
}

TEST(EngineLineTest, SglangDecodeAndPrefill) {
  const Read decode = ReadLine(
      "[2025-07-18 15:32:54 DP2 TP0] Decode batch. #running-req: 9, #token: "
      "370, token usage: 0.82, cuda graph: True, gen throughput (token/s): "
      "4594.01, #queue-req: 317");
  ASSERT_EQ(decode.line.kind, EngineLineKind::kSglangDecode);
  EXPECT_EQ(EngineName("10.0.0.2", "7", decode.line.number), "10.0.0.2:7/002");
  EXPECT_EQ(decode.reading.generation_rate, 4594.01);
  EXPECT_EQ(decode.reading.running, 9);
  EXPECT_EQ(decode.reading.waiting, 317);
  EXPECT_EQ(decode.reading.kv_cache_usage, 0.82);
  const Read prefill = ReadLine(
      "Prefill batch. #new-seq: 1, #new-token: 30, #cached-token: 10, token "
      "usage: 0.00, #running-req: 0, #queue-req: 0");
  ASSERT_EQ(prefill.line.kind, EngineLineKind::kSglangPrefill);
  EXPECT_EQ(prefill.reading.prefix_hit_ratio, 0.25);
  EXPECT_FALSE(prefill.reading.generation_rate);
}

TEST(EngineLineTest, OtherLinesAreNone) {
  for (const std::string_view payload :
       {"INFO 07-16 18:49:02 [scheduler.py:9] Engine 000: Avg prompt",
        "INFO 07-16 18:49:02 [loggers.py:9] vLLM is up", "Decode this batch",
        "INFO 07-16 18:49:02",
        "Engine 000: Avg prompt throughput: 1 tokens/s"}) {
    EXPECT_EQ(ReadLine(payload).line.kind, EngineLineKind::kNone) << payload;
  }
}

TEST(EngineLineTest, NameOfALocalProcessWithoutPrefix) {
  EXPECT_EQ(EngineName("", "", "0"), "local:-/000");
  EXPECT_EQ(EngineName("", "12", "all"), "local:12/all");
}

}  // namespace
}  // namespace rlrun
