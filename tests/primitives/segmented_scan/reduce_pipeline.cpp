// SPDX-License-Identifier: Apache-2.0
// Reductions of runs on the pipeline (primitives/segmented_reduce/cuda/pipeline_reduce.cuh) at sizes for which calls would
// choose the shorter driver: few items, partial tiles, every alignment, runs from one item to all.
#include <onepass/segmented_reduce.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/pipeline_layouts.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;
using onepass::index_t;

template <class Job>
void run_pipeline(const Job& job) {
  static_assert(detail::pipeline_work<Job>::fits);
  detail::layout scratch;
  const detail::pipeline<Job, typename detail::pipeline_work<Job>::type> pass("test", job.n, scratch);
  const detail::cuda_call_memory call_memory("test", onepass::cuda(), {pass.tiles(), scratch.bytes()});
  pass.launch(job, onepass::cuda(), call_memory.tiles(), call_memory.scratch());
}

// Of five lengths, another for each alignment of a size.
std::uint64_t mean_of(std::size_t which) {
  constexpr std::uint64_t means[] = {1, 2, 30, 2000, 1000000000};
  return means[(which + which / 5) % 5];
}

template <class K>
std::vector<K> keys_of_mean(std::size_t n, std::uint64_t mean) {
  std::vector<K> keys(n);
  K key{};
  for (std::size_t i = 0; i < n; ++i) keys[i] = key = static_cast<K>(key + (test::hash(n, i) % mean == 0));
  return keys;
}

template <class T, class Values, class Heads, class Keys, class KeysOut, class Op>
void reduce(Values values, Heads heads, Keys keys, KeysOut out_keys, T* out, Op op, index_t* count, std::size_t n) {
  using source = detail::counted_source<T, Values, Heads>;
  using ends = detail::segment_ends<Heads, Keys, KeysOut, T*>;
  using job = detail::scan_job<source, ends, detail::counting<Op>, detail::emit_value, true>;
  const auto size = static_cast<index_t>(n);
  run_pipeline(job{{values, heads}, {heads, keys, out_keys, out, count, {size, nullptr}}, {op}, {}, {}, size});
}

template <class K, class T, class Op>
void check_by_key(const test::cuda_backend& backend, Op op) {
  std::size_t which = 0;
  test::for_each_pipeline_layout(sizeof(K) + sizeof(T), [&](std::size_t n, int key_shift, int shift) {
    const std::uint64_t mean = mean_of(++which);
    SCOPED_TRACE(testing::Message() << "mean length " << mean);
    const std::vector<K> keys = keys_of_mean<K>(n, mean);
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
    const std::vector<T> expected = test::ends_of(test::inclusive_segmented_reference(values, heads, op), heads);
    const test::buffer<K> in_keys(backend, keys, key_shift), out_keys(backend, n, shift);
    const test::buffer<T> in(backend, values, shift), out(backend, n, key_shift);
    const test::buffer<index_t> count(backend, 1);
    const K* first = in_keys.begin();
    reduce(static_cast<const T*>(in.begin()), detail::heads_from_keys<const K*, detail::equal_to>{first, {}}, first,
           out_keys.begin(), out.begin(), op, count.begin(), n);
    ASSERT_EQ(count.to_host()[0], static_cast<index_t>(expected.size()));
    EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
    EXPECT_TRUE(test::same(out_keys.to_host(expected.size()), test::kept(keys, heads)));
    EXPECT_TRUE(out.untouched(expected.size()) && out_keys.untouched(expected.size()));
    EXPECT_TRUE(test::same(in_keys.to_host(), keys) && test::same(in.to_host(), values)) << "the input was written";
  });
}

template <class K, class T>
void check_lengths(const test::cuda_backend& backend, T each) {
  std::size_t which = 0;
  test::for_each_pipeline_layout(sizeof(K), [&](std::size_t n, int key_shift, int shift) {
    const std::vector<K> keys = keys_of_mean<K>(n, mean_of(++which));
    const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
    const std::vector<T> expected =
        test::ends_of(test::inclusive_segmented_reference(std::vector<T>(n, each), heads, onepass::sum{}), heads);
    const test::buffer<K> in_keys(backend, keys, key_shift), out_keys(backend, n, shift);
    const test::buffer<T> out(backend, n, shift);
    const test::buffer<index_t> count(backend, 1);
    const K* first = in_keys.begin();
    reduce(thrust::constant_iterator<T>(each), detail::heads_from_keys<const K*, detail::equal_to>{first, {}}, first,
           out_keys.begin(), out.begin(), onepass::sum{}, count.begin(), n);
    ASSERT_EQ(count.to_host()[0], static_cast<index_t>(expected.size()));
    EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
    EXPECT_TRUE(test::same(out_keys.to_host(expected.size()), test::kept(keys, heads)));
    EXPECT_TRUE(out.untouched(expected.size()) && out_keys.untouched(expected.size()));
  });
}

}  // namespace

ONEPASS_GPU_TEST(reduce_pipeline, by_key) {
  check_by_key<std::int32_t, std::uint32_t>(backend, onepass::sum{});
  check_by_key<std::int8_t, std::uint64_t>(backend, onepass::maximum{});
  check_by_key<std::int64_t, std::uint8_t>(backend, onepass::maximum{});
}

ONEPASS_GPU_TEST(reduce_pipeline, non_commutative) {
  check_by_key<std::int32_t, test::matrix>(backend, test::matrix_product{});
}

ONEPASS_GPU_TEST(reduce_pipeline, lengths) {
  check_lengths<std::int32_t, std::int32_t>(backend, 1);
  check_lengths<std::uint8_t, std::int64_t>(backend, -3);  // too wide to stand where keys stood
  check_lengths<std::int32_t, float>(backend, 1);          // added up
}
#endif
