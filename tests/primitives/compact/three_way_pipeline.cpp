// SPDX-License-Identifier: Apache-2.0
// Partitions to three ranges on the pipeline (primitives/compact/cuda/pipeline_three_way.cuh), at sizes for which calls
// would choose a shorter driver: every alignment, all items of one kind and some of each, sizes in memory.
#include <onepass/three_way_partition.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/pipeline_layouts.hpp"
#include "support/references.hpp"
#include "support/some_bytes.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

// Decides by the item's bytes alone: `percent` of random items.
template <class T>
struct holds_for {
  unsigned percent, seed;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(detail::object_address(x));
    unsigned h = seed;
    for (std::size_t i = 0; i < sizeof(T); ++i) h = (h ^ bytes[i]) * 16777619u;
    return (h >> 9) % 100 < percent;
  }
};

// The same, and looks a zero up.
template <class T>
struct holds_by_table {
  holds_for<T> by;
  const unsigned* zero;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return by(x) != (*zero != 0); }
};

template <class T, class First, class Policy>
void run_pipeline(const Policy& policy, const T* in, std::size_t n, const test::buffer<T> (&out)[3],
                  const First& is_first, const holds_for<T>& is_second, onepass::index_t* counts) {
  using kinds = detail::kinds<First, holds_for<T>>;
  using job = detail::three_way_job<const T*, kinds, T*, T*, T*>;
  using driver = typename detail::long_three_way<job>::driver;
  detail::layout scratch;
  const driver pass("test", static_cast<onepass::index_t>(n), scratch);
  const detail::cuda_call_memory memory("test", onepass::cuda(), {pass.tiles(), scratch.bytes()});
  pass.launch(job{{in, {}},
                  {is_first, is_second},
                  out[0].begin(),
                  out[1].begin(),
                  out[2].begin(),
                  counts,
                  static_cast<onepass::index_t>(n)},
              policy, memory.tiles(), memory.scratch());
}

template <class T, template <class> class First = holds_for>
void check(const test::cuda_backend& backend) {
  using work =
      detail::pipeline_three_way<detail::three_way_job<const T*, detail::kinds<First<T>, holds_for<T>>, T*, T*, T*>>;
  const test::buffer<unsigned> zero(backend, std::vector<unsigned>{0});
  std::vector<std::size_t> edges;
  for (const int edge : {work::shape::share_items, work::slot::run_items, work::shape::tile_items})
    edges.push_back(static_cast<std::size_t>(edge));
  unsigned turn = 0;
  test::for_each_pipeline_layout(
      sizeof(T),
      [&](std::size_t n, int in_shift, int out_shift) {
        const unsigned first = std::vector<unsigned>{30, 0, 100, 0, 3}[turn % 5];
        const unsigned second = std::vector<unsigned>{50, 100, 0, 0, 97}[turn++ % 5];
        SCOPED_TRACE(testing::Message() << first << " and " << second << " %");
        const std::vector<T> values = test::random_bytes<T>(n);
        const holds_for<T> is_first{first, 1}, is_second{second, 7};
        First<T> asked_first{};
        if constexpr (std::is_same_v<First<T>, holds_for<T>>) asked_first = is_first;
        else asked_first = {is_first, zero.begin()};
        const test::buffer<T> in(backend, values, in_shift);
        const test::buffer<onepass::index_t> counts(backend, 2), size(backend, 1);
        const auto a = static_cast<std::size_t>(out_shift), b = static_cast<std::size_t>(in_shift);
        const test::buffer<T> out[3] = {{backend, n, a}, {backend, n, b}, {backend, n}};
        const auto expect = [&](std::size_t now) {
          std::vector<T> expected[3];
          for (std::size_t i = 0; i < now; ++i) {
            const T& x = values[i];
            expected[is_first(x) ? 0 : is_second(x) ? 1 : 2].push_back(x);
          }
          const std::vector<onepass::index_t> counted = counts.to_host();
          for (std::size_t k = 0; k < 3; ++k) {
            if (k < 2) EXPECT_EQ(counted[k], static_cast<onepass::index_t>(expected[k].size())) << "kind " << k;
            EXPECT_TRUE(test::same(out[k].to_host(expected[k].size()), expected[k])) << "kind " << k;
            EXPECT_TRUE(out[k].untouched(expected[k].size())) << "behind the end of kind " << k;
            out[k].poison_all();
          }
        };
        run_pipeline(onepass::cuda(), in.begin(), n, out, asked_first, is_second, counts.begin());
        expect(n);
        for (const std::size_t now : {n, n / 3, std::size_t{0}}) {
          size.assign({static_cast<onepass::index_t>(now)});
          counts.poison_all();
          run_pipeline(onepass::cuda().sized_by(size.begin()), in.begin(), n, out, asked_first, is_second,
                       counts.begin());
          expect(now);
        }
        EXPECT_TRUE(test::same(in.to_host(), values)) << "the input was written";
      },
      edges);
}

}  // namespace

ONEPASS_GPU_TEST(three_way_pipeline, int64) { check<std::int64_t>(backend); }
ONEPASS_GPU_TEST(three_way_pipeline, uint16) { check<std::uint16_t>(backend); }
ONEPASS_GPU_TEST(three_way_pipeline, int32) { check<std::int32_t>(backend); }
ONEPASS_GPU_TEST(three_way_pipeline, some_bytes) {
  check<test::some_bytes<3>>(backend);
  check<test::some_bytes<5>>(backend);
  check<test::some_bytes<16>>(backend);
}
ONEPASS_GPU_TEST(three_way_pipeline, by_table) {
  check<std::uint16_t, holds_by_table>(backend);
  check<test::some_bytes<12>, holds_by_table>(backend);
}
#endif
