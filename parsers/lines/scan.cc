#include "parsers/lines/scan.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define RLRUN_X86 1
#endif

namespace rlrun {
namespace {

bool EndsStep(const char* text, std::size_t colon) {
  return colon >= 4 && std::memcmp(text + colon - 4, "step", 4) == 0;
}

std::uint32_t* ScanBytes(const char* text, std::size_t begin, std::size_t from,
                         std::size_t end, std::uint32_t* out) {
  for (std::size_t i = from; i < end; ++i) {
    const char c = text[i];
    if (c > ':') continue;
    if (c == '\n' || c == '\r' || (c == '\0' && (i == 0 || text[i - 1])) ||
        (c == ':' && EndsStep(text, i))) {
      *out++ = static_cast<std::uint32_t>(i - begin);
    }
  }
  return out;
}

#if RLRUN_X86
// `hits`: one bit per byte of the block at `at` that may matter; `nuls`: one
// bit per NUL in it. Requires at >= 1.
inline std::uint32_t* WriteHits(const char* text, std::size_t begin,
                                std::size_t at, std::uint32_t hits,
                                std::uint32_t nuls, std::uint32_t* out) {
  const std::uint32_t before = text[at - 1] == '\0' ? 1u : 0u;
  hits &= ~(nuls & ((nuls << 1) | before));
  while (hits != 0) {
    const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(hits));
    hits &= hits - 1;
    *out = static_cast<std::uint32_t>(i - begin);
    out += text[i] != ':' || EndsStep(text, i);
  }
  return out;
}

std::uint32_t* ScanSse2(const char* text, std::size_t begin, std::size_t end,
                        std::uint32_t* out) {
  std::size_t i = begin;
  if (i == 0 && i < end) out = ScanBytes(text, begin, i++, 1, out);
  const __m128i zero = _mm_setzero_si128();
  const __m128i lf = _mm_set1_epi8('\n');
  const __m128i cr = _mm_set1_epi8('\r');
  const __m128i colon = _mm_set1_epi8(':');
  const __m128i letter_p = _mm_set1_epi8('p');
  for (; i + 16 <= end; i += 16) {
    const auto* at = reinterpret_cast<const __m128i*>(text + i);
    const auto* left = reinterpret_cast<const __m128i*>(text + i - 1);
    const __m128i v = _mm_loadu_si128(at);
    const __m128i nul = _mm_cmpeq_epi8(v, zero);
    const __m128i step =
        _mm_and_si128(_mm_cmpeq_epi8(v, colon),
                      _mm_cmpeq_epi8(_mm_loadu_si128(left), letter_p));
    const __m128i ends =
        _mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr));
    const auto hits = static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(ends, step), nul)));
    if (hits == 0) continue;
    const auto nuls = static_cast<std::uint32_t>(_mm_movemask_epi8(nul));
    out = WriteHits(text, begin, i, hits, nuls, out);
  }
  return ScanBytes(text, begin, i, end, out);
}

__attribute__((target("avx2"))) std::uint32_t* ScanAvx2(const char* text,
                                                        std::size_t begin,
                                                        std::size_t end,
                                                        std::uint32_t* out) {
  std::size_t i = begin;
  if (i == 0 && i < end) out = ScanBytes(text, begin, i++, 1, out);
  // A byte that equals the table's entry for its low nibble is NUL, LF or CR;
  // the other entries have another low nibble, so nothing can equal them.
  const __m256i table =
      _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', 0, 0,  //
                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', 0, 0);
  const __m256i zero = _mm256_setzero_si256();
  const __m256i colon = _mm256_set1_epi8(':');
  const __m256i letter_p = _mm256_set1_epi8('p');
  for (; i + 32 <= end; i += 32) {
    const auto* at = reinterpret_cast<const __m256i*>(text + i);
    const auto* left = reinterpret_cast<const __m256i*>(text + i - 1);
    const __m256i v = _mm256_loadu_si256(at);
    const __m256i ends = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, v), v);
    const __m256i step =
        _mm256_and_si256(_mm256_cmpeq_epi8(v, colon),
                         _mm256_cmpeq_epi8(_mm256_loadu_si256(left), letter_p));
    const auto hits = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_or_si256(ends, step)));
    if (hits == 0) continue;
    const auto nuls = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, zero)));
    out = WriteHits(text, begin, i, hits, nuls, out);
  }
  return ScanBytes(text, begin, i, end, out);
}
#endif

}  // namespace

bool HasScanLevel(ScanLevel level) {
#if RLRUN_X86
  return level != ScanLevel::kAvx2 || __builtin_cpu_supports("avx2");
#else
  return level == ScanLevel::kBytes;
#endif
}

ScanLevel BestScanLevel() {
  static const ScanLevel best =
      HasScanLevel(ScanLevel::kAvx2)   ? ScanLevel::kAvx2
      : HasScanLevel(ScanLevel::kSse2) ? ScanLevel::kSse2
                                       : ScanLevel::kBytes;
  return best;
}

std::size_t Scan(ScanLevel level, std::string_view text, std::size_t begin,
                 std::size_t end, std::uint32_t* out) {
  std::uint32_t* stop = nullptr;
#if RLRUN_X86
  if (level == ScanLevel::kAvx2) {
    stop = ScanAvx2(text.data(), begin, end, out);
  } else if (level == ScanLevel::kSse2) {
    stop = ScanSse2(text.data(), begin, end, out);
  }
#else
  (void)level;
#endif
  if (stop == nullptr) stop = ScanBytes(text.data(), begin, begin, end, out);
  return static_cast<std::size_t>(stop - out);
}

}  // namespace rlrun
