#include "parsers/blocks/crc32.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace rlrun {
namespace {

// Slicing by 8: table k holds the checksums of a byte with k zero bytes behind
// it (Kounavis and Berry, 2005).
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables MakeTables(std::uint32_t polynomial) {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1u) != 0 ? polynomial : 0u);
    }
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[k - 1][i];
      tables[k][i] = (before >> 8) ^ tables[0][before & 0xFFu];
    }
  }
  return tables;
}

// Reflected polynomials.
constexpr Tables kIeee = MakeTables(0xEDB88320u);
constexpr Tables kCastagnoli = MakeTables(0x82F63B78u);

std::uint32_t Load32(const unsigned char* at) {
  return static_cast<std::uint32_t>(at[0]) |
         static_cast<std::uint32_t>(at[1]) << 8 |
         static_cast<std::uint32_t>(at[2]) << 16 |
         static_cast<std::uint32_t>(at[3]) << 24;
}

std::uint32_t ByTable(const Tables& t, std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  std::uint32_t crc = ~0u;
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t low = crc ^ Load32(at);
    const std::uint32_t high = Load32(at + 4);
    crc = t[7][low & 0xFFu] ^ t[6][(low >> 8) & 0xFFu] ^
          t[5][(low >> 16) & 0xFFu] ^ t[4][low >> 24] ^ t[3][high & 0xFFu] ^
          t[2][(high >> 8) & 0xFFu] ^ t[1][(high >> 16) & 0xFFu] ^
          t[0][high >> 24];
  }
  for (; left != 0; --left, ++at) {
    crc = (crc >> 8) ^ t[0][(crc ^ *at) & 0xFFu];
  }
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(
    std::string_view bytes) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t crc = 0xFFFFFFFFu;
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    crc = _mm_crc32_u64(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left != 0; --left, ++at) {
    rest = _mm_crc32_u8(rest, static_cast<unsigned char>(*at));
  }
  return ~rest;
}

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#endif

}  // namespace

std::uint32_t Crc32(std::string_view bytes) { return ByTable(kIeee, bytes); }

std::uint32_t Crc32cByTable(std::string_view bytes) {
  return ByTable(kCastagnoli, bytes);
}

std::uint32_t Crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  if (HasInstruction()) return ByInstruction(bytes);
#endif
  return Crc32cByTable(bytes);
}

}  // namespace rlrun
