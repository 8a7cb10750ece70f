// SPDX-License-Identifier: Apache-2.0
// What the engine can tell of the memory behind iterators (core/support/iterator.hpp).
#include "../../core/support/iterator.hpp"

#include "../../core/segments/segment_bounds.hpp"

#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <deque>
#include <functional>
#include <vector>

using onepass::detail::is_in_place;
using onepass::detail::may_overlap;

TEST(may_overlap, pointers) {
  std::vector<int> items(100);
  int* p = items.data();
  EXPECT_TRUE(may_overlap(p, 10, p, 10));
  EXPECT_TRUE(may_overlap(p, 10, p + 9, 10));
  EXPECT_FALSE(may_overlap(p, 10, p + 10, 10));
  EXPECT_FALSE(may_overlap(p + 10, 10, p, 10));
  EXPECT_FALSE(may_overlap(p, 10, p, 0));
  EXPECT_TRUE(may_overlap(p, 10, reinterpret_cast<char*>(p) + 39, 1)) << "items of other sizes";
  EXPECT_FALSE(may_overlap(p, 10, reinterpret_cast<char*>(p) + 40, 1));
  EXPECT_TRUE(may_overlap(static_cast<const int*>(p), 10, items.begin() + 5, 10))
      << "another iterator to the same items";
}

// A reversed range lies before where its iterator points.
TEST(may_overlap, reversed) {
  std::vector<int> items(100);
  int* p = items.data();
  const auto back = thrust::make_reverse_iterator(p + 50);
  EXPECT_TRUE(may_overlap(p, 41, back, 10));
  EXPECT_FALSE(may_overlap(p, 40, back, 10));
  EXPECT_FALSE(may_overlap(back, 10, p + 50, 50));
}

// Nothing is known of other iterators, so they may be anywhere.
TEST(may_overlap, unknown) {
  std::vector<int> items(100), others(100);
  const auto hidden = thrust::make_transform_iterator(others.data(), std::negate<int>());
  EXPECT_TRUE(may_overlap(items.data(), 10, hidden, 10));
  EXPECT_TRUE(may_overlap(hidden, 10, items.data(), 10));
  EXPECT_FALSE(may_overlap(items.data(), 10, thrust::make_discard_iterator(), 10)) << "nothing is written at all";
}

namespace {
struct times {
  std::ptrdiff_t stride;
  std::ptrdiff_t operator()(std::ptrdiff_t i) const { return i * stride; }
};
}  // namespace

// Iterators that are no pointers: the same only if they are a deque's, or equal in their bytes, and some may look at an item.
TEST(is_in_place, of_what_is_no_array) {
  std::deque<int> items(100);
  EXPECT_TRUE(is_in_place<true>(items.begin() + 1, items.begin() + 1));
  EXPECT_FALSE(is_in_place<true>(items.begin() + 1, items.begin()));
  EXPECT_FALSE(is_in_place<false>(items.begin(), items.begin())) << "nobody may look";
  EXPECT_TRUE(is_in_place<true>(items.rbegin(), items.rbegin()));
  EXPECT_FALSE(is_in_place<true>(items.rbegin(), items.rbegin() + 1));
  const auto reversed = thrust::make_reverse_iterator(items.end());
  EXPECT_TRUE(is_in_place<true>(reversed, reversed));
  EXPECT_TRUE(is_in_place<true>(std::as_const(items).begin(), items.begin()));
  std::vector<int> a(10), b(10), places(10);
  const auto at = [&](std::vector<int>& of) { return thrust::make_permutation_iterator(of.data(), places.data()); };
  EXPECT_FALSE(is_in_place<true>(at(a), at(b))) << "equal iterators to other items";
  struct whole {  // an iterator of our own, which a copy of its bytes is, too
    int* at;
    using value_type = int;
    using reference = int&;
    using pointer = int*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    int& operator*() const { return *at; }
  };
  EXPECT_TRUE(is_in_place<true>(whole{a.data()}, whole{a.data()}));
  EXPECT_FALSE(is_in_place<true>(whole{a.data()}, whole{a.data() + 1}));
  const auto each = [&](std::ptrdiff_t stride) {
    return thrust::make_permutation_iterator(
        a.data(), thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0), times{stride}));
  };
  EXPECT_TRUE(each(1) == each(2));
  EXPECT_FALSE(is_in_place<true>(each(1), each(2))) << "equal iterators whose first item is one";
}

// ---- where items live ---------------------------------------------------------------------------------------------------
namespace {
struct on_device {  // an iterator whose items are said to be on the device
  int* at;
};
}  // namespace
template <>
struct onepass::iterator_system<on_device> {
  using type = onepass::cuda_system;
};

TEST(systems, of_all_that_a_call_is_given) {
  using onepass::offsets_range;
  using onepass::segment_ranges;
  using onepass::detail::live_together;
  using computed = thrust::counting_iterator<int, thrust::any_system_tag>;
  EXPECT_TRUE((live_together<on_device, offsets_range<on_device>, computed>));
  EXPECT_TRUE((live_together<int*, offsets_range<int*>, computed>));
  EXPECT_TRUE((live_together<on_device, segment_ranges<on_device, computed>>));
  EXPECT_TRUE((live_together<on_device, segment_ranges<computed, on_device>>));
  EXPECT_TRUE((live_together<int*, segment_ranges<computed, int*>>));
  EXPECT_FALSE((live_together<on_device, int*>));
  EXPECT_FALSE((live_together<on_device, offsets_range<int*>>)) << "values on the device, offsets on the host";
  EXPECT_FALSE((live_together<int*, offsets_range<on_device>>));
  EXPECT_FALSE((live_together<on_device, segment_ranges<on_device, int*>>));
  EXPECT_FALSE((live_together<int*, segment_ranges<on_device, int*>>));
  EXPECT_FALSE((live_together<computed, segment_ranges<on_device, int*>>));
}
