// SPDX-License-Identifier: Apache-2.0
// Where the outputs of a compaction lie: beside the input with room for just what they receive, over it, side by side in one
// array, nowhere at all, or where they must not be.
#include <onepass/compact.hpp>

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::int32_t;

struct below {
  number limit;
  ONEPASS_HOST_DEVICE bool operator()(number x) const { return x < limit; }
};
struct always {
  bool answer;
  ONEPASS_HOST_DEVICE bool operator()(number) const { return answer; }
};

// One array: `before` items, the input, `behind` items.
template <class Backend>
struct strip {
  strip(const Backend& backend, const std::vector<number>& values, std::size_t before, std::size_t behind)
      : all(backend, before + values.size() + behind), first(all.begin() + before), last(first + values.size()) {
    std::vector<number> content(all.size(), -1);
    std::copy(values.begin(), values.end(), content.begin() + static_cast<std::ptrdiff_t>(before));
    all.assign(content);
  }
  std::vector<number> items(const number* from, std::size_t count) const {
    const std::vector<number> host = all.to_host();
    const auto begin = host.begin() + (from - all.begin());
    return std::vector<number>(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  test::buffer<number> all;
  number *first, *last;
};

std::vector<std::size_t> sizes() { return {1, 2, 100, 5000, 40000, test::limited(300007)}; }

template <class F>
void refuses(const std::string& text, F call) {
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
}

}  // namespace

// An output with room for the kept items alone, right behind the input or right in front of it.
ONEPASS_TEST(compact, room_for_kept_items_beside_the_input) {
  for (const std::size_t n : sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<number> values = test::random_between<number>(n, n, 0, 9);
    const below few{3};
    const std::vector<number> kept = test::kept(values, test::flags_of(values, few)),
                              rest = test::kept(values, test::flags_of(values, few), false);
    const strip<backend_type> s(backend, values, kept.size(), kept.size());
    number* const outs[] = {s.last, s.first - kept.size()};
    for (number* const out : outs) {
      EXPECT_EQ(onepass::copy_if(backend.policy(), s.first, s.last, out, few), out + kept.size());
      EXPECT_TRUE(test::same(s.items(out, kept.size()), kept));
      EXPECT_TRUE(test::same(s.items(s.first, n), values)) << "the input has changed";
    }
    const strip<backend_type> both(backend, values, kept.size(), rest.size());
    onepass::partition_copy(backend.policy(), both.first, both.last, both.all.begin(), both.last, few);
    EXPECT_TRUE(test::same(both.items(both.all.begin(), kept.size()), kept));
    EXPECT_TRUE(test::same(both.items(both.last, rest.size()), rest));
    EXPECT_TRUE(test::same(both.items(both.first, n), values)) << "the input has changed";
  }
}

// An output that begins in front of the input and reaches into it overwrites what has been read.
ONEPASS_TEST(compact, items_move_to_the_front) {
  for (const std::size_t n : sizes()) {
    for (const std::size_t gap : {std::size_t{1}, std::size_t{70}}) {
      SCOPED_TRACE(testing::Message() << n << " items, by " << gap);
      const std::vector<number> values = test::random_between<number>(n, n, 0, 9);
      const std::vector<number> kept = test::kept(values, test::flags_of(values, below{8}));
      const strip<backend_type> s(backend, values, gap, 0);
      onepass::copy_if(backend.policy(), s.first, s.last, s.all.begin(), below{8});
      EXPECT_TRUE(test::same(s.items(s.all.begin(), kept.size()), kept));
      const std::vector<number> firsts = test::kept(values, test::heads_of_keys(values));
      const strip<backend_type> u(backend, values, gap, 0);
      onepass::unique_copy(backend.policy(), u.first, u.last, u.all.begin());
      EXPECT_TRUE(test::same(u.items(u.all.begin(), firsts.size()), firsts));
    }
  }
}

// Two permutations by the same indices are equal iterators, and yet items of two arrays.
ONEPASS_TEST(compact, permutations_of_two_arrays) {
  const std::size_t n = test::limited(20011);
  const std::vector<number> values = test::random_between<number>(n, n, 0, 9);
  std::vector<number> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<number>(i);
  const std::vector<number> kept = test::kept(values, test::flags_of(values, below{9}));
  const test::buffer<number> in(backend, values), out(backend, n), places(backend, order);
  const auto from = thrust::make_permutation_iterator(in.begin(), places.begin());
  onepass::copy_if(backend.policy(), from, from + static_cast<std::ptrdiff_t>(n),
                   thrust::make_permutation_iterator(out.begin(), places.begin()), below{9});
  EXPECT_TRUE(test::same(out.to_host(kept.size()), kept));
  onepass::remove_if(backend.policy(), from, from + static_cast<std::ptrdiff_t>(n), test::is_even{});
  const std::vector<number> odd = test::kept(values, test::flags_of(values, test::is_even{}), false);
  EXPECT_TRUE(test::same(in.to_host(odd.size()), odd)) << "in place";
}

// Either output of a partition may be where the input is.
ONEPASS_TEST(compact, partition_copy_over_the_input) {
  for (const std::size_t n : sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<number> values = test::random_between<number>(n, n, 0, 9);
    const below some{6};
    const std::vector<std::uint8_t> flags = test::flags_of(values, some);
    const std::vector<number> kept = test::kept(values, flags), rest = test::kept(values, flags, false);
    const test::buffer<std::uint8_t> stencil(backend, flags);
    const test::buffer<number> in(backend, values), other(backend, n);
    const auto check = [&](const char* call, const test::buffer<number>& to_true,
                           const test::buffer<number>& to_false) {
      EXPECT_TRUE(test::same(to_true.to_host(kept.size()), kept)) << call;
      EXPECT_TRUE(test::same(to_false.to_host(rest.size()), rest)) << call;
      EXPECT_TRUE(other.untouched(&to_true == &other ? kept.size() : rest.size())) << call;
      in.assign(values);
      other.poison_all();
    };
    const auto p = backend.policy();
    onepass::partition_copy(p, in.begin(), in.end(), in.begin(), other.begin(), some);
    check("partition_copy, kept items over the input", in, other);
    onepass::stable_partition_copy(p, in.begin(), in.end(), stencil.begin(), in.begin(), other.begin(), test::is_set{});
    check("stable_partition_copy by a stencil, kept items over the input", in, other);
    onepass::partition_copy(p, in.begin(), in.end(), other.begin(), in.begin(), some);
    check("partition_copy, the others over the input", other, in);
  }
}

// Outputs as large as they need to be, side by side in one array; one of them may be empty, so that two begin at one place.
ONEPASS_TEST(compact, outputs_side_by_side) {
  for (const number limit : {-1, 0, 3, 10}) {
    for (const number second_limit : {limit, 7, 10}) {
      const std::size_t n = test::limited(20011);
      SCOPED_TRACE(testing::Message() << "below " << limit << " and " << second_limit);
      const std::vector<number> values = test::random_between<number>(n, n, 0, 9);
      std::vector<number> expected[3];
      for (const number x : values) expected[x < limit ? 0 : x < second_limit ? 1 : 2].push_back(x);
      std::vector<number> joined = expected[0], halves = test::kept(values, test::flags_of(values, below{limit}));
      joined.insert(joined.end(), expected[1].begin(), expected[1].end());
      joined.insert(joined.end(), expected[2].begin(), expected[2].end());
      const std::vector<number> others = test::kept(values, test::flags_of(values, below{limit}), false);
      const std::size_t border = halves.size();
      halves.insert(halves.end(), others.begin(), others.end());
      const test::buffer<number> in(backend, values), out(backend, n);
      const test::buffer<std::int64_t> counts(backend, 2);
      const auto p = backend.policy();
      onepass::partition_copy(p, in.begin(), in.end(), out.begin(), out.begin() + border, below{limit});
      EXPECT_TRUE(test::same(out.to_host(), halves)) << "partition_copy";
      out.poison_all();
      onepass::partition_copy_async(p, in.begin(), in.end(), out.begin(), out.begin() + border, below{limit},
                                    counts.begin());
      EXPECT_TRUE(test::same(out.to_host(), halves)) << "partition_copy_async";
      out.poison_all();
      number *const second = out.begin() + expected[0].size(), *const rest = second + expected[1].size();
      onepass::three_way_partition_copy(p, in.begin(), in.end(), out.begin(), second, rest, below{limit},
                                        below{second_limit});
      EXPECT_TRUE(test::same(out.to_host(), joined)) << "three_way_partition_copy";
    }
  }
}

// An output that receives nothing may be null.
ONEPASS_TEST(compact, outputs_that_receive_nothing) {
  const std::vector<number> values = test::random_between<number>(test::limited(20011), 1, 0, 9);
  const test::buffer<number> in(backend, values), out(backend, values.size());
  const test::buffer<std::int64_t> counts(backend, 2);
  number *const first = in.begin(), *const last = in.end(), *const null = nullptr;
  const auto p = backend.policy();
  const always all{true}, none{false};
  const auto has_all = [&](const char* call) {
    EXPECT_TRUE(test::same(out.to_host(), values)) << call;
    out.poison_all();
  };
  EXPECT_EQ(onepass::copy_if(p, first, last, null, none), null);
  EXPECT_EQ(onepass::copy_if(p, first, last, first, null, none), null) << "by a stencil";
  EXPECT_EQ(onepass::compact(p, first, last, null, none), null);
  EXPECT_EQ(onepass::remove_copy_if(p, first, last, null, all), null);
  onepass::copy_if_async(p, first, last, null, none, counts.begin());
  EXPECT_EQ(counts.to_host()[0], 0);
  EXPECT_EQ(onepass::partition_copy(p, first, last, null, out.begin(), none).first, null);
  has_all("partition_copy, none");
  EXPECT_EQ(onepass::partition_copy(p, first, last, out.begin(), null, all).second, null);
  has_all("partition_copy, all");
  EXPECT_EQ(onepass::stable_partition_copy(p, first, last, first, out.begin(), null, all).second, null);
  has_all("stable_partition_copy by a stencil");
  onepass::partition_copy(p, first, last, out.begin(), out.begin(), all);
  has_all("partition_copy to one place, all");
  onepass::partition_copy(p, first, last, out.begin(), out.begin(), none);
  has_all("partition_copy to one place, none");
  onepass::three_way_partition_copy(p, first, last, null, out.begin(), null, none, all);
  has_all("three_way_partition_copy");
  const auto nowhere = thrust::make_reverse_iterator(null);
  EXPECT_TRUE(onepass::copy_if(p, first, last, nowhere, none) == nowhere);
}

// What must not be, and is seen: outputs inside another range, or two in one place that both receive items.
ONEPASS_TEST(compact, overlaps) {
  const std::size_t n = 1000;
  const std::vector<number> values = test::random_between<number>(n, 1, 0, 9);
  const test::buffer<number> in(backend, values), out(backend, n), flags(backend, values);
  const test::buffer<std::int64_t> counts(backend, 2);
  number *const first = in.begin(), *const last = in.end(), *const to = out.begin(), *const marks = flags.begin();
  const auto p = backend.policy();
  const below half{5};
  refuses("copy_if: out overlaps", [&] { onepass::copy_if(p, first, last, first + 1, half); });
  refuses("copy_if: out overlaps the stencil", [&] { onepass::copy_if(p, first, last, marks, marks, half); });
  refuses("copy_if: out overlaps the stencil", [&] { onepass::copy_if(p, first, last, marks, marks + 9, half); });
  refuses("compact: out overlaps the flags",
          [&] { onepass::compact(p, first, last, onepass::flags(marks), marks + n - 1); });
  refuses("remove_if: out overlaps the stencil", [&] { onepass::remove_if(p, first, last, first, half); });
  refuses("stable_partition: [first, last) overlaps the stencil",
          [&] { onepass::stable_partition(p, first, last, first, half); });
  refuses("partition_copy: out_true overlaps", [&] { onepass::partition_copy(p, first, last, first + 1, to, half); });
  refuses("partition_copy: out_false overlaps", [&] { onepass::partition_copy(p, first, last, to, first + 1, half); });
  refuses("partition_copy: out_false overlaps the stencil",
          [&] { onepass::partition_copy(p, first, last, marks, to, marks, half); });
  refuses("partition_copy: out_false overlaps out_true",
          [&] { onepass::partition_copy(p, first, last, to, to, half); });
  refuses("three_way_partition_copy: out_second overlaps out_first",
          [&] { onepass::three_way_partition_copy(p, first, last, to, to, marks, half, below{7}); });
  refuses("three_way_partition_copy: out_rest overlaps out_second",
          [&] { onepass::three_way_partition_copy(p, first, last, marks, to, to, half, below{7}); });
  refuses("three_way_partition_copy: out_rest overlaps [first, last)",
          [&] { onepass::three_way_partition_copy(p, first, last, marks, to, first, half, below{7}); });
  refuses("unique_copy: out begins less than an item in front of the input, or there with items of another type",
          [&] { onepass::unique_copy(p, first, last, reinterpret_cast<float*>(first)); });
  refuses("unique_by_key_copy: out_keys begins less than an item",
          [&] { onepass::unique_by_key_copy(p, first, last, marks, reinterpret_cast<float*>(first), to); });
  refuses("unique_by_key_copy: out_values overlaps out_keys",
          [&] { onepass::unique_by_key_copy(p, first, last, marks, to, to); });
  refuses("unique_by_key: values overlaps [first, last)", [&] { onepass::unique_by_key(p, first, last, first + 1); });
  refuses("unique_by_key_copy: out_keys overlaps values",
          [&] { onepass::unique_by_key_copy(p, first, last, marks, marks + 3, to); });
  if (!backend.on_device) {
    refuses("partition_copy_async: out_false overlaps out_true",
            [&] { onepass::partition_copy_async(p, first, last, to, to, half, counts.begin()); });
  }
  EXPECT_TRUE(test::same(in.to_host(), values) && test::same(flags.to_host(), values))
      << "written before the exception";
  EXPECT_TRUE(out.untouched()) << "written before the exception";
}

#if ONEPASS_TEST_CPU
// Measuring does not move an iterator past what there is room for.
ONEPASS_CPU_TEST(compact, measured_with_deques) {
  const std::size_t n = 20000;
  const std::vector<number> values = test::random_between<number>(n, 1, 0, 9);
  const below most{9};
  const std::vector<number> rest = test::kept(values, test::flags_of(values, most), false);
  std::deque<number> kept(n - rest.size()), rejected(rest.size());
  const auto call = [&](const auto& policy) {
    return onepass::stable_partition_copy(policy, values.begin(), values.end(), kept.begin(), rejected.begin(), most);
  };
  const auto size = onepass::measure(onepass::cpu(), [&](const auto& policy) {
    const auto ends = call(policy);
    EXPECT_TRUE(ends.first == kept.begin() && ends.second == rejected.begin());
  });
  onepass::workspace memory(onepass::cpu(), size);
  EXPECT_TRUE(call(onepass::cpu().with(memory)).second == rejected.end());
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), rejected.begin()));
}

// Measuring asks no predicate, so it cannot know that two outputs in one place are wrong. And it writes no count.
ONEPASS_CPU_TEST(compact, measured_in_one_place) {
  const std::vector<number> in = test::random_between<number>(1000, 1, 0, 9);
  std::vector<number> out(in.size(), -1);
  std::int64_t counts[2] = {-1, -1};
  int asked = 0;
  const auto asks = [&](number x) { return ++asked, x < 5; };
  onepass::measure(onepass::cpu(1), [&](const auto& policy) {
    onepass::partition_copy(policy, in.begin(), in.end(), out.begin(), out.begin(), asks);
    onepass::three_way_partition_copy_async(policy, in.begin(), in.begin(), out.begin(), out.begin(), out.begin(), asks,
                                            asks, counts);
  });
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(out, std::vector<number>(in.size(), -1));
  EXPECT_EQ(counts[0], -1);
  EXPECT_EQ(counts[1], -1);
}
#endif
