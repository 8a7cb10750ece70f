// SPDX-License-Identifier: Apache-2.0
// Small parts of core that every call stands on, by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "../../core/cpu/simd/simd_segments.hpp"
#include <onepass/errors.hpp>
#include "../../core/lookback/chained_look_back.hpp"
#include "../../core/lookback/look_back.hpp"
#include "../../core/support/divisor.hpp"
#include "../../core/support/may_look_up.hpp"
#include <onepass/operators.hpp>
#include "support/random.hpp"

namespace {

using namespace onepass::detail;

TEST(small_parts, errors_cpu) {
  const onepass::cuda_error error("inclusive_scan", 700, "an illegal memory access was encountered");
  EXPECT_STREQ(error.what(), "onepass::inclusive_scan: an illegal memory access was encountered");
  EXPECT_EQ(error.code(), 700);
  const onepass::bad_alloc memory("radix_sort");
  EXPECT_STREQ(memory.call(), "radix_sort");
  EXPECT_STREQ(memory.what(), "onepass::radix_sort: out of memory for the workspace");
}

// Functors: what they have as members says whether there can be a pointer.
struct with_nothing {};
struct with_a_number {
  double x;
};
struct with_numbers {
  char c;
  with_a_number inner;
  int more[3];
};
struct with_a_pointer {
  const int* table;
};
struct with_one_inside {
  double x;
  with_a_pointer inner;
};
struct with_a_base : with_a_pointer {
  double x;
};
class with_a_constructor {
 public:
  explicit with_a_constructor(double x) : x_(x) {}
  double x() const { return x_; }

 private:
  double x_;
};

TEST(small_parts, functors_that_may_look_up_cpu) {
  EXPECT_FALSE((may_look_up<with_nothing>() || may_look_up<with_a_number>() || may_look_up<with_numbers>()));
  EXPECT_TRUE((may_look_up<with_a_pointer>() && may_look_up<with_one_inside>() && may_look_up<with_a_base>()));
  EXPECT_TRUE((may_look_up<bool (*)(int)>()));
  EXPECT_TRUE((may_look_up<with_a_constructor>())) << "nobody can say what it has";
  const int narrow = 3;
  const double wide = 3;
  const auto captures_narrow = [narrow](int x) { return x < narrow; };
  const auto captures_wide = [wide](int x) { return x < wide; };
  EXPECT_TRUE(captures_narrow(2) && captures_wide(2));
  EXPECT_FALSE((may_look_up<decltype(captures_narrow)>()));
  EXPECT_TRUE((may_look_up<decltype(captures_wide)>()));
}

TEST(small_parts, affine_maps_cpu) {
  using map = onepass::affine_map<int>;
  EXPECT_TRUE((map{2, 3} == map{2, 3}));
  EXPECT_FALSE((map{2, 3} == map{4, 3}));
  EXPECT_FALSE((map{2, 3} == map{2, 4}));
  const map both = onepass::affine{}(map{2, 3}, map{5, 7});  // first 2x + 3
  EXPECT_TRUE((both == map{10, 22}));
}

// Numbers of every magnitude by divisors of every magnitude, and those around multiples, where the quotient may be one less.
TEST(small_parts, divisors_cpu) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (int bits = 1; bits <= 63; ++bits) {
    for (std::uint64_t k = 0; k < 200; ++k) {
      const std::uint64_t seed = 200 * static_cast<std::uint64_t>(bits) + k;
      const auto d = static_cast<std::int64_t>(test::hash(1, seed) >> (64 - bits)) | 1;
      for (const std::int64_t by : {d, std::int64_t{1} << (bits - 1), most}) {
        const divisor divides(by);
        const auto x = static_cast<std::int64_t>(test::hash(2, seed) >> (1 + k % 60)), multiple = x / by * by;
        for (const std::int64_t n :
             {std::int64_t{0}, x, multiple, multiple + std::min(by - 1, most - multiple), most, most / by * by}) {
          ASSERT_EQ(divides.quotient(n), n / by) << n << " / " << by;
          ASSERT_EQ(divides.rest(n), n % by) << n << " % " << by;
        }
      }
    }
  }
}

// A walk over aggregates that are more than a window, up to an inclusive prefix.
TEST(small_parts, a_walk_of_several_windows_cpu) {
  using state = chained_descriptor<std::uint32_t>;
  for (int window = 1; window <= most_window; ++window) {
    std::vector<std::uint32_t> tiles(30);
    for (std::uint32_t t = 0; t < 30; ++t) tiles[t] = (t + 1) | (t == 3 ? state::inclusive : state::aggregate);
    const auto none = [] { FAIL() << "all are published"; };
    EXPECT_EQ((chained_prefix(&tiles[29], 1, 30, window, none)), 30u * 31 / 2 - 6) << window;
  }
}

#if defined(__x86_64__)
TEST(small_parts, vectors_that_are_allowed_cpu) {
  const char* const before = std::getenv("ONEPASS_SIMD");
  const std::string kept = before != nullptr ? before : "";
  const auto allowed = [](const char* name) {
    setenv("ONEPASS_SIMD", name, 1);
    return simd_allowed();
  };
  EXPECT_EQ(allowed("none"), simd_level::none);
  EXPECT_EQ(allowed("avx2"), simd_level::avx2);
  EXPECT_EQ(allowed("something else"), simd_level::avx512);
  unsetenv("ONEPASS_SIMD");
  EXPECT_EQ(simd_allowed(), simd_level::avx512);
  if (before != nullptr) setenv("ONEPASS_SIMD", kept.c_str(), 1);
}
#endif

#if ONEPASS_HAS_SIMD
struct heads_in_memory {
  const unsigned char* heads;
  bool is_head(onepass::index_t i) const { return heads[i] != 0; }
  const unsigned char* group(onepass::index_t i, unsigned char*) const { return heads + i; }
};
TEST(small_parts, last_head_cpu) {
  if (!simd_runs()) GTEST_SKIP() << "no vectors";
  for (const onepass::index_t n : {1, 63, 64, 65, 130, 200}) {
    for (onepass::index_t head = -1; head < n; ++head) {
      std::vector<unsigned char> heads(210);
      heads[2] = heads[static_cast<std::size_t>(n) + 3] = 1;  // not among them
      if (head >= 0) heads[static_cast<std::size_t>(head) + 3] = 1;
      EXPECT_EQ(last_head(heads_in_memory{heads.data()}, 3, n), head < 0 ? -1 : head + 3) << n;
    }
  }
}
#endif

}  // namespace
