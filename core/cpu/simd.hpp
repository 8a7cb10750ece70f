// SPDX-License-Identifier: Apache-2.0
// SIMD vectors for the CPU's inner loops, on the vector types of GCC and Clang, so that headers need no library.
//
// On x86 the vectors have 32 bytes and the functions that use them are compiled for AVX2 by an attribute, whatever the
// options of the program: ask simd_runs() before calling one. Elsewhere they have 16 bytes and what the compiler is set to.
// Where neither compiler is at work (or one too old) there are none, and has_simd is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../config.hpp"

// nvcc loses the lane numbers of Clang's shuffle on the way to a host compiler, so with it there are vectors for GCC alone.
#if defined(__GNUC__) && !(defined(__clang__) && defined(__NVCC__))
#define ONEPASS_HAS_SIMD 1
#else
#define ONEPASS_HAS_SIMD 0
#endif

#if ONEPASS_HAS_SIMD && defined(__x86_64__)
#include <immintrin.h>
#define ONEPASS_SIMD_TARGET __attribute__((target("avx2")))
#else
#define ONEPASS_SIMD_TARGET
#endif
// A function on vectors, and a step of one.
#define ONEPASS_SIMD_STEP ONEPASS_SIMD_TARGET __attribute__((always_inline)) inline

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

// Whether this machine runs the functions marked ONEPASS_SIMD_TARGET.
inline bool simd_runs() {
#if !ONEPASS_HAS_SIMD
  return false;
#elif defined(__x86_64__)
  static const bool has_avx2 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
  }();
  return has_avx2;
#else
  return true;
#endif
}

// For data that is read in order, once: brings what comes two pages later into the cache. A core asks memory for the lines
// of one page ahead on its own, but not for the next page's.
inline void prefetch_ahead(const void* p) { __builtin_prefetch(static_cast<const char*>(p) + 8192); }

// Where an item differs from the one before it; there is one before the first. A loop of whole vectors with nothing in it
// but the comparison, for the compiler to vectorise where it can.
template <std::ptrdiff_t count, class Item, class Equal>
ONEPASS_SIMD_STEP void flag_changes(const Item* items, Equal& equal, unsigned char* flags) {
  using item = std::remove_const_t<Item>;
  for (std::ptrdiff_t k = 0; k < count; ++k)
    flags[k] = !static_cast<bool>(equal(static_cast<item>(items[k - 1]), static_cast<item>(items[k])));
}

// Brings what is read next into the cache, a line for each call of step(), from four places at once, which is
// faster than from one.
class read_ahead {
 public:
  read_ahead() = default;
  read_ahead(const void* data, std::size_t bytes)
      : data_(static_cast<const char*>(data)), part_(bytes / places / cache_line * cache_line), line_(cache_line) {}
  void step() {
    __builtin_prefetch(data_ + place_ * part_ + at_);
    place_ = (place_ + 1) % places;
    if (place_ == 0) at_ += line_;
  }

 private:
  static constexpr std::size_t places = 4;
  const char* data_ = nullptr;  // a prefetch from nowhere does nothing
  std::size_t part_ = 0, line_ = 0, place_ = 0, at_ = 0;
};

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
constexpr std::size_t simd_bytes = 32;
#else
constexpr std::size_t simd_bytes = 16;
#endif

template <class T>
struct simd {
  using lane = T;
  static constexpr int lanes = static_cast<int>(simd_bytes / sizeof(T));
  typedef T vector __attribute__((vector_size(simd_bytes)));
  // The same anywhere in memory and over items of any type.
  typedef T in_memory __attribute__((vector_size(simd_bytes), aligned(1), may_alias));

  static ONEPASS_SIMD_STEP vector load(const T* p) { return *reinterpret_cast<const in_memory*>(p); }
  static ONEPASS_SIMD_STEP void store(T* p, const vector& v) { *reinterpret_cast<in_memory*>(p) = v; }

  // Stores past the caches; p is aligned to 16 bytes, and stream_fence() follows before others read it.
  static ONEPASS_SIMD_STEP void stream(T* p, const vector& v) {
#if defined(__x86_64__)
    __m128i half[2];
    std::memcpy(half, &v, sizeof half);
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), half[0]);
    _mm_stream_si128(reinterpret_cast<__m128i*>(p) + 1, half[1]);
#else
    store(p, v);
#endif
  }

  static ONEPASS_SIMD_STEP vector all(T x) { return x - vector{}; }  // for floats too: x - 0 is x, also -0

  // Lanes with all bits set or none: `mask ? a : b`.
  using mask_lane = integer_of_size<sizeof(T), true>;
  typedef mask_lane mask __attribute__((vector_size(simd_bytes)));
  // Set where the lane's byte is not 0.
  static ONEPASS_SIMD_STEP mask mask_of(const unsigned char* bytes) {
    mask lane;
#if defined(__x86_64__)
    const auto* const packed = reinterpret_cast<const __m128i*>(bytes);
    __m256i wide;
    if constexpr (sizeof(T) == 1) wide = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    else if constexpr (sizeof(T) == 2) wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(packed));
    else if constexpr (sizeof(T) == 4) wide = _mm256_cvtepi8_epi32(_mm_loadl_epi64(packed));
    else wide = _mm256_cvtepi8_epi64(_mm_loadu_si32(packed));
    std::memcpy(&lane, &wide, sizeof lane);
#else
    for (int i = 0; i < lanes; ++i) lane[i] = bytes[i];
#endif
    return lane != mask{};
  }

  // Lanes in a row that shuffles move among without a detour: 16 bytes.
  static constexpr int row = static_cast<int>(16 / sizeof(T));

  // In each row, lane i is v[i - by]; the first `by` lanes are the last ones of the row in `before`.
  template <int by>
  static ONEPASS_SIMD_STEP vector shifted_in_rows(const vector& before, const vector& v) {
    return shuffled_by<in_rows<by>>(before, v, std::make_integer_sequence<int, lanes>());
  }
  // All lanes of a row are its first.
  static ONEPASS_SIMD_STEP vector first_of_rows(const vector& v) {
    return shuffled_by<first_in_row>(v, v, std::make_integer_sequence<int, lanes>());
  }
  // The first row of `before`; in the second, all lanes are the last one of v's first row.
  static ONEPASS_SIMD_STEP vector last_of_first_row(const vector& before, const vector& v) {
    return shuffled_by<from_first_row>(before, v, std::make_integer_sequence<int, lanes>());
  }
  // Lane i is v[i - by]; the first `by` lanes are the last ones of `before`.
  template <int by>
  static ONEPASS_SIMD_STEP vector shifted(const vector& before, const vector& v) {
    return shuffled_by<in_whole<by>>(before, v, std::make_integer_sequence<int, lanes>());
  }
  // All lanes are v[lane].
  template <int lane>
  static ONEPASS_SIMD_STEP vector broadcast(const vector& v) {
    return shuffled_by<always<lane>>(v, v, std::make_integer_sequence<int, lanes>());
  }

 private:
  // Which lane of `before` (0 to lanes - 1) or v (from lanes on) comes to lane i.
  template <int by>
  struct in_rows {
    static constexpr int from(int i) { return i % row < by ? i + row - by : lanes + i - by; }
  };
  template <int by>
  struct in_whole {
    static constexpr int from(int i) { return i + lanes - by; }
  };
  struct first_in_row {
    static constexpr int from(int i) { return i / row * row; }
  };
  struct from_first_row {
    static constexpr int from(int i) { return i < row ? i : lanes + row - 1; }
  };
  template <int lane>
  struct always {
    static constexpr int from(int) { return lane; }
  };
  template <class Lanes, int... i>
  static ONEPASS_SIMD_STEP vector shuffled_by(const vector& before, const vector& v, std::integer_sequence<int, i...>) {
#if defined(__clang__)
    return __builtin_shufflevector(before, v, Lanes::from(i)...);
#else
    typedef integer_of_size<sizeof(T), true> indices __attribute__((vector_size(simd_bytes)));
    return __builtin_shuffle(before, v, indices{Lanes::from(i)...});
#endif
  }
};

#if defined(__x86_64__)
constexpr bool has_streaming = true;
inline void stream_fence() { _mm_sfence(); }
// Whole cache lines past the caches.
inline void stream_lines(void* to, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / 16; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
}
#else
constexpr bool has_streaming = false;
inline void stream_fence() {}
inline void stream_lines(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

// Copies past the caches.
ONEPASS_SIMD_TARGET inline void stream_copy(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  auto* in = static_cast<const unsigned char*>(from);
  const std::size_t to_line = (cache_line - reinterpret_cast<std::uintptr_t>(out) % cache_line) % cache_line;
  std::size_t i = to_line < bytes ? to_line : bytes;
  std::memcpy(out, in, i);
  for (; i + simd_bytes <= bytes; i += simd_bytes)
    simd<unsigned char>::stream(out + i, simd<unsigned char>::load(in + i));
  std::memcpy(out + i, in + i, bytes - i);
  stream_fence();
}

#else
constexpr bool has_streaming = false;
inline void stream_fence() {}
inline void stream_lines(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
inline void stream_copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

// What is larger than this leaves the caches before it is read again, so it is better stored past them. Not in place,
// where the cache has the line already.
constexpr std::size_t streaming_bytes = std::size_t{1} << 22;
inline bool pays_to_stream(std::size_t bytes) { return has_streaming && bytes >= streaming_bytes && simd_runs(); }

}  // namespace onepass::detail
