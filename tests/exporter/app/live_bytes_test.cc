#include "tests/exporter/app/live_bytes.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

namespace {

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

// All but the aligned ones, because sanitizers bring the others that are not
// replaced. Not inlined: g++ takes malloc and free in them for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size,
                                     const std::nothrow_t&) noexcept {
  void* p = std::malloc(size);
  if (p == nullptr) return nullptr;
  const auto n = static_cast<std::int64_t>(::malloc_usable_size(p));
  const std::int64_t now = live += n;
  std::int64_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* p = operator new(size, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
  return operator new(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size,
                                       const std::nothrow_t& t) noexcept {
  return operator new(size, t);
}

[[gnu::noinline]] void operator delete(void* p) noexcept {
  if (p == nullptr) return;
  live -= static_cast<std::int64_t>(::malloc_usable_size(p));
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}
[[gnu::noinline]] void operator delete(void* p,
                                       const std::nothrow_t&) noexcept {
  operator delete(p);
}
[[gnu::noinline]] void operator delete[](void* p) noexcept {
  operator delete(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept {
  operator delete(p);
}
[[gnu::noinline]] void operator delete[](void* p,
                                         const std::nothrow_t&) noexcept {
  operator delete(p);
}

namespace rlrun {

std::int64_t LiveBytes() { return live; }
std::int64_t PeakBytes() { return peak; }
void RestartPeak() { peak = live.load(); }

namespace {

TEST(LiveBytesTest, WhatIsHeldAndWasHeld) {
  const std::int64_t before = LiveBytes();
  RestartPeak();
  { const std::string text(1 << 20, 'x'); }
  EXPECT_GE(PeakBytes() - before, 1 << 20);
  EXPECT_LT(LiveBytes() - before, 1 << 20);
}

}  // namespace
}  // namespace rlrun
