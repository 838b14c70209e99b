#include "exporter/app/shard.h"

#include <cctype>
#include <charconv>
#include <system_error>

namespace rlrun {
namespace {

// FNV-1a, 64 bits.
constexpr std::uint64_t kFnvBasis = 14695981039346656037u;
constexpr std::uint64_t kFnvPrime = 1099511628211u;

std::uint64_t Hash(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  }
  return (hash ^ 0xff) * kFnvPrime;  // no byte of UTF-8: it ends the text
}

// The finalizer of splitmix64: every bit depends on every bit.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

bool ParseNumber(std::string_view text, std::uint32_t* out) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *out);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

std::string ParseShard(std::string_view text, Shard* shard) {
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos) return "must be I/N, such as 0/2";
  const std::string_view name = text.substr(0, slash);
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::string_view digits =
      last == name.npos ? name : name.substr(last + 1);
  Shard parsed;
  if (!ParseNumber(text.substr(slash + 1), &parsed.count) || parsed.count < 1 ||
      parsed.count > kMaxShards) {
    return "the number of shards behind the slash must be from 1 to " +
           std::to_string(kMaxShards);
  }
  const bool is_name =
      !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) !=
                           0;  // `-1` is no shard 1
  if (!is_name || !ParseNumber(digits, &parsed.index)) {
    return "what stands before the slash must be a number or end in one";
  }
  if (parsed.index >= parsed.count) {
    return "shards are counted from 0: of " + std::to_string(parsed.count) +
           " the last is " + std::to_string(parsed.count - 1);
  }
  *shard = parsed;
  return "";
}

std::uint32_t ShardOf(const RunIdentity& run, std::uint32_t count) {
  const std::uint64_t name = Hash(Hash(kFnvBasis, run.project), run.run);
  std::uint32_t best = 0;
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t score = Mix(name ^ Mix(i));
    if (i == 0 || score > most) {
      most = score;
      best = i;
    }
  }
  return best;
}

}  // namespace rlrun
