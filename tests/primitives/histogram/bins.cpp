// SPDX-License-Identifier: Apache-2.0
// Histograms by value, by even bins and by edges: all types and sizes, numbers of bins on both sides of every way to count,
// skewed items, items outside all bins, NaN, ranges beyond a type's values.
#include "fixture.hpp"

#include <cmath>
#include <limits>

namespace {

using test::check_histogram;

// Items that are in no order, all equal, mostly equal, of two values, ascending; values in [low, high].
enum class skew { none, equal, mostly, two, sorted };
constexpr skew all_skews[] = {skew::none, skew::equal, skew::mostly, skew::two, skew::sorted};

template <class T>
std::vector<T> items_of(std::size_t n, std::int64_t low, std::int64_t high, skew kind) {
  std::vector<T> items = test::random_between<T>(n, n + 1, low, high);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = test::hash(99, i);
    if (kind == skew::equal || (kind == skew::mostly && bits % 4 != 0))
      items[i] = static_cast<T>(low + (high - low) / 3);
    if (kind == skew::two) items[i] = static_cast<T>(bits % 2 ? low : high);
  }
  if (kind == skew::sorted) std::sort(items.begin(), items.end());
  return items;
}

template <class T, class Backend>
void check_all_values(const Backend& backend) {
  constexpr auto low = std::int64_t{std::numeric_limits<T>::lowest()},
                 high = std::int64_t{std::numeric_limits<T>::max()};
  for (const std::size_t n : test::sizes())
    check_histogram<std::int32_t>(backend, items_of<T>(n, low, high, all_skews[n % 5]), onepass::all_value_bins<T>(),
                                  n % 7);
  for (const skew kind : all_skews)
    check_histogram<std::uint64_t>(backend, items_of<T>(test::limited(300007), low, high, kind),
                                   onepass::all_value_bins<T>(), 1);
}

// `most`: values reach beyond the bins on both sides.
template <class T, class Backend>
void check_ranges(const Backend& backend, std::int64_t low, std::int64_t high) {
  for (const std::size_t n : test::few_sizes()) {
    const std::vector<T> items = items_of<T>(n, low, high, all_skews[n % 5]);
    for (const auto& bins : {onepass::value_bins(low, low + 1), onepass::value_bins(low + 1, high - 1),
                             onepass::value_bins(low - 5, low + 9), onepass::value_bins(high - 3, high + 70),
                             onepass::value_bins(high + 1, high + 3), onepass::value_bins(low - 8, low)})
      check_histogram<std::int64_t>(backend, items, bins, n % 3);
  }
}

template <class T, class Backend>
void check_even(const Backend& backend) {
  for (const std::size_t n : test::few_sizes()) {
    std::vector<T> items = test::random_values<T>(n, n);  // from -1 to 1
    const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          -0.0,
                          0.5,
                          -0.5,
                          1.0,
                          -1.0};
    for (std::size_t i = 0; i < n; i += 11) items[i] = test::from_double<T>(odd[i % 8]);
    for (const auto& bins :
         {onepass::even_bins(-1.0, 1.0, 1), onepass::even_bins(-1.0, 1.0, 1000), onepass::even_bins(-0.5, 0.5, 7),
          onepass::even_bins(0.1, 0.7, 300), onepass::even_bins(-1.0, 1.0, 70001)})
      check_histogram<std::uint32_t>(backend, items, bins, n % 5);
    check_histogram<std::uint32_t>(backend, items, onepass::even_bins(-1, 1, 30), n % 5);
  }
}

// Integers in even bins: items at random, the bounds and their neighbours, and the first and the last item of some bins.
template <class T, class Lower, class Upper, class Backend>
void check_even_integers(const Backend& backend, std::size_t n, Lower lower, Upper upper, std::int64_t count) {
  SCOPED_TRACE(testing::Message() << "from " << lower << " to " << upper);
  std::vector<T> items = test::random_values<T>(n, n);
  __extension__ typedef __int128 wide;
  const wide width = wide{upper} - wide{lower};
  for (std::size_t i = 0; i < n; i += 2) {
    const auto bits = test::hash(7, i);
    const wide begin = (width * static_cast<wide>(bits % static_cast<std::uint64_t>(count + 1)) + count - 1) / count;
    items[i] = static_cast<T>(lower + begin + static_cast<wide>(bits >> 32) % 3 - 1);
    if (i % 4 == 0) items[i] = static_cast<T>(lower + static_cast<wide>(bits) % width);
  }
  const auto bins = onepass::even_bins(lower, upper, count);
  check_histogram<std::int64_t>(backend, items, bins, n % 5, {100});
}
template <class T, class Backend>
void check_even_integers(const Backend& backend) {
  constexpr T lowest = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
  const std::size_t n = 5003;
  for (const std::int64_t count : {1, 2, 3, 7, 10, 256, 1000, 70001}) {
    check_even_integers<T>(backend, n, lowest, most, count);
    check_even_integers<T>(backend, n, lowest, static_cast<T>(lowest + 1), count);
    check_even_integers<T>(backend, n, static_cast<T>(most - 1), most, count);
    check_even_integers<T>(backend, n, T{0}, static_cast<T>(100), count);
    check_even_integers<T>(backend, n, T{3}, static_cast<T>(most / 2 + 1), count);
    // Bounds of other types, and some beyond the items' values.
    check_even_integers<T>(backend, n, 0, std::uint64_t{1} << 63, count);
    check_even_integers<T>(backend, n, -5, 300, count);
    check_even_integers<T>(backend, n, 0, ~std::uint64_t{0}, count);
    check_even_integers<T>(backend, n, std::numeric_limits<std::int64_t>::lowest(), std::uint64_t{1} << 62, count);
    check_even_integers<T>(backend, n, std::numeric_limits<std::int64_t>::lowest(), -1000000000000, count);
  }
}

template <class T, class Backend>
void check_edges(const Backend& backend, std::vector<T> items, std::size_t count) {
  std::vector<T> edges(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));  // also equal ones
  const auto less = [](const T& a, const T& b) { return test::as_double(a) < test::as_double(b); };
  std::sort(edges.begin(), edges.end(), less);
  if constexpr (!std::is_integral_v<T>)
    items[items.size() / 2] = test::from_double<T>(std::numeric_limits<double>::quiet_NaN());
  check_histogram<std::int32_t>(backend, items,
                                onepass::bins_between_edges<const T*>{edges.data(), edges.data() + count}, 1, {100});
}

}  // namespace

ONEPASS_TEST(histogram_bins, all_of_uint8) { check_all_values<std::uint8_t>(backend); }
ONEPASS_TEST(histogram_bins, all_of_int8) { check_all_values<std::int8_t>(backend); }
ONEPASS_TEST(histogram_bins, all_of_uint16) { check_all_values<std::uint16_t>(backend); }
ONEPASS_TEST(histogram_bins, all_of_int16) { check_all_values<std::int16_t>(backend); }

ONEPASS_TEST(histogram_bins, ranges_of_int8) { check_ranges<std::int8_t>(backend, -128, 127); }
ONEPASS_TEST(histogram_bins, ranges_of_uint16) { check_ranges<std::uint16_t>(backend, 0, 65535); }
ONEPASS_TEST(histogram_bins, ranges_of_int32) {
  check_ranges<std::int32_t>(backend, -1000, 1000);
  check_ranges<std::int32_t>(backend, std::numeric_limits<std::int32_t>::max() - 3000,
                             std::numeric_limits<std::int32_t>::max());
  check_ranges<std::int32_t>(backend, std::numeric_limits<std::int32_t>::lowest(),
                             std::numeric_limits<std::int32_t>::lowest() + 3000);
}
ONEPASS_TEST(histogram_bins, ranges_of_uint32) {
  check_ranges<std::uint32_t>(backend, 0xFFFFFFFF - 3000, 0xFFFFFFFF);
  check_ranges<std::uint32_t>(backend, 0, 3000);
}
ONEPASS_TEST(histogram_bins, ranges_of_int64) {
  check_ranges<std::int64_t>(backend, -(std::int64_t{1} << 40), -(std::int64_t{1} << 40) + 3000);
}
ONEPASS_TEST(histogram_bins, items_larger_than_every_bin) {
  std::vector<std::uint64_t> items = items_of<std::uint64_t>(5000, 0, 90, skew::none);
  for (std::size_t i = 0; i < items.size(); i += 3) items[i] |= std::uint64_t{1} << (32 + i % 32);
  check_histogram<std::int64_t>(backend, items, onepass::value_bins(-10, 50), 1);
}

// Numbers of bins on both sides of each limit: columns of counters, halves of words, global memory.
ONEPASS_TEST(histogram_bins, numbers_of_bins) {
  const std::size_t n = test::limited(200003);
  for (const std::int64_t bins : {1, 2, 31, 512, 896, 897, 4097, 14337, 28673, 58111, 58112, 116160, 116161, 1000003}) {
    for (const skew kind : all_skews) {
      SCOPED_TRACE(static_cast<int>(kind));
      const auto of = onepass::value_bins(-7, bins - 7);
      check_histogram<std::int32_t>(backend, items_of<std::int32_t>(n, -9, bins, kind), of, 1);
      check_histogram<std::int64_t>(backend, items_of<std::int64_t>(n / 4, -9, bins, kind), of, 0);
    }
  }
}
ONEPASS_TEST(histogram_bins, most_bins) {
  if (test::small_only()) GTEST_SKIP() << "2^24 counts";
  const std::int64_t bins = std::int64_t{1} << 24;
  check_histogram<std::int32_t>(backend, items_of<std::int32_t>(100003, 0, bins - 1, skew::none),
                                onepass::value_bins(0, bins), 0);
}

ONEPASS_TEST(histogram_bins, even_floats) { check_even<float>(backend); }
ONEPASS_TEST(histogram_bins, even_doubles) { check_even<double>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_TEST(histogram_bins, even_halves) { check_even<test::half>(backend); }
ONEPASS_TEST(histogram_bins, even_bfloats) { check_even<test::bfloat16>(backend); }
#endif

ONEPASS_TEST(histogram_bins, even_int8) { check_even_integers<std::int8_t>(backend); }
ONEPASS_TEST(histogram_bins, even_uint16) { check_even_integers<std::uint16_t>(backend); }
ONEPASS_TEST(histogram_bins, even_int32) { check_even_integers<std::int32_t>(backend); }
ONEPASS_TEST(histogram_bins, even_uint32) { check_even_integers<std::uint32_t>(backend); }
ONEPASS_TEST(histogram_bins, even_int64) { check_even_integers<std::int64_t>(backend); }
ONEPASS_TEST(histogram_bins, even_uint64) { check_even_integers<std::uint64_t>(backend); }
ONEPASS_TEST(histogram_bins, most_even_bins_of_int64) {
  if (test::small_only()) GTEST_SKIP() << "2^24 counts";
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest(), most = -(lowest + 1);
  check_histogram<std::int64_t>(backend, test::random_values<std::int64_t>(20011, 3),
                                onepass::even_bins(lowest, most, 1 << 24), 0);
}

ONEPASS_TEST(histogram_bins, edges) {
  for (const std::size_t edges : {std::size_t{2}, std::size_t{3}, std::size_t{1000}}) {
    check_edges(backend, test::random_values<float>(4001, 3), edges);
    check_edges(backend, test::random_values<double>(4001, 4), edges);
    check_edges(backend, test::random_between<std::int32_t>(4001, 5, -600, 600), edges);
    check_edges(backend, test::random_between<std::uint8_t>(4001, 6, 0, 255), edges);
#if ONEPASS_HAS_CUDA
    check_edges(backend, test::random_values<test::half>(4001, 3), edges);
#endif
  }
}
