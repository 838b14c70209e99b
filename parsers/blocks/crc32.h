// The two checksums of recorded metrics: CRC-32 (IEEE 802.3, as zlib has it)
// and CRC-32C (Castagnoli), the latter also masked as TFRecord files store it.
// Where the processor has an instruction for CRC-32C it is used; that is found
// out while the program runs.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlrun {

// "123456789" -> 0xCBF43926.
std::uint32_t Crc32(std::string_view bytes);
// "123456789" -> 0xE3069283.
std::uint32_t Crc32c(std::string_view bytes);
// The same without the instruction, for processors that lack it.
std::uint32_t Crc32cByTable(std::string_view bytes);

// A checksum that is stored beside the bytes that it covers is turned and
// shifted, so that checksums over checksums stay of use: TFRecord's rule.
constexpr std::uint32_t MaskCrc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace rlrun
