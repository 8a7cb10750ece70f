// SPDX-License-Identifier: Apache-2.0
// Outputs of a compaction over its input: of smaller items where the input begins, and in front of the input.
#include <onepass/compact.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using wide = std::int64_t;
using narrow = std::int32_t;

struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(wide x) const { return x % 2 != 0; }
};

struct is_below {
  wide limit;
  ONEPASS_HOST_DEVICE bool operator()(wide x) const { return x < limit; }
};
struct times {
  std::ptrdiff_t stride;
  ONEPASS_HOST_DEVICE std::ptrdiff_t operator()(std::ptrdiff_t i) const { return i * stride; }
};

std::vector<wide> numbers(std::size_t n) {
  std::vector<wide> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<wide>(i * 3 % 100003);
  return values;
}
template <class Keeps>
std::vector<narrow> kept_of(const std::vector<wide>& values, Keeps keeps) {
  std::vector<narrow> kept;
  for (const wide x : values)
    if (keeps(x)) kept.push_back(static_cast<narrow>(x));
  return kept;
}
// What stands in an array as items of half the size.
std::vector<narrow> halves(const std::vector<wide>& host, std::size_t count) {
  std::vector<narrow> result(count);
  if (count > 0) std::memcpy(result.data(), host.data(), count * sizeof(narrow));
  return result;
}

template <class Backend, class Call, class Keeps>
void check_narrow(const Backend& backend, const char* name, Call call, Keeps keeps) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, test::limited(100003)}) {
    SCOPED_TRACE(testing::Message() << name << ", " << n << " items");
    const std::vector<wide> values = numbers(n);
    const test::buffer<wide> in(backend, values);
    const std::vector<narrow> expected = kept_of(values, keeps);
    const std::ptrdiff_t kept = call(in.begin(), in.end(), reinterpret_cast<narrow*>(in.begin()));
    ASSERT_EQ(kept, static_cast<std::ptrdiff_t>(expected.size()));
    EXPECT_TRUE(test::same(halves(in.to_host(), expected.size()), expected));
  }
}

template <class Backend, class Policy>
void check_all_narrow(const Backend& backend, const Policy& p) {
  const is_odd odd;
  const auto is_even = [](wide x) { return x % 2 == 0; };
  check_narrow(
      backend, "copy_if",
      [&](wide* first, wide* last, narrow* out) { return onepass::copy_if(p, first, last, out, odd) - out; }, odd);
  check_narrow(
      backend, "remove_copy_if",
      [&](wide* first, wide* last, narrow* out) { return onepass::remove_copy_if(p, first, last, out, odd) - out; },
      is_even);
  check_narrow(
      backend, "partition_copy",
      [&](wide* first, wide* last, narrow* out) {
        const std::vector<narrow> others = kept_of(numbers(static_cast<std::size_t>(last - first)), is_even);
        const test::buffer<narrow> rest(backend, static_cast<std::size_t>(last - first));
        const auto ends = onepass::partition_copy(p, first, last, out, rest.begin(), odd);
        EXPECT_TRUE(test::same(rest.to_host(static_cast<std::size_t>(ends.second - rest.begin())), others));
        return ends.first - out;
      },
      odd);
  const auto every_third = [n = wide{0}](wide) mutable { return n++ % 3 == 0; };
  check_narrow(
      backend, "compact by flags",
      [&](wide* first, wide* last, narrow* out) {
        std::vector<std::uint8_t> flags(static_cast<std::size_t>(last - first));
        for (std::size_t i = 0; i < flags.size(); i += 3) flags[i] = 1;
        const test::buffer<std::uint8_t> kept(backend, flags);
        return onepass::compact(p, first, last, onepass::flags(kept.begin()), out) - out;
      },
      every_third);
}

}  // namespace

ONEPASS_TEST(compact, smaller_items_over_the_input) { check_all_narrow(backend, backend.policy()); }
ONEPASS_CPU_TEST(compact, smaller_items_over_the_input_by_threads) {
  for (const int threads : {1, 3, 7}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    check_all_narrow(backend, onepass::cpu(threads));
  }
}
ONEPASS_TEST(compact, larger_items_over_the_input) {
  const std::vector<narrow> values(1000, 7);
  const test::buffer<narrow> in(backend, values);
  EXPECT_THROW(
      onepass::copy_if(backend.policy(), in.begin(), in.begin() + 500, reinterpret_cast<wide*>(in.begin()), is_odd{}),
      onepass::invalid_argument);
  EXPECT_TRUE(test::same(in.to_host(), values));
}

// Keys that own memory are assigned to where they stay in place, and another thread may compare the last of them.
ONEPASS_CPU_TEST(compact, keys_that_own_memory_stay_with_their_values) {
  std::vector<std::string> keys(10000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = "a key that takes memory: " + std::to_string(i / 2);
  std::vector<int> values(keys.size(), 1), others(keys.size());
  const std::vector<std::string> before = keys;
  EXPECT_THROW(onepass::unique_by_key_copy(onepass::cpu(2), keys.begin(), keys.end(), values.begin(), keys.begin(),
                                           others.begin()),
               onepass::invalid_argument);
  EXPECT_TRUE(keys == before);
  const auto ends = onepass::unique_by_key_copy(onepass::cpu(2), keys.begin(), keys.end(), values.begin(), keys.begin(),
                                                values.begin());
  ASSERT_EQ(ends.first - keys.begin(), 5000);
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(keys[i], before[2 * i]);
}

// By an item, and by more than a vector.
ONEPASS_TEST(compact, every_copy_in_front_of_the_input) {
  const is_odd odd;
  const auto is_even = [](wide x) { return x % 2 == 0; };
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, test::limited(100003)}) {
    for (const std::size_t gap : {std::size_t{1}, std::size_t{70}}) {
      SCOPED_TRACE(testing::Message() << n << " items, by " << gap);
      const std::vector<wide> values = numbers(n);
      std::vector<wide> content(gap, -1);
      content.insert(content.end(), values.begin(), values.end());
      const test::buffer<wide> all(backend, content), rest(backend, n);
      wide *const to = all.begin(), *const first = to + gap, *const last = first + n;
      const auto expect = [&](const char* name, wide* end, auto keeps) {
        const std::vector<narrow> expected = kept_of(values, keeps);
        ASSERT_EQ(end - to, static_cast<std::ptrdiff_t>(expected.size())) << name;
        EXPECT_TRUE(test::same(all.to_host(expected.size()), std::vector<wide>(expected.begin(), expected.end())))
            << name;
        all.assign(content);
      };
      const auto p = backend.policy();
      expect("remove_copy_if", onepass::remove_copy_if(p, first, last, to, odd), is_even);
      expect("partition_copy, true", onepass::partition_copy(p, first, last, to, rest.begin(), odd).first, odd);
      expect("partition_copy, false", onepass::partition_copy(p, first, last, rest.begin(), to, odd).second, is_even);
      const test::buffer<wide> stencil(backend, values);
      expect("copy_if by a stencil", onepass::copy_if(p, first, last, stencil.begin(), to, odd), odd);
      const test::buffer<wide> firsts(backend, values), lasts(backend, n);
      expect("unique_by_key_copy", onepass::unique_by_key_copy(p, first, last, firsts.begin(), to, lasts.begin()).first,
             [](wide) { return true; });  // no key has an equal neighbour
    }
  }
}

// Every second item, to the front of the array: iterators that are equal, begin at one item, and go on apart. The first items
// are kept, as the CPU leaves those where they are that stand there already.
ONEPASS_TEST(compact, every_second_item_to_the_front) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, test::limited(100003)}) {
    SCOPED_TRACE(n);
    const std::vector<wide> values = numbers(2 * n);
    std::vector<wide> expected = values;
    for (std::size_t i = 0, kept = 0; i < n; ++i)
      if (is_below{90000}(values[2 * i])) expected[kept++] = values[2 * i];
    const test::buffer<wide> items(backend, values);
    const auto each = [&](std::ptrdiff_t stride) {
      return thrust::make_permutation_iterator(
          items.begin(), thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0), times{stride}));
    };
    onepass::copy_if(backend.policy(), each(2), each(2) + static_cast<std::ptrdiff_t>(n), each(1), is_below{90000});
    EXPECT_TRUE(test::same(items.to_host(), expected));
  }
}
