// SPDX-License-Identifier: Apache-2.0
// Compactions of items of 40 bytes and more, whose tiles are small on CUDA: one tile, a part of one, and some.
#include <onepass/compact.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

template <std::size_t bytes>
struct wide {
  std::uint32_t words[bytes / 4];
  friend ONEPASS_HOST_DEVICE bool operator==(const wide& a, const wide& b) {
    for (std::size_t i = 0; i < bytes / 4; ++i) {
      if (a.words[i] != b.words[i]) return false;
    }
    return true;
  }
  friend std::ostream& operator<<(std::ostream& out, const wide& w) { return out << w.words[0] << "..."; }
};

struct is_quarter {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return x.words[0] % 4 == 0;
  }
};

// Runs of one to four equal items.
template <std::size_t bytes>
std::vector<wide<bytes>> items_in_runs(std::size_t n) {
  std::vector<wide<bytes>> items(n);
  std::uint64_t run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (test::hash(1, i) % 4 < 2) ++run;
    for (std::size_t w = 0; w < bytes / 4; ++w) items[i].words[w] = static_cast<std::uint32_t>(test::hash(run, w));
  }
  return items;
}

template <std::size_t bytes, class Backend>
void check_items(const Backend& backend) {
  using item = wide<bytes>;
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 63u, 100u, 127u, 128u, 129u, 255u, 256u, 257u, 1000u, 5003u}) {
    SCOPED_TRACE(testing::Message() << n << " items of " << bytes << " bytes");
    const test::is_lucky lucky{0.5};
    const std::vector<item> values = items_in_runs<bytes>(n);
    const std::vector<std::uint8_t> flags = test::flags_of(values, lucky);
    const test::buffer<item> in(backend, values), out(backend, n), runs(backend, n);
    const std::vector<item> chosen = test::kept(values, flags);
    const auto count = static_cast<std::size_t>(
        onepass::copy_if(backend.policy(), in.begin(), in.end(), out.begin(), lucky) - out.begin());
    ASSERT_EQ(count, chosen.size());
    EXPECT_TRUE(test::identical(out.to_host(count), chosen));
    EXPECT_TRUE(out.untouched(count)) << "written behind the last kept item";

    const std::vector<item> heads = test::kept(values, test::heads_of_keys(values));
    const auto distinct = static_cast<std::size_t>(
        onepass::unique_copy(backend.policy(), in.begin(), in.end(), runs.begin()) - runs.begin());
    ASSERT_EQ(distinct, heads.size());
    EXPECT_TRUE(test::identical(runs.to_host(distinct), heads));

    const test::buffer<item> first(backend, n), second(backend, n), rest(backend, n);
    std::vector<item> kinds[3];
    for (const item& x : values) kinds[lucky(x) ? 0 : x.words[0] % 4 == 0 ? 1 : 2].push_back(x);
    const auto ends = onepass::three_way_partition_copy(backend.policy(), in.begin(), in.end(), first.begin(),
                                                        second.begin(), rest.begin(), lucky, is_quarter{});
    ASSERT_EQ(thrust::get<0>(ends) - first.begin(), static_cast<std::ptrdiff_t>(kinds[0].size()));
    ASSERT_EQ(thrust::get<1>(ends) - second.begin(), static_cast<std::ptrdiff_t>(kinds[1].size()));
    EXPECT_TRUE(test::identical(first.to_host(kinds[0].size()), kinds[0]));
    EXPECT_TRUE(test::identical(second.to_host(kinds[1].size()), kinds[1]));
    EXPECT_TRUE(test::identical(rest.to_host(kinds[2].size()), kinds[2]));

    const item* const border = onepass::stable_partition(backend.policy(), in.begin(), in.end(), lucky);
    EXPECT_EQ(static_cast<std::size_t>(border - in.begin()), chosen.size());
    EXPECT_TRUE(test::identical(in.to_host(), test::partitioned(values, flags))) << "in place";
    const item* const end = onepass::remove_if(backend.policy(), in.begin(), in.end(), lucky);
    EXPECT_EQ(static_cast<std::size_t>(end - in.begin()), n - chosen.size());
    EXPECT_TRUE(test::identical(in.to_host(n - chosen.size()), test::kept(values, flags, false))) << "removed";
  }
}

}  // namespace

ONEPASS_TEST(compact_wide_items, of_40_bytes) { check_items<40>(backend); }
ONEPASS_TEST(compact_wide_items, of_64_bytes) { check_items<64>(backend); }
ONEPASS_TEST(compact_wide_items, of_96_bytes) { check_items<96>(backend); }
ONEPASS_TEST(compact_wide_items, of_128_bytes) { check_items<128>(backend); }

namespace {
struct of_1020_bytes {
  std::uint32_t words[255];
};
struct of_1024_bytes : of_1020_bytes {
  std::uint32_t more;
  ONEPASS_HOST_DEVICE bool operator==(const of_1024_bytes& other) const { return words[0] == other.words[0]; }
};
}  // namespace

// Of items so large that a tile may have one, neighbours are not compared where smaller ones overwrite them.
ONEPASS_TEST(compact_wide_items, smaller_ones_over_larger) {
  const test::buffer<of_1024_bytes> in(backend, std::size_t{100});
  EXPECT_TRUE(test::throws<onepass::invalid_argument>(
      "onepass::unique_copy: out begins less than an item in front of the input", [&] {
        onepass::unique_copy(backend.policy(), in.begin(), in.end(), reinterpret_cast<of_1020_bytes*>(in.begin()));
      }));
}
