// SPDX-License-Identifier: Apache-2.0
// The pipeline (core/cuda/pipeline/pipeline.cuh) at sizes for which calls would choose the shorter driver: few items, partial
// tiles, windows that no bulk copy covers, more tiles than blocks; every size of item, and every alignment.
#include <onepass/scan.hpp>
#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/pipeline_layouts.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

template <class Job>
void run_pipeline(const Job& job) {
  static_assert(detail::pipeline_work<Job>::fits);
  detail::layout scratch;
  const detail::pipeline<Job, detail::pipeline_scan<Job>> pass("test", job.n, scratch);
  const detail::cuda_call_memory call_memory("test", onepass::cuda(), {pass.tiles(), scratch.bytes()});
  pass.launch(job, onepass::cuda(), call_memory.tiles(), call_memory.scratch());
}

template <class Value, bool inclusive, class T, class Out, class Op>
void scan(const T* in, Out* out, std::size_t n, Op op, ::cuda::std::optional<Value> initial = {}) {
  using job = detail::scan_job<detail::values_source<Value, const T*>, Out*, Op, detail::emit_value, inclusive>;
  run_pipeline(job{{in, {}}, out, op, {}, initial, static_cast<onepass::index_t>(n)});
}

// Bytes are added four at a time where calls add them up.
template <class T>
constexpr bool adds_four_at_a_time =
    detail::has_packed_sums<detail::values_source<detail::scanned_type<true, onepass::sum, detail::none, T, T*>,
                                                  detail::staged_pointer<T, true>, detail::as_is>,
                            onepass::sum>;
static_assert(adds_four_at_a_time<std::int8_t> && adds_four_at_a_time<std::uint8_t>);
static_assert(!adds_four_at_a_time<std::int16_t> && !adds_four_at_a_time<bool>);

template <class T, class Op>
void check(const test::cuda_backend& backend, Op op, T init, std::vector<T> (*make)(std::size_t, std::uint64_t)) {
  using value = detail::scanned_type<true, Op, detail::none, T, T*>;
  test::for_each_pipeline_layout(sizeof(T), [&](std::size_t n, int in_shift, int out_shift) {
    const std::vector<T> values = make(n, n);
    const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
    scan<value, true>(in.begin(), out.begin(), n, op);
    EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<T>(values, op))) << "inclusive";
    EXPECT_TRUE(test::same(in.to_host(), values)) << "the input was written";
    out.poison_all();
    scan<value, false>(in.begin(), out.begin(), n, op, value(init));
    const std::vector<T> exclusive = test::exclusive_reference<T>(values, op, init);
    EXPECT_TRUE(test::same(out.to_host(), exclusive)) << "exclusive";
    scan<value, false>(in.begin(), in.begin(), n, op, value(init));
    EXPECT_TRUE(test::same(in.to_host(), exclusive)) << "in place";
  });
}

template <class T>
std::vector<T> small_whole(std::size_t n, std::uint64_t seed) {
  return test::random_between<T>(n, seed, 0, 50);
}

template <class K, class T, class Op>
void check_by_key(const test::cuda_backend& backend, Op op, std::vector<T> (*make)(std::size_t, std::uint64_t),
                  std::uint64_t mean_length) {
  test::for_each_pipeline_layout(sizeof(K) + sizeof(T), [&](std::size_t n, int key_shift, int shift) {
    const std::vector<T> values = make(n, n);
    std::vector<K> keys(n);
    K key{};
    for (std::size_t i = 0; i < n; ++i) keys[i] = key = static_cast<K>(key + (test::hash(n, i) % mean_length == 0));
    const std::vector<T> expected = test::inclusive_segmented_reference(values, test::heads_of_keys(keys), op);
    const test::buffer<K> key_buffer(backend, keys, key_shift);
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    using heads = detail::heads_from_keys<const K*, detail::equal_to>;
    using types = detail::segmented_types<const T*, heads, T*, detail::none, Op>;
    const auto run = [&](T* to) {
      run_pipeline(
          types::make(in.begin(), heads{key_buffer.begin(), {}}, to, {}, op, static_cast<onepass::index_t>(n)));
    };
    run(out.begin());
    EXPECT_TRUE(test::same(out.to_host(), expected));
    run(in.begin());
    EXPECT_TRUE(test::same(in.to_host(), expected)) << "in place";
  });
}

template <class T, class Op>
void check_by_flag(const test::cuda_backend& backend, Op op, T init,
                   std::vector<T> (*make)(std::size_t, std::uint64_t)) {
  test::for_each_pipeline_layout(sizeof(T) + 1, [&](std::size_t n, int flag_shift, int shift) {
    const std::vector<T> values = make(n, n);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = test::hash(n + 1, i) % 60 == 0;
    const std::vector<T> expected = test::exclusive_segmented_reference(values, flags, init, op);
    const test::buffer<std::uint8_t> flag_buffer(backend, flags, flag_shift);
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    using heads = detail::heads_from_flags<const std::uint8_t*>;
    using types = detail::segmented_types<const T*, heads, T*, T, Op>;
    run_pipeline(
        types::make(in.begin(), heads{flag_buffer.begin()}, out.begin(), init, op, static_cast<onepass::index_t>(n)));
    EXPECT_TRUE(test::same(out.to_host(), expected));
  });
}

// Head flags as bits, from any bit on.
template <class T, class Op>
void check_by_bits(const test::cuda_backend& backend, Op op, std::vector<T> (*make)(std::size_t, std::uint64_t)) {
  test::for_each_pipeline_layout(sizeof(T), [&](std::size_t n, int bit_shift, int shift) {
    bit_shift *= 11;
    const std::vector<T> values = make(n, n);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = test::hash(n + 1, i) % 60 == 0;
    const std::vector<T> expected = test::inclusive_segmented_reference(values, flags, op);
    const test::buffer<std::uint32_t> words(backend, test::words_of(flags, static_cast<std::size_t>(bit_shift)));
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    using heads = detail::heads_from_flags<onepass::bit_iterator>;
    using types = detail::segmented_types<const T*, heads, T*, detail::none, Op>;
    run_pipeline(types::make(in.begin(), heads{onepass::bits(words.begin()) + bit_shift}, out.begin(), {}, op,
                             static_cast<onepass::index_t>(n)));
    EXPECT_TRUE(test::same(out.to_host(), expected));
  });
}

// Offsets of which each tile makes its bits: each item's and one or two between, for a while; then fewer and fewer, with
// many empty segments at one item; before all items, and behind them.
template <class T, class Offset, class Op>
void check_by_offsets(const test::cuda_backend& backend, Op op, std::vector<T> (*make)(std::size_t, std::uint64_t)) {
  test::for_each_pipeline_layout(sizeof(T), [&](std::size_t n, int offset_shift, int shift) {
    const std::vector<T> values = make(n, n);
    std::vector<std::int64_t> starts{-5, -1};
    for (std::size_t at = static_cast<std::size_t>(shift); at < n; at += 1 + at * at / (n * 20)) {
      const std::uint64_t bits = test::hash(n, at);
      starts.insert(starts.end(), at == n / 2 || bits % 1000 == 7 ? 3000 : bits % 3, static_cast<std::int64_t>(at));
    }
    starts.insert(starts.end(), 3, static_cast<std::int64_t>(n));
    const std::vector<Offset> offsets(starts.begin(), starts.end());
    const std::vector<T> expected = test::inclusive_segmented_reference(values, test::heads_of_offsets(starts, n), op);
    const test::buffer<Offset> begins(backend, offsets, offset_shift);
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    using heads = detail::heads_from_offsets<const Offset*>;
    using types = detail::segmented_types<const T*, heads, T*, detail::none, Op>;
    const auto items = static_cast<onepass::index_t>(n);
    const heads where(begins.begin(), static_cast<onepass::index_t>(offsets.size()), items);
    run_pipeline(types::make(in.begin(), where, out.begin(), {}, op, items));
    EXPECT_TRUE(test::same(out.to_host(), expected));
  });
}

}  // namespace

ONEPASS_GPU_TEST(pipeline, sums_of_integers) {
  check<std::int8_t>(backend, onepass::sum{}, std::int8_t{-3}, test::random_values<std::int8_t>);
  check<std::uint8_t>(backend, onepass::sum{}, std::uint8_t{200}, small_whole<std::uint8_t>);
  check<std::uint16_t>(backend, onepass::sum{}, std::uint16_t{3}, small_whole<std::uint16_t>);
  check<std::int32_t>(backend, onepass::sum{}, -7, small_whole<std::int32_t>);
  check<std::uint64_t>(backend, onepass::sum{}, std::uint64_t{1} << 40, test::random_values<std::uint64_t>);
}

ONEPASS_GPU_TEST(pipeline, non_commutative) {
  check<test::matrix>(backend, test::matrix_product{}, {1, 2, 3, 4}, test::random_values<test::matrix>);
  check<test::triple>(backend, test::triangular_product{}, {1, 2, 3}, test::random_values<test::triple>);
}

namespace {
// A sum that looks up what it adds to, a zero.
struct sum_by_table {
  const std::int32_t* zero;
  ONEPASS_HOST_DEVICE std::int32_t operator()(std::int32_t a, std::int32_t b) const { return a + b + *zero; }
};
static_assert(detail::may_look_up<sum_by_table>());
}  // namespace

// Operators that look something up have a shape of their own.
ONEPASS_GPU_TEST(pipeline, operators_with_tables) {
  const test::buffer<std::int32_t> zero(backend, std::vector<std::int32_t>{0});
  test::for_each_pipeline_layout(4, [&](std::size_t n, int in_shift, int out_shift) {
    const std::vector<std::int32_t> values = small_whole<std::int32_t>(n, n);
    const test::buffer<std::int32_t> in(backend, values, in_shift), out(backend, n, out_shift);
    scan<std::int32_t, true>(in.begin(), out.begin(), n, sum_by_table{zero.begin()});
    EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<std::int32_t>(values, onepass::sum{})));
    scan<std::int32_t, false>(in.begin(), in.begin(), n, sum_by_table{zero.begin()}, 7);
    EXPECT_TRUE(test::same(in.to_host(), test::exclusive_reference<std::int32_t>(values, onepass::sum{}, 7)));
  });
}

ONEPASS_GPU_TEST(pipeline, by_key) {
  check_by_key<std::int32_t, std::int32_t>(backend, onepass::sum{}, small_whole<std::int32_t>, 40);
  check_by_key<std::uint8_t, std::int64_t>(backend, onepass::sum{}, small_whole<std::int64_t>, 1000);
  check_by_key<std::int64_t, std::int16_t>(backend, onepass::maximum{}, small_whole<std::int16_t>, 2);
  check_by_key<std::int32_t, test::matrix>(backend, test::matrix_product{}, test::random_values<test::matrix>, 100000);
}

ONEPASS_GPU_TEST(pipeline, by_flag) {
  check_by_flag<std::int32_t>(backend, onepass::sum{}, 5, small_whole<std::int32_t>);
  check_by_flag<std::int8_t>(backend, onepass::maximum{}, std::int8_t{5}, small_whole<std::int8_t>);
  check_by_flag<test::matrix>(backend, test::matrix_product{}, {1, 2, 3, 4}, test::random_values<test::matrix>);
}

ONEPASS_GPU_TEST(pipeline, by_bits) {
  check_by_bits<std::int32_t>(backend, onepass::sum{}, small_whole<std::int32_t>);
  check_by_bits<std::uint8_t>(backend, onepass::maximum{}, small_whole<std::uint8_t>);
  check_by_bits<test::matrix>(backend, test::matrix_product{}, test::random_values<test::matrix>);
}

ONEPASS_GPU_TEST(pipeline, by_offsets) {
  check_by_offsets<std::uint8_t, std::int32_t>(backend, onepass::maximum{}, small_whole<std::uint8_t>);
  check_by_offsets<test::matrix, std::int64_t>(backend, test::matrix_product{}, test::random_values<test::matrix>);
}

// Blocks that are held up now and then.
ONEPASS_GPU_TEST(pipeline, slow_operator) {
  const std::size_t n = test::limited(3000017);
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, 3);
  const std::vector<std::uint32_t> expected = test::inclusive_reference<std::uint32_t>(values, onepass::sum{});
  const test::buffer<std::uint32_t> in(backend, values), out(backend, n);
  for (int round = 0; round < 5; ++round) {
    out.poison_all();
    scan<std::uint32_t, true>(in.begin(), out.begin(), n, test::slow_sum{});
    EXPECT_TRUE(test::same(out.to_host(), expected));
  }
}

// ---- floats ---------------------------------------------------------------------------------------------------------
// Takes multiprocessors and memory's time from what runs beside it.
static __global__ void disturb(float* memory, int items, long long clocks) {
  const long long end = clock64() + clocks;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); clock64() < end; i += 4093)
    memory[i % items] = static_cast<float>(i);
}

// Sums have the same bits each time, near those of doubles, whatever else runs: scan(in, out, n) 200 times.
template <class T, class Scan>
static void check_repeats(const test::cuda_backend& backend, std::size_t n, double tolerance, Scan scan) {
  constexpr int scratch_items = 1 << 22;
  const std::vector<T> values = test::random_fractions<T>(n, 3);
  const std::vector<double> widened(values.begin(), values.end());
  const std::vector<double> expected = test::inclusive_reference<double>(widened, onepass::sum{});
  const test::buffer<T> in(backend, values), out(backend, n);
  const test::buffer<float> disturbed(backend, scratch_items);
  cudaStream_t beside = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking), cudaSuccess);
  std::vector<T> first;
  for (int round = 0; round < (test::small_only() ? 3 : 200) && !testing::Test::HasFailure(); ++round) {
    out.poison_all();
    const std::uint64_t random = test::hash(7, static_cast<std::uint64_t>(round));
    for (int k = 0; round > 0 && k < static_cast<int>(random % 4); ++k) {
      const auto blocks = static_cast<unsigned>(1 + (random >> 8) % 300), threads = 32u << (random >> 20) % 6;
      disturb<<<blocks, threads, 0, beside>>>(disturbed.data(), scratch_items,
                                              static_cast<long long>((random >> 24) % 100000));
    }
    scan(static_cast<const T*>(in.begin()), out.begin(), n);
    const std::vector<T> result = out.to_host();
    if (round == 0) {
      first = result;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(result[i], expected[i], tolerance * (expected[i] + 1)) << "item " << i;
    }
    EXPECT_TRUE(test::identical(result, first)) << "round " << round;
  }
  EXPECT_EQ(cudaStreamSynchronize(beside), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(beside), cudaSuccess);
}

ONEPASS_GPU_TEST(pipeline, floats_repeat) {
  check_repeats<float>(backend, test::limited(6000017), 1e-5, [](const float* in, float* out, std::size_t n) {
    scan<float, true>(in, out, n, onepass::sum{});
  });
}
ONEPASS_GPU_TEST(pipeline, floats_repeat_in_short_scans) {
  check_repeats<double>(backend, test::limited(300007), 1e-12, [](const double* in, double* out, std::size_t n) {
    onepass::inclusive_scan(onepass::cuda(), in, in + n, out);
  });
}
#endif
