// SPDX-License-Identifier: Apache-2.0
// Calls on as many items as a count in memory says (policy.sized_by): alone at every size up to the room and beyond, and
// chained, one call's count being the next one's size.
#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::int32_t;
constexpr test::is_lucky lucky{0.5};

// What a call on a room of `room` items has to do when it finds `size`.
template <class Backend>
class sized_calls {
 public:
  sized_calls(const Backend& backend, std::size_t room)
      : backend_(backend),
        values_(test::random_between<number>(room, room, -20, 20)),
        in_(backend, values_),
        out_(backend, room),
        rest_(backend, room),
        size_(backend, 1),
        count_(backend, 1) {}

  void check(std::int64_t size) {
    size_.assign({size});
    check(size_.begin(), size);
  }
  // A null size stands for the room's.
  void check_without_size() { check(nullptr, static_cast<std::int64_t>(values_.size())); }

 private:
  void check(const onepass::index_t* in_memory, std::int64_t size) {
    SCOPED_TRACE(testing::Message() << size << " items in a room of " << values_.size());
    const auto n =
        static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, static_cast<std::int64_t>(values_.size())));
    const std::vector<number> used(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(n));
    const std::vector<std::uint8_t> flags = test::flags_of(used, lucky);
    const std::vector<number> kept = test::kept(used, flags), all = test::partitioned(used, flags);
    const auto p = backend_.policy().sized_by(in_memory);

    out_.poison_all();
    onepass::inclusive_scan(p, in_.begin(), in_.end(), out_.begin());
    expect("inclusive_scan", out_, test::inclusive_reference<number>(used, onepass::sum{}));

    out_.poison_all();
    count_.poison_all();
    onepass::copy_if_async(p, in_.begin(), in_.end(), out_.begin(), lucky, count_.begin());
    expect("copy_if", out_, kept);
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(kept.size()));

    out_.poison_all();
    EXPECT_EQ(onepass::copy_if(p, in_.begin(), in_.end(), out_.begin(), lucky) - out_.begin(),
              static_cast<std::ptrdiff_t>(kept.size()));

    check_ends_of_partitions(p, used, kept.size());

    rest_.assign(values_);
    onepass::stable_partition_async(p, rest_.begin(), rest_.end(), lucky, count_.begin());
    std::vector<number> partitioned = values_;
    std::copy(all.begin(), all.end(), partitioned.begin());
    EXPECT_TRUE(test::same(rest_.to_host(), partitioned)) << "stable_partition";
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(kept.size()));

    rest_.assign(values_);
    onepass::radix_sort(p, rest_.begin(), rest_.end());
    std::vector<number> sorted = values_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(rest_.to_host(), sorted)) << "radix_sort";

    // By value, and by the places that items have come from.
    rest_.assign(values_);
    std::vector<number> places(values_.size());
    std::iota(places.begin(), places.end(), 0);
    out_.assign(places);
    onepass::radix_sort_by_key(p, rest_.begin(), rest_.end(), out_.begin());
    const auto before = [&](number a, number b) {
      return values_[static_cast<std::size_t>(a)] < values_[static_cast<std::size_t>(b)];
    };
    std::stable_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n), before);
    EXPECT_TRUE(test::same(rest_.to_host(), sorted)) << "radix_sort_by_key, keys";
    EXPECT_TRUE(test::same(out_.to_host(), places)) << "radix_sort_by_key, values";
    check_small_keys<std::int8_t>(p, n);
    check_small_keys<std::uint16_t>(p, n);

    out_.poison_all();
    onepass::split_async(p, in_.begin(), in_.end(), out_.begin(), lucky, count_.begin());
    expect("split", out_, all);
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(kept.size()));
  }

  // The end of what is left over, too, follows from the size in memory.
  template <class Policy>
  void check_ends_of_partitions(const Policy& p, const std::vector<number>& used, std::size_t kept) {
    const auto in = in_.begin(), end = in_.end();
    const auto ends = onepass::partition_copy(p, in, end, out_.begin(), rest_.begin(), lucky);
    EXPECT_EQ(ends.first - out_.begin(), static_cast<std::ptrdiff_t>(kept));
    EXPECT_EQ(ends.second - rest_.begin(), static_cast<std::ptrdiff_t>(used.size() - kept));

    const test::buffer<number> third(backend_, values_.size());
    const test::is_negative is_low;
    const auto all =
        onepass::three_way_partition_copy(p, in, end, out_.begin(), rest_.begin(), third.begin(), is_low, lucky);
    const auto low = std::count_if(used.begin(), used.end(), is_low);
    const auto second = std::count_if(used.begin(), used.end(), [&](number x) { return !is_low(x) && lucky(x); });
    EXPECT_EQ(thrust::get<0>(all) - out_.begin(), low);
    EXPECT_EQ(thrust::get<1>(all) - rest_.begin(), second);
    EXPECT_EQ(thrust::get<2>(all) - third.begin(), static_cast<std::ptrdiff_t>(used.size()) - low - second);
  }
  // Keys that are counted and not moved, if there is room for many.
  template <class K, class Policy>
  void check_small_keys(const Policy& p, std::size_t n) {
    std::vector<K> keys = test::random_values<K>(values_.size(), n);
    const test::buffer<K> in(backend_, keys);
    onepass::radix_sort(p, in.begin(), in.end());
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(in.to_host(), keys)) << "radix_sort of keys of " << sizeof(K) << " bytes";
  }
  void expect(const char* call, const test::buffer<number>& out, const std::vector<number>& expected) const {
    EXPECT_TRUE(test::same(out.to_host(expected.size()), expected)) << call;
    EXPECT_TRUE(out.untouched(expected.size())) << call << ": written behind its end";
  }

  Backend backend_;
  std::vector<number> values_;
  test::buffer<number> in_, out_, rest_;
  test::buffer<std::int64_t> size_, count_;
};

// Keeps some, sorts and sums them up, and keeps some of the sums: two counts, neither of which the host sees.
template <class Backend>
class chains {
 public:
  chains(const Backend& backend, std::size_t n)
      : in_(backend, n), kept_(backend, n), sums_(backend, n), out_(backend, n), counts_(backend, 2) {}
  void load(std::uint64_t seed) {
    values_ = test::random_between<number>(in_.size(), seed, 0, 100);
    in_.assign(values_);
    for (const auto* b : {&kept_, &sums_, &out_}) b->poison_all();
    counts_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::copy_if_async(p, in_.begin(), in_.end(), kept_.begin(), lucky, counts_.begin());
    const auto sized = p.sized_by(counts_.begin());
    onepass::radix_sort(sized, kept_.begin(), kept_.end());
    onepass::inclusive_scan(sized, kept_.begin(), kept_.end(), sums_.begin());
    onepass::copy_if_async(sized, sums_.begin(), sums_.end(), out_.begin(), lucky, counts_.begin() + 1);
  }
  void check() const {
    std::vector<number> kept = test::kept(values_, test::flags_of(values_, lucky));
    std::sort(kept.begin(), kept.end());
    const std::vector<number> sums = test::inclusive_reference<number>(kept, onepass::sum{});
    const std::vector<number> expected = test::kept(sums, test::flags_of(sums, lucky));
    EXPECT_EQ(counts_.to_host()[0], static_cast<std::int64_t>(kept.size()));
    EXPECT_EQ(counts_.to_host()[1], static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(test::same(out_.to_host(expected.size()), expected));
    EXPECT_TRUE(sums_.untouched(kept.size()));
    EXPECT_TRUE(out_.untouched(expected.size()));
  }
  bool untouched() const { return counts_.untouched() && out_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<number> in_, kept_, sums_, out_;
  test::buffer<std::int64_t> counts_;
  std::vector<number> values_;
};

}  // namespace

// More than the shorter drivers take: millions on a GPU; on a CPU, many tiles.
template <class Backend>
static std::size_t long_size(std::size_t size) {
  return test::limited(std::is_same_v<Backend, test::cpu_backend> ? size / 12 : size);
}

// Rooms for one tile, for several, for the shortest and the longest driver.
ONEPASS_TEST(sized, every_size) {
  const std::size_t most_room = long_size<backend_type>(6000011);
  for (const std::size_t room : {std::size_t{1}, std::size_t{300}, std::size_t{50000}, most_room}) {
    sized_calls<backend_type> calls(backend, room);
    const auto most = static_cast<std::int64_t>(room);
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, most / 7, most - 1, most, most + 5, -3L}) {
      calls.check(size);
      if (testing::Test::HasFailure()) return;
    }
    calls.check(most);  // what an empty call left behind is in order
    calls.check_without_size();
  }
}

ONEPASS_TEST(sized, chain) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{20011}, long_size<backend_type>(9000001)}) {
    chains<backend_type> job(backend, n);
    job.load(n);
    job.run(backend.policy());
    job.check();
  }
}
ONEPASS_TEST(sized, workspace) { test::check_workspace<chains<backend_type>>(backend); }

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(sized, chain_in_graph) { test::check_graph<chains<test::cuda_backend>>(false); }
ONEPASS_GPU_TEST(sized, chain_does_not_wait) {
  test::check_does_not_wait<chains<test::cuda_backend>>(false);
  test::check_does_not_wait<chains<test::cuda_backend>>(true);
}
#endif

namespace {
// A key that may be copied only where it is one of the items.
struct guarded_key {
  int value = 0;
  guarded_key() = default;
  explicit guarded_key(int v) : value(v) {}
  guarded_key(const guarded_key& other) : value(other.value) {
    EXPECT_GE(value, 0) << "a key behind the items is copied";
  }
  guarded_key& operator=(const guarded_key&) = default;
  friend bool operator==(const guarded_key& a, const guarded_key& b) { return a.value == b.value; }
  friend guarded_key operator+(const guarded_key& a, const guarded_key& b) { return guarded_key(a.value + b.value); }
};
}  // namespace

// A scan by key that stores over its keys saves those of the items alone.
TEST(sized, scan_over_keys_leaves_keys_behind_the_items) {
  std::vector<guarded_key> keys(8), values(8);
  for (int i = 0; i < 8; ++i) keys[i].value = i < 4 ? 1 : -1, values[i].value = 2;
  const onepass::index_t size = 4;
  onepass::inclusive_scan_by_key(onepass::cpu(1).sized_by(&size), keys.begin(), keys.end(), values.begin(),
                                 keys.begin());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(keys[i].value, i < 4 ? 2 * (i + 1) : -1) << i;
}
// The same for a reduction that stores over its keys and values.
TEST(sized, reduction_over_keys_and_values_leaves_those_behind_the_items) {
  std::vector<guarded_key> keys(8), values(8);
  for (int i = 0; i < 8; ++i) keys[i].value = values[i].value = i < 4 ? i / 2 : -1;
  const onepass::index_t size = 4;
  onepass::index_t count = 0;
  onepass::reduce_by_key_async(onepass::cpu(1).sized_by(&size), keys.begin(), keys.end(), values.begin(), keys.begin(),
                               values.begin(), std::equal_to<>(), std::plus<>(), &count);
  EXPECT_EQ(count, 2);
  for (int i : {0, 1, 4, 5, 6, 7}) {
    EXPECT_EQ(keys[i].value, i < 4 ? i : -1) << i;
    EXPECT_EQ(values[i].value, i < 4 ? 2 * i : -1) << i;
  }
}
