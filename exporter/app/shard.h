// Which of several exporters over one tree publishes a run: rendezvous hashing,
// the exporter with the highest score of all for the run's project and name has
// it. With another number of exporters only those runs move that one more of
// them takes, or one less leaves.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporter/store/run.h"

namespace rlrun {

struct Shard {
  std::uint32_t index = 0;  // from 0
  std::uint32_t count = 1;  // 1: every run is ours
  bool all() const { return count <= 1; }
};

inline constexpr std::uint32_t kMaxShards = 1024;

// `I/N`, where I is a number below N or a name that ends in one, as the pods of
// a StatefulSet do: `0/2`, `rlrun-exporter-0/2`. Returns an empty string, or
// what is wrong with `text`.
std::string ParseShard(std::string_view text, Shard* shard);

// The shard, below `count`, that has a run. The same on every machine and in
// every version: exporters that are updated one by one agree.
std::uint32_t ShardOf(const RunIdentity& run, std::uint32_t count);

}  // namespace rlrun
