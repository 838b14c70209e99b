// Fixed-size numbers as files of metrics store them: little endian, at any
// address. Pure; safe from any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlrun {

// The first sizeof(T) bytes of `bytes`, which has at least as many.
template <typename T>
constexpr T LoadLittleEndian(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return value;
}

inline float LoadFloat(std::string_view bytes) {
  return std::bit_cast<float>(LoadLittleEndian<std::uint32_t>(bytes));
}
inline double LoadDouble(std::string_view bytes) {
  return std::bit_cast<double>(LoadLittleEndian<std::uint64_t>(bytes));
}

}  // namespace rlrun
