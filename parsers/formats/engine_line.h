// The throughput lines of inference engines, one replica each. Most lines of a
// log are such lines and only a replica's newest matters, so finding them and
// reading them are apart.
//
//   (vLLMHttpServer pid=9) INFO 07-16 18:49:02 [loggers.py:208] Engine 000: Avg
//   prompt throughput: 812.0 tokens/s, Avg generation throughput: 95.5
//   tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.5%,
//   Prefix cache hit rate: 80.0%
//
// Accepts: vLLM v1 (`loggers.py`, `Engine NNN:`, `N Engines Aggregated:`, with
//   Deferred, Preemptions and other fields between), v0 (`metrics.py`, Swapped,
//   Pending), SGLang `Prefill batch` and `Decode batch` lines with or without
//   their stamp. Fields may be missing or cut.
// Ignores: fields that it does not know.
// Rejects: a field whose number is damaged; the others are taken.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

#include "parsers/model/log_events.h"
#include "parsers/model/stamp.h"

namespace rlrun {

enum class EngineLineKind { kNone, kVllm, kSglangDecode, kSglangPrefill };

struct EngineLine {
  EngineLineKind kind = EngineLineKind::kNone;
  // The replica within its process: `000`, `all`; a view into the payload, or
  // constant.
  std::string_view number;
};

// `payload`: the line behind its prefixes. `stamp`: what ParseStamp made of it,
// or null.
EngineLine FindEngineLine(std::string_view payload, const Stamp* stamp);

// `<ip or local>:<pid or ->/<number>`.
std::string EngineName(std::string_view ip, std::string_view pid,
                       std::string_view number);

// Sets the readings that the line has; others stay.
void ParseEngineLine(EngineLineKind kind, std::string_view payload,
                     EngineReading* reading);

}  // namespace rlrun
