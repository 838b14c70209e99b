// Asks for memory that will be used soon, so that it is in a cache by then: of
// a thousand runs little is when the next step of one comes. Changes nothing.
// Safe from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace rlrun {

// The lines of a cache that hold `bytes` from `begin` on; any address will do.
inline void PrefetchBytes(const void* begin, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const char* at = static_cast<const char*>(begin);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + i);
  if (bytes != 0) __builtin_prefetch(at + bytes - 1);
  // A function without an effect that g++ knows of is not called at all.
  asm volatile("");
}

// The last `count` elements, and the place of the next one.
template <class T>
void PrefetchTail(const std::vector<T>& v, std::size_t count) {
  if (v.empty()) return;
  if (count > v.size()) count = v.size();
  PrefetchBytes(v.data() + (v.size() - count), (count + 1) * sizeof(T));
}

// Lets go of what `all` points to, one after the other.
template <class T>
void ReleaseAll(std::vector<std::shared_ptr<T>>* all) {
  constexpr std::size_t kAhead = 12;
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (i + kAhead < all->size()) {
      // Counts stand in front of what make_shared() has made.
      constexpr std::size_t kCounts = 16;
      const char* at = reinterpret_cast<const char*>((*all)[i + kAhead].get());
      PrefetchBytes(at - kCounts, kCounts + sizeof(T));
    }
    (*all)[i].reset();
  }
}

}  // namespace rlrun
