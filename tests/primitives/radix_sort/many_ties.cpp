// SPDX-License-Identifier: Apache-2.0
// Sorts of 4-byte keys on CUDA that leave out the lowest digit position and then fix up many ties: ties of all lengths across
// and beside the edges of tiles, and keys for which passes are better.
#include <algorithm>
#include <cstring>
#include <limits>

#include "primitives/radix_sort/by_upper_digits.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;
using test::check;

// Whole keys of a type, in order or in reverse.
template <class K>
struct sort_of {
  using stored = detail::sort_key<K>;
  using digits_type = detail::bits_digits<stored, true>;
  bool descending;

  digits_type digits() const { return {{0, 32, descending, detail::is_signed_integer<K>, false, false}}; }
  K key_of(std::uint32_t word) const {
    const stored key = detail::from_key_bits<stored>(word ^ digits().of.flip());
    K result;
    std::memcpy(&result, &key, sizeof result);
    return result;
  }
};

// A key's word for each position of the sorted array: `lengths` of ties, each as long as the array lasts, of neighbouring upper
// bits. The words of a tie come in random order.
std::vector<std::uint32_t> tied_words(std::size_t n, const std::vector<std::size_t>& lengths, std::uint64_t seed) {
  std::vector<std::uint32_t> words;
  const std::uint32_t step = (1u << 24) / static_cast<std::uint32_t>(lengths.size() + 1);
  for (std::size_t t = 0; t < lengths.size(); ++t) {
    for (std::size_t i = 0; i < lengths[t] && words.size() < n; ++i) {
      const auto low = static_cast<std::uint32_t>(test::hash(seed, words.size()) & 255);
      words.push_back(static_cast<std::uint32_t>(t) * step << 8 | low);
    }
  }
  // The last tie has the highest upper bits, which the words behind the last key have, too.
  for (std::size_t i = 0; words.size() < n; ++i)
    words.push_back(0xFFFFFF00u | static_cast<std::uint32_t>(test::hash(seed + 1, i) & 255));
  return words;
}

// Fixes up keys that are sorted by all but their lowest 8 bits, as the launch behind the passes does. `shift`: how many keys
// behind a vector's begin the output begins. `spare`: the size that the device finds is so much less than the host knows.
template <class K>
void check_fix_up(const test::cuda_backend& backend, const std::vector<std::uint32_t>& words, bool descending,
                  std::size_t shift = 0, std::size_t spare = 0) {
  const sort_of<K> sort{descending};
  using stored = typename sort_of<K>::stored;
  std::vector<K> keys(words.size()), expected(words.size() - spare);
  for (std::size_t i = 0; i < words.size(); ++i) keys[i] = sort.key_of(words[i]);
  std::vector<std::uint32_t> in_order(words.begin(), words.end() - static_cast<std::ptrdiff_t>(spare));
  std::sort(in_order.begin(), in_order.end());
  for (std::size_t i = 0; i < in_order.size(); ++i) expected[i] = sort.key_of(in_order[i]);

  const test::buffer<K> from(backend, keys), to(backend, expected.size() + shift);
  const test::buffer<onepass::index_t> size(
      backend, std::vector<onepass::index_t>{static_cast<onepass::index_t>(expected.size())});
  std::vector<detail::split_plan> plan(1);
  plan[0].lowest_position = 1;
  const test::buffer<detail::split_plan> on_device(backend, plan);
  const auto most = static_cast<onepass::index_t>(words.size());
  detail::launch_fix_many_ties<typename sort_of<K>::digits_type>("check",
                                                                 {reinterpret_cast<const stored*>(from.data()),
                                                                  reinterpret_cast<stored*>(to.data()) + shift,
                                                                  {most, spare == 0 ? nullptr : size.data()},
                                                                  on_device.data(),
                                                                  sort.digits().of.flip()},
                                                                 backend.stream);
  const std::vector<K> out = to.to_host();
  EXPECT_TRUE(test::identical(std::vector<K>(out.begin() + static_cast<std::ptrdiff_t>(shift), out.end()), expected));
  EXPECT_TRUE(to.guards_intact());
}

using of_tile = detail::many_ties_tile<detail::bits_digits<std::uint32_t, true>>;
constexpr std::size_t tile = of_tile::inner;

// While this lives, sorts leave ties, however many keys there are.
template <class K>
class without_buckets {
  using of_sort = test::for_many<detail::sort_key<K>, detail::none>;

 public:
  without_buckets() { of_sort::least_in_buckets = std::numeric_limits<onepass::index_t>::max(); }
  ~without_buckets() { of_sort::least_in_buckets = 0; }
  without_buckets(const without_buckets&) = delete;
  without_buckets& operator=(const without_buckets&) = delete;
};

}  // namespace

// A tie that reaches `before` keys in front of an edge and `behind` keys behind it.
ONEPASS_GPU_TEST(radix_sort, many_ties_across_edges) {
  for (const std::size_t before : {1, 2, 7, 8, 9, 62, 63, 64, 65, 127, 128, 1000}) {
    for (const std::size_t behind : {1, 2, 8, 62, 63, 64, 65, 128, 1000}) {
      SCOPED_TRACE(testing::Message() << before << " keys before the edge and " << behind << " behind it");
      std::vector<std::size_t> lengths(tile - before, 1);
      lengths.push_back(before + behind);
      lengths.insert(lengths.end(), tile - behind - 3, 1);
      lengths.push_back(5);  // across the next edge
      check_fix_up<std::uint32_t>(backend, tied_words(2 * tile + 100, lengths, before * 1000 + behind), false);
    }
  }
}

// Whole tiles of one tie, from and up to edges, and all keys in one.
ONEPASS_GPU_TEST(radix_sort, many_ties_as_long_as_tiles) {
  const std::size_t n = 5 * tile + 77;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, tile - 65, tile - 1, tile, tile + 1}) {
    for (const std::size_t length : {tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 64, n}) {
      SCOPED_TRACE(testing::Message() << "a tie of " << length << " behind " << first << " keys");
      std::vector<std::size_t> lengths(first, 1);
      lengths.push_back(length);
      lengths.insert(lengths.end(), n, 1);
      check_fix_up<std::uint32_t>(backend, tied_words(n, lengths, first + length), false);
    }
  }
}

ONEPASS_GPU_TEST(radix_sort, many_ties_of_random_lengths) {
  const std::uint64_t rounds = test::small_only() ? 6 : 60;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const std::size_t n = 1 + test::hash(11, round) % (8 * tile);
    const std::vector<std::uint64_t> most = {2, 6, 20, 70, 140, 500, 3000, 9000};
    std::vector<std::size_t> lengths;
    for (std::size_t sum = 0; sum < n; sum += lengths.back()) {
      const std::uint64_t kind = test::hash(round + 12, lengths.size());
      lengths.push_back(1 + test::hash(round + 13, lengths.size()) % most[kind % (1 + round % most.size())]);
    }
    const auto words = tied_words(n, lengths, round);
    check_fix_up<std::uint32_t>(backend, words, round % 2 != 0, round % 4);
    check_fix_up<std::int32_t>(backend, words, round % 2 == 0, 0, test::hash(14, round) % n);
  }
}

// The highest and the lowest upper bits, which stand where there are no keys.
ONEPASS_GPU_TEST(radix_sort, many_ties_at_both_ends) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{15}, tile - 1, tile, tile + 1, tile + 63, tile + 64, 2 * tile + 1}) {
    SCOPED_TRACE(testing::Message() << n << " keys");
    check_fix_up<std::uint32_t>(backend, tied_words(n, {}, n), false);
    check_fix_up<std::uint32_t>(backend, tied_words(n, {n}, n), false);
    check_fix_up<std::uint32_t>(backend, tied_words(n, {n / 2}, n), true);
    if (n > 70) check_fix_up<std::uint32_t>(backend, tied_words(n, {n - 70, 69}, n), false);
  }
}

// Whole sorts: the plan leaves out the lowest position.
ONEPASS_GPU_TEST(radix_sort, sorts_that_leave_many_ties) {
  const std::size_t n = test::limited(300000);
  std::vector<std::uint32_t> values(n);
  for (const std::uint32_t upper_values : {1u << 24, 1u << 17}) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t upper = static_cast<std::uint32_t>(test::hash(15, i)) % upper_values * 0x9E3779B1u;
      values[i] = upper << 8 | static_cast<std::uint32_t>(test::hash(16, i) & 255);
    }
    for (std::size_t i = 0; i < n / 1000; ++i) values[test::hash(17, i) % n] = 0x12345600u | (i & 255);  // a longer tie
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(testing::Message() << upper_values << " upper values, "
                                      << (descending ? "descending" : "ascending"));
      const without_buckets<std::uint32_t> integers;
      EXPECT_EQ(check<detail::none>(backend, values, descending), 1);
      const std::vector<std::int32_t> with_sign(values.begin(), values.end());
      EXPECT_EQ(check<detail::none>(backend, with_sign, descending), 1);
      std::vector<float> floats(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t finite =
            values[i] % 0x7F800000u == 0 ? 1 : values[i] % 0x7F800000u | (values[i] & 1u << 31);
        std::memcpy(&floats[i], &finite, sizeof finite);
      }
      const without_buckets<float> of_floats;
      EXPECT_EQ(check<detail::none>(backend, floats, descending), 1);
      // Both zeros are one key, but a tie could not tell which is which.
      floats[3] = 0.0f, floats[5] = -0.0f, floats[n / 2] = 0.0f;
      EXPECT_EQ(check<detail::none>(backend, floats, descending), 0);
    }
  }
}

// Long ties of equal keys and of others, few values of each digit, and keys that are in order: passes do it, or none.
ONEPASS_GPU_TEST(radix_sort, sorts_that_leave_no_long_ties) {
  const std::size_t n = test::limited(300000);
  if (n < 300000) GTEST_SKIP() << "small sizes have no long ties";
  const without_buckets<std::uint32_t> integers;
  std::vector<std::uint32_t> values(n);
  const auto fill = [&](auto value) {
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i, static_cast<std::uint32_t>(test::hash(18, i)));
    return values;
  };
  const auto lowest = [&](auto value) { return check<detail::none>(backend, fill(value), false); };
  EXPECT_EQ(lowest([](std::size_t, std::uint32_t r) { return (r & 255) * 0x01010101u; }), 0);
  EXPECT_EQ(lowest([](std::size_t, std::uint32_t r) { return (r & 255) * 0x01010100u | r >> 24; }), 0);
  EXPECT_EQ(lowest([](std::size_t i, std::uint32_t r) { return i % 2 == 0 ? r : (r & 0xFFF) * 0x9E3779B1u; }), 0);
  EXPECT_EQ(lowest([](std::size_t i, std::uint32_t) { return static_cast<std::uint32_t>(i % 1000); }), 0);
  EXPECT_EQ(lowest([](std::size_t, std::uint32_t r) { return r & 0x00FFFFFFu; }), 0);
  EXPECT_EQ(lowest([](std::size_t i, std::uint32_t) { return static_cast<std::uint32_t>(i) * 14000; }), 0);
  for (const test::pattern p : test::all_patterns) {
    SCOPED_TRACE(test::name_of(p));
    check<detail::none>(backend, test::keys<std::uint32_t>(n, 5, p), false);
  }
}
#endif
