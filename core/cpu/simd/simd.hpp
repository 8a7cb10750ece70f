// SPDX-License-Identifier: Apache-2.0
// SIMD vectors for the CPU's inner loops. They are the vector types of GCC and Clang, so the headers need no library.
//
// On x86 vectors have 32 bytes for AVX2 and 64 for AVX-512. An attribute compiles the functions that use them for their
// level, whatever the options of the program (level_avx2.inc), and simd_in_use() says which of them to call. Elsewhere
// vectors have 16 bytes and the level that the compiler is set to (NEON). With other compilers, or old ones, there are
// no vectors, and has_simd is false.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include <onepass/config.hpp>

#include "../driver/cpu_caches.hpp"

// nvcc loses the lane numbers of Clang's shuffle on the way to the host compiler. So under nvcc there are vectors for
// GCC only. Where a compiler reads the program once more for the device, no code for the CPU comes of that, and the
// intrinsics' header would take a tenth of a scan's compile time.
#if defined(__GNUC__) && !(defined(__clang__) && defined(__NVCC__)) && !defined(__CUDA_ARCH__)
#define ONEPASS_HAS_SIMD 1
#else
#define ONEPASS_HAS_SIMD 0
#endif

#if ONEPASS_HAS_SIMD && defined(__x86_64__)
#include <immintrin.h>
#elif ONEPASS_HAS_SIMD && defined(__aarch64__)
#include <arm_neon.h>
#endif
// For a function whose loops the compiler may vectorise for the level of the function that it is inlined into.
#if defined(__GNUC__)
#define ONEPASS_INLINED __attribute__((always_inline)) inline
#else
#define ONEPASS_INLINED inline
#endif

namespace onepass::detail {

constexpr bool has_simd = ONEPASS_HAS_SIMD;
constexpr std::size_t cache_line = 64;

// The integer of 1, 2, 4 or 8 bytes.
template <std::size_t bytes, bool is_signed>
using integer_of_size = std::conditional_t<
    is_signed,
    std::conditional_t<
        bytes == 1, std::int8_t,
        std::conditional_t<bytes == 2, std::int16_t, std::conditional_t<bytes == 4, std::int32_t, std::int64_t>>>,
    std::conditional_t<
        bytes == 1, std::uint8_t,
        std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>>;

// ---- levels ---------------------------------------------------------------------------------------------------------
// On one kind of machine, each level includes those before it.
enum class simd_level { none, neon, avx2, avx512 };

// The highest level of this machine. AVX-512 means that of Ice Lake and Zen 4, with compression of bytes. On older
// processors wide vectors are said to slow the processor down (not measured).
inline simd_level simd_of_machine() {
#if !ONEPASS_HAS_SIMD
  return simd_level::none;
#elif defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return simd_level::none;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  return has_avx512 ? simd_level::avx512 : simd_level::avx2;
#else
  return simd_level::neon;
#endif
}
// The highest level that the environment variable ONEPASS_SIMD allows. It is read once.
inline simd_level simd_allowed() {
  const char* const name = std::getenv("ONEPASS_SIMD");
  const auto is = [name](const char* level) { return name != nullptr && std::strcmp(name, level) == 0; };
  return is("none") ? simd_level::none : is("avx2") ? simd_level::avx2 : simd_level::avx512;
}
// What is found once is not inlined, neither here nor in cpu_caches.hpp and thread_team.hpp: every call asks for it.
[[gnu::noinline, gnu::cold]] inline simd_level simd_at_first() { return std::min(simd_of_machine(), simd_allowed()); }
// The level for calls that begin from now on. Tests set it, to no more than the machine has.
inline std::atomic<simd_level>& simd_setting() {
  static std::atomic<simd_level> level{simd_at_first()};
  return level;
}
inline simd_level simd_in_use() { return simd_setting().load(std::memory_order_relaxed); }

// For data that is read in order, once: brings what stands 8 KB, two pages, ahead into the cache. A core prefetches
// within one page by itself, but not the next page. Measured: docs/history/performance-log.md, "CPU".
inline void prefetch_ahead(const void* p) { __builtin_prefetch(static_cast<const char*>(p) + 8192); }

// Sets flags where an item differs from the one before it. There is an item before the first. The loop has nothing in
// it but the comparison, and a constant length, so that the compiler can vectorise it.
template <std::ptrdiff_t count, class Item, class Equal>
ONEPASS_INLINED void flag_changes(const Item* items, Equal& equal, unsigned char* flags) {
  using item = std::remove_const_t<Item>;
  for (std::ptrdiff_t k = 0; k < count; ++k)
    flags[k] = !static_cast<bool>(equal(static_cast<item>(items[k - 1]), static_cast<item>(items[k])));
}

// Brings what is read next into the cache: one line for each call of step(), from the four quarters of the data in
// turn. That is faster than from one stretch: docs/history/performance-log.md, "CPU".
class read_ahead {
 public:
  read_ahead() = default;
  read_ahead(const void* data, std::size_t bytes)
      : data_(static_cast<const char*>(data)),
        quarter_bytes_(bytes / quarters / cache_line * cache_line),
        line_(cache_line) {}
  void step() {
    __builtin_prefetch(data_ + quarter_ * quarter_bytes_ + at_);
    quarter_ = (quarter_ + 1) % quarters;
    if (quarter_ == 0) at_ += line_;
  }

 private:
  static constexpr std::size_t quarters = 4;
  const char* data_ = nullptr;  // a prefetch from a null address does nothing
  std::size_t quarter_bytes_ = 0, line_ = 0, quarter_ = 0, at_ = 0;
};

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
namespace avx2 {}
namespace avx512 {}
using namespace avx2;  // the usual level: names without a namespace are AVX2's (level_avx2.inc)
constexpr simd_level usual_level = simd_level::avx2;
#else
namespace neon {}
using namespace neon;
constexpr simd_level usual_level = simd_level::neon;
#endif
}  // namespace onepass::detail

#if ONEPASS_HAS_SIMD && defined(__x86_64__)
#include "level_avx512.inc"
#include "simd_vectors.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "simd_vectors.inc"
#include "level_end.inc"

namespace onepass::detail {
// Whether code for the usual level may run.
inline bool simd_runs() { return simd_in_use() >= usual_level; }

// Calls f(level) with a tag of the namespace of the level in use, which must not be `none`. The call is compiled for
// that level, with everything that is inlined into it: the call operator of f, which has to be ONEPASS_INLINED, and
// functions that are. Functions of the caller's must not be (call_apart()).
template <class F>
auto at_simd_level(F f) {
#if defined(__x86_64__)
  return simd_in_use() == simd_level::avx512 ? call_at(avx512::level(), f) : call_at(avx2::level(), f);
#else
  return call_at(neon::level(), f);
#endif
}
// The same for code that calls functions of the caller's, at no more than the usual level.
template <class F>
auto at_usual_level(F f) {
#if defined(__x86_64__)
  return call_at(avx2::level(), f);
#else
  return call_at(neon::level(), f);
#endif
}

// Returns f(usual level), which calls functions of the caller's, for code of any level. AVX-512 has instructions that
// multiply and add and round once, which compilers take for a multiplication and an addition. So what is compiled for
// that level could have other results than at other levels, and a predicate another answer than its caller has got.
#if defined(__x86_64__)
template <class F>
[[gnu::noinline]] __attribute__((target("avx2"))) auto call_apart(const F& f) {
  return f(avx2::level());
}
#else
template <class F>
ONEPASS_INLINED auto call_apart(const F& f) {
  return f(neon::level());
}
#endif
// The same from code of `level`, where that level needs it and f(level) does call such functions.
template <bool calls_functions, class Level, class F>
ONEPASS_INLINED auto apart_from(Level level, F f) {
  if constexpr (calls_functions && Level::fuses) return call_apart(f);
  else return f(level);
}

#if defined(__x86_64__)
constexpr bool has_streaming = true;
inline void stream_fence() { _mm_sfence(); }
// Copies whole cache lines, with stores past the caches.
inline void stream_lines(void* to, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / 16; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
}
#else
constexpr bool has_streaming = false;
inline void stream_fence() {}
inline void stream_lines(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

// Copies bytes at any addresses, with stores past the caches.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  auto* in = static_cast<const unsigned char*>(from);
  const std::size_t to_line = (cache_line - reinterpret_cast<std::uintptr_t>(out) % cache_line) % cache_line;
  std::size_t i = to_line < bytes ? to_line : bytes;
  std::memcpy(out, in, i);
#if defined(__x86_64__)
  for (; i + 16 <= bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
#endif
  std::memcpy(out + i, in + i, bytes - i);
  stream_fence();
}

#else
constexpr bool has_streaming = false;
inline void stream_fence() {}
inline void stream_lines(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
inline void stream_copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
inline bool simd_runs() { return false; }
// For code in vectors that is read, and never compiled.
template <class F>
void at_simd_level(F f);
template <bool calls_functions, class Level, class F>
void apart_from(Level level, F f);
#endif

// Whether an output of so many bytes is stored past the caches (cpu_caches.hpp). Calls in place store through the caches,
// which have the lines already.
inline bool pays_to_stream(std::size_t bytes) {
  return has_streaming && bytes >= streaming_setting().load(std::memory_order_relaxed) &&
         simd_in_use() != simd_level::none;
}

}  // namespace onepass::detail
