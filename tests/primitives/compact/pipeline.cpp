// SPDX-License-Identifier: Apache-2.0
// Compaction on the pipeline (primitives/compact/cuda/pipeline_compact.cuh), at sizes for which calls would choose the shorter
// driver: every size of item, every alignment, all, no and some items kept, in place, with the rejected ones, by stencil
// and by novelty.
#include <onepass/compact.hpp>

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

template <class Rule, class Outputs>
std::size_t run_pipeline(const test::cuda_backend& backend, const Rule& rule, const Outputs& outputs, std::size_t n) {
  using job = detail::compact_job<Rule, Outputs>;
  static_assert(detail::is_pipelined_compaction<job>);
  const test::buffer<onepass::index_t> count(backend, 1);
  detail::layout scratch;
  const detail::pipeline<job, detail::pipeline_compact<job>> pass("test", static_cast<onepass::index_t>(n), scratch);
  const detail::cuda_call_memory call_memory("test", onepass::cuda(), {pass.tiles(), scratch.bytes()});
  pass.launch(job{rule, outputs, count.begin(), static_cast<onepass::index_t>(n)}, onepass::cuda(), call_memory.tiles(),
              call_memory.scratch());
  return static_cast<std::size_t>(count.to_host()[0]);
}

template <class T>
detail::compact_outputs<T*> to(T* out, bool in_place = false) {
  return {out, {}, in_place, in_place};
}

// Decides by the item's bytes alone: keeps `percent` of random items.
template <class T>
struct keeps {
  unsigned percent;
  static ONEPASS_HOST_DEVICE unsigned number(const T& x) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(detail::object_address(x));
    unsigned h = 1;
    for (std::size_t i = 0; i < sizeof(T); ++i) h = (h ^ bytes[i]) * 16777619u;
    return (h >> 9) % 100;
  }
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return number(x) < percent; }
};
// The same, from a table in memory.
template <class T>
struct looks_up {
  const std::uint8_t* is_kept;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return is_kept[keeps<T>::number(x)] != 0; }
};
// The same, of a number that is as wide as a pointer.
template <class T>
struct compares {
  std::uint64_t percent;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return keeps<T>::number(x) < percent; }
};
static_assert(!detail::may_look_up<compares<int>>() && detail::may_look_up<looks_up<int>>());
std::vector<std::uint8_t> table_of(unsigned percent) {
  std::vector<std::uint8_t> table(100);
  for (unsigned i = 0; i < 100; ++i) table[i] = i < percent;
  return table;
}

template <class T>
std::vector<std::uint8_t> flags_of(const std::vector<T>& values, keeps<T> is_kept) {
  std::vector<std::uint8_t> flags(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) flags[i] = is_kept(values[i]);
  return flags;
}

template <class T>
void expect(const char* what, const test::buffer<T>& out, std::size_t count, const std::vector<T>& expected) {
  ASSERT_EQ(count, expected.size()) << what;
  EXPECT_TRUE(test::same(out.to_host(count), expected)) << what;
}

// Where the work's runs and tiles end.
template <class Rule, class Outputs>
std::vector<std::size_t> edges_of() {
  using work = detail::pipeline_compact<detail::compact_job<Rule, Outputs>>;
  std::vector<std::size_t> edges;
  for (const int edge :
       {work::shape::share_items, work::slot::run_items, work::shape::tile_items, 2 * work::shape::tile_items})
    edges.push_back(static_cast<std::size_t>(edge));
  return edges;
}

template <class T, class Rule>
void check_one(const test::cuda_backend& backend, const Rule& rule, const test::buffer<T>& in,
               const std::vector<T>& values, unsigned percent, int in_shift, int out_shift) {
  const std::size_t n = values.size();
  const std::vector<std::uint8_t> flags = flags_of(values, keeps<T>{percent});
  const std::vector<T> expected = test::kept(values, flags);
  const test::buffer<T> out(backend, n, out_shift), rest(backend, n, in_shift);
  expect("copy", out, run_pipeline(backend, rule, to(out.begin()), n), expected);
  EXPECT_TRUE(out.untouched(expected.size())) << "written behind the last kept item";
  EXPECT_TRUE(test::same(in.to_host(), values)) << "the input was written";

  out.poison_all();
  const detail::compact_outputs<T*, T*> both{out.begin(), rest.begin(), false, false};
  expect("kept", out, run_pipeline(backend, rule, both, n), expected);
  EXPECT_TRUE(out.untouched(expected.size()));
  const std::vector<T> all = test::partitioned(values, flags);
  const std::vector<T> rejected(all.begin() + static_cast<std::ptrdiff_t>(expected.size()), all.end());
  EXPECT_TRUE(test::same(rest.to_host(rejected.size()), rejected)) << "rejected";
  EXPECT_TRUE(rest.untouched(rejected.size()));

  expect("in place", in, run_pipeline(backend, rule, to(in.begin(), true), n), expected);
}

template <class T, template <class> class Pred = keeps>
void check(const test::cuda_backend& backend) {
  using rule = detail::kept_by_predicate<const T*, Pred<T>>;
  std::vector<std::size_t> edges = edges_of<rule, detail::compact_outputs<T*>>();
  for (const std::size_t edge : edges_of<rule, detail::compact_outputs<T*, T*>>()) edges.push_back(edge);
  unsigned turn = 0;
  test::for_each_pipeline_layout(
      sizeof(T),
      [&](std::size_t n, int in_shift, int out_shift) {
        const unsigned percent = std::vector<unsigned>{50, 100, 3, 0, 97, 50}[turn++ % 6];
        SCOPED_TRACE(testing::Message() << percent << " % kept");
        const std::vector<T> values = test::random_bytes<T>(n);
        const test::buffer<T> in(backend, values, in_shift);
        const test::buffer<std::uint8_t> table(backend, table_of(percent));
        if constexpr (std::is_same_v<Pred<T>, looks_up<T>>) {
          check_one(backend, rule{in.begin(), {table.begin()}}, in, values, percent, in_shift, out_shift);
        } else {
          check_one(backend, rule{in.begin(), {percent}}, in, values, percent, in_shift, out_shift);
        }
      },
      edges);
}

template <class T, class Mark, template <class> class Pred = keeps>
void check_by_stencil(const test::cuda_backend& backend) {
  test::for_each_pipeline_layout(sizeof(T) + sizeof(Mark), [&](std::size_t n, int mark_shift, int shift) {
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<Mark> marks = test::random_values<Mark>(n, n + 1);
    const std::vector<T> expected = test::kept(values, flags_of(marks, keeps<Mark>{40}));
    const test::buffer<std::uint8_t> table(backend, table_of(40));
    Pred<Mark> is_kept{};
    if constexpr (std::is_same_v<Pred<Mark>, looks_up<Mark>>) is_kept = {table.begin()};
    else is_kept = {40};
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    const test::buffer<Mark> mark_buffer(backend, marks, mark_shift);
    const detail::kept_by_stencil<const T*, const Mark*, Pred<Mark>> rule{in.begin(), mark_buffer.begin(), is_kept,
                                                                          "stencil"};
    expect("copy", out, run_pipeline(backend, rule, to(out.begin()), n), expected);
    EXPECT_TRUE(out.untouched(expected.size()));
    expect("in place", in, run_pipeline(backend, rule, to(in.begin(), true), n), expected);
  });
}

template <class T>
void check_by_bits(const test::cuda_backend& backend) {
  test::for_each_pipeline_layout(sizeof(T), [&](std::size_t n, int bit_shift, int shift) {
    bit_shift *= 11;
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<std::uint8_t> flags = test::random_flags(n, n, 0.4);
    const std::vector<T> expected = test::kept(values, flags);
    const test::buffer<std::uint32_t> words(backend, test::words_of(flags, static_cast<std::size_t>(bit_shift)));
    const test::buffer<T> in(backend, values, shift), out(backend, n, shift);
    const detail::kept_by_stencil<const T*, onepass::bit_iterator, detail::is_true> rule{
        in.begin(), onepass::bits(words.begin()) + bit_shift, {}, "flags"};
    expect("copy", out, run_pipeline(backend, rule, to(out.begin()), n), expected);
    EXPECT_TRUE(out.untouched(expected.size()));
  });
}

// Looks a zero up.
struct equal_by_table {
  const std::uint8_t* zero;
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return (a == b) != (*zero != 0);
  }
};

template <class T, class Equal = detail::equal_to>
void check_unique(const test::cuda_backend& backend, std::uint64_t mean_length, Equal equal = {}) {
  test::for_each_pipeline_layout(sizeof(T), [&](std::size_t n, int in_shift, int out_shift) {
    std::vector<T> values(n), expected;
    T value{};
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = value = static_cast<T>(value + (test::hash(n, i) % mean_length == 0));
      if (expected.empty() || value != expected.back()) expected.push_back(value);
    }
    const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
    const detail::kept_if_first_of_run<const T*, Equal> rule{in.begin(), equal};
    expect("copy", out, run_pipeline(backend, rule, to(out.begin()), n), expected);
    EXPECT_TRUE(out.untouched(expected.size()));
    expect("in place", in, run_pipeline(backend, rule, to(in.begin(), true), n), expected);
  });
}

}  // namespace

ONEPASS_GPU_TEST(compact_pipeline, by_predicate) {
  check<std::uint8_t>(backend);
  check<std::uint16_t>(backend);
  check<std::int32_t>(backend);
  check<std::uint64_t>(backend);
}

// Predicates that look something up have shapes of their own.
ONEPASS_GPU_TEST(compact_pipeline, by_table) {
  check<std::uint8_t, looks_up>(backend);
  check<std::int32_t, looks_up>(backend);
  check<test::some_bytes<12>, looks_up>(backend);
  check<test::some_bytes<32>, looks_up>(backend);
}

ONEPASS_GPU_TEST(compact_pipeline, other_rules_by_table) {
  check_by_stencil<std::int32_t, std::uint8_t, looks_up>(backend);
  const test::buffer<std::uint8_t> zero(backend, std::vector<std::uint8_t>{0});
  check_unique<std::int32_t>(backend, 2, equal_by_table{zero.begin()});
}

ONEPASS_GPU_TEST(compact_pipeline, some_bytes) {
  check<test::some_bytes<3>>(backend);
  check<test::some_bytes<5>>(backend);
  check<test::some_bytes<32>>(backend);
  check<std::int32_t, compares>(backend);
}

ONEPASS_GPU_TEST(compact_pipeline, structs) {
  check<test::triple>(backend);
  check<test::matrix>(backend);
}

ONEPASS_GPU_TEST(compact_pipeline, by_stencil) {
  check_by_stencil<std::int32_t, std::uint8_t>(backend);
  check_by_stencil<std::uint8_t, std::uint64_t>(backend);
}

ONEPASS_GPU_TEST(compact_pipeline, by_bits) {
  check_by_bits<std::int32_t>(backend);
  check_by_bits<std::uint8_t>(backend);
}

ONEPASS_GPU_TEST(compact_pipeline, unique) {
  check_unique<std::uint8_t>(backend, 1);
  check_unique<std::int32_t>(backend, 2);
  check_unique<std::uint64_t>(backend, 50);
}

// Runs longer than tiles, so that most tiles keep nothing, and the first item of a tile is decided by the one before.
ONEPASS_GPU_TEST(compact_pipeline, long_runs) { check_unique<std::int32_t>(backend, 100000); }
#endif
