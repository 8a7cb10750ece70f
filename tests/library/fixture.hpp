// SPDX-License-Identifier: Apache-2.0
// Tests of the static library: plain C++ that sees no CUDA header, so device memory comes from the library too.
//
//   LIBRARY_TEST(library_scan, sums) { ... where ... }
//
// makes library_scan.sums_cpu and library_scan.sums_gpu; the latter skips itself where there is no device.
#pragma once

#include <gtest/gtest.h>
#include <onepass/library.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/references.hpp"
#include "support/sizes.hpp"

#define LIBRARY_TEST(suite, name)                                                    \
  static void suite##_##name([[maybe_unused]] const library::execution& where);      \
  TEST(suite, name##_cpu) { suite##_##name(library::execution::cpu()); }             \
  TEST(suite, name##_gpu) {                                                          \
    if (!library::has_cuda()) GTEST_SKIP() << "no CUDA device, or a CPU-only build"; \
    suite##_##name(library::execution::cuda());                                      \
  }                                                                                  \
  static void suite##_##name([[maybe_unused]] const library::execution& where)

namespace library = onepass::library;

namespace test {

// Items where the calls under test want them, with guards at both ends.
template <class T>
class array {
 public:
  array(const library::execution& where, const std::vector<T>& items)
      : where_(where),
        n_(items.size()),
        memory_(static_cast<T*>(library::allocate(where, (n_ + 2 * guard) * sizeof(T)))) {
    std::vector<T> all(n_ + 2 * guard);
    std::memset(static_cast<void*>(all.data()), poison, all.size() * sizeof(T));
    std::copy(items.begin(), items.end(), all.begin() + guard);
    library::copy(where_, memory_, all.data(), all.size() * sizeof(T));
  }
  array(const library::execution& where, std::size_t n) : array(where, poisoned(n)) {}
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() {
    const std::vector<T> all = read(0, n_ + 2 * guard);
    for (std::size_t i = 0; i < guard; ++i) {
      EXPECT_TRUE(is_poison(all[i])) << "written in front of the first item";
      EXPECT_TRUE(is_poison(all[guard + n_ + i])) << "written behind the last item";
    }
    library::release(where_, memory_);
  }

  operator T*() const { return memory_ + guard; }
  std::size_t size() const { return n_; }
  std::vector<T> items() const { return read(guard, n_); }
  // The first `count`, where all behind them must not have been written.
  std::vector<T> items(std::size_t count) const {
    std::vector<T> all = items();
    for (std::size_t i = count; i < n_; ++i) EXPECT_TRUE(is_poison(all[i])) << "item " << i << " was written";
    all.resize(count);
    return all;
  }
  bool untouched() const {
    const std::vector<T> all = items();
    return std::all_of(all.begin(), all.end(), is_poison);
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr int poison = 0xA5;

  static std::vector<T> poisoned(std::size_t n) {
    std::vector<T> items(n);
    if (n > 0) std::memset(static_cast<void*>(items.data()), poison, n * sizeof(T));
    return items;
  }
  static bool is_poison(const T& item) {
    static const T pattern = poisoned(1)[0];
    return same_bits(item, pattern);
  }
  std::vector<T> read(std::size_t from, std::size_t n) const {
    std::vector<T> items(n);
    library::copy(where_, items.data(), memory_ + from, n * sizeof(T));
    return items;
  }

  library::execution where_;
  std::size_t n_;
  T* memory_;
};

template <class T>
struct type_tag {
  using type = T;
};
// These call f with a tag of each type of the library. Integers of 8 and 16 bits.
template <class F>
void for_each_narrow_type(F f) {
  f(type_tag<std::int8_t>{});
  f(type_tag<std::uint8_t>{});
  f(type_tag<std::int16_t>{});
  f(type_tag<std::uint16_t>{});
}
// Those of 32 and 64 bits.
template <class F>
void for_each_word(F f) {
  f(type_tag<std::int32_t>{});
  f(type_tag<std::uint32_t>{});
  f(type_tag<std::int64_t>{});
  f(type_tag<std::uint64_t>{});
  f(type_tag<float>{});
  f(type_tag<double>{});
}
// All but floats of 16 bits.
template <class F>
void for_each_type(F f) {
  for_each_narrow_type(f);
  for_each_word(f);
}

// A library operator as the references take one; integers wrap around.
template <class T>
struct applied {
  library::op by;
  T operator()(T a, T b) const {
    using library::op;
    if (by == op::minimum) return b < a ? b : a;
    if (by == op::maximum) return a < b ? b : a;
    if constexpr (std::is_integral_v<T>) {
      using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      const wide x = static_cast<wide>(a), y = static_cast<wide>(b);
      if (by == op::sum) return static_cast<T>(x + y);
      if (by == op::product) return static_cast<T>(x * y);
      return static_cast<T>(by == op::bit_and ? x & y : by == op::bit_or ? x | y : x ^ y);
    } else {
      return by == op::sum ? a + b : a * b;
    }
  }
};

template <class T>
std::vector<library::op> operators() {
  using library::op;
  if (!std::is_integral_v<T>) return {op::sum, op::product, op::minimum, op::maximum};
  return {op::sum, op::product, op::minimum, op::maximum, op::bit_and, op::bit_or, op::bit_xor};
}

// Integers of any bits. Floats with which the operator is exact: small whole numbers, or for products a sign.
template <class T>
std::vector<T> operands(std::size_t n, std::uint64_t seed, library::op by) {
  if constexpr (std::is_integral_v<T>) {
    return random_values<T>(n, seed);
  } else {
    std::vector<T> values =
        by == library::op::product ? random_between<T>(n, seed, 0, 1) : random_between<T>(n, seed, -8, 8);
    if (by == library::op::product) {
      for (T& value : values) value = 2 * value - 1;
    }
    return values;
  }
}

}  // namespace test
