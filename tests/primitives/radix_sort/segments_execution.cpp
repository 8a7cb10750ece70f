// SPDX-License-Identifier: Apache-2.0
// How segmented sorts are executed: workspaces, host threads, streams, graphs, sizes in memory, wrong arguments.
#include "primitives/radix_sort/segments_fixture.hpp"
#include "support/execution.hpp"

namespace {

using key = std::uint32_t;

// Keys with values, in segments of every length: the last ones are long, if there are many items.
template <class Backend>
class segmented_sorts {
 public:
  segmented_sorts(const Backend& backend, std::size_t n)
      : list_(sizes_for(static_cast<std::int64_t>(n))),
        keys_(backend, n),
        carried_(backend, n),
        offsets_(backend, list_.offsets()) {}
  void load(std::uint64_t seed) {
    key_values_ = test::keys<key>(keys_.size(), seed, test::pattern::low_entropy);
    values_ = test::random_values<std::uint16_t>(keys_.size(), seed);
    keys_.assign(key_values_);
    carried_.assign(values_);
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::segmented_sort_by_key(p, keys_.begin(), keys_.end(), carried_.begin(),
                                   onepass::offsets(offsets_.begin(), offsets_.end()));
  }
  void check() const {
    const std::vector<std::size_t> order = test::segmented_order(key_values_, list_, {});
    EXPECT_TRUE(test::same(keys_.to_host(), test::arranged(key_values_, order)));
    EXPECT_TRUE(test::same(carried_.to_host(), test::arranged(values_, order)));
  }
  bool untouched() const { return keys_.to_host() == key_values_ && carried_.to_host() == values_; }

 private:
  static std::vector<std::int64_t> sizes_for(std::int64_t n) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 1; n > 0; size += size / 3 + 1) {
      sizes.push_back(std::min(n, size));
      n -= sizes.back();
    }
    return sizes;
  }

  test::segment_list list_;
  test::buffer<key> keys_;
  test::buffer<std::uint16_t> carried_;
  test::buffer<std::int64_t> offsets_;
  std::vector<key> key_values_;
  std::vector<std::uint16_t> values_;
};

}  // namespace

ONEPASS_TEST(segmented_sort, workspace) { test::check_workspace<segmented_sorts<backend_type>>(backend); }
ONEPASS_TEST(segmented_sort, workspace_in_own_memory) {
  test::check_workspace_in_own_memory<segmented_sorts<backend_type>>(backend);
}
ONEPASS_TEST(segmented_sort, workspace_too_small) {
  test::check_workspace_too_small<segmented_sorts<backend_type>>(backend, "segmented_sort_by_key");
}
ONEPASS_TEST(segmented_sort, several_host_threads) { test::check_host_threads<segmented_sorts<backend_type>>(backend); }
ONEPASS_CPU_TEST(segmented_sort, one_to_five_threads) {
  test::check_cpu_threads<segmented_sorts<test::cpu_backend>>();
  segmented_sorts<test::cpu_backend> many(backend, test::limited(400009));  // the last segment is sorted by all threads
  for (const int threads : {2, 5}) {
    many.load(threads);
    many.run(onepass::cpu(threads));
    many.check();
  }
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(segmented_sort, graph) {
  test::check_graph<segmented_sorts<test::cuda_backend>>(false);
  test::check_graph<segmented_sorts<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(segmented_sort, allocates_nothing_with_workspace) {
  test::check_launches<segmented_sorts<test::cuda_backend>>(0);
}
ONEPASS_GPU_TEST(segmented_sort, does_not_wait) {
  test::check_does_not_wait<segmented_sorts<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(segmented_sort, eight_streams) { test::check_eight_streams<segmented_sorts<test::cuda_backend>>(); }
#endif

// What lies behind the size that is found in memory is in no segment.
ONEPASS_TEST(segmented_sort, sized) {
  test::segment_list list({5, 300, 13000, 20, 2000, 4000});
  const auto room = static_cast<std::size_t>(list.n);
  const auto keys = test::keys<key>(room, 1, test::pattern::uniform);
  const std::vector<std::uint16_t> values = test::numbered<std::uint16_t>(room);
  const test::buffer<key> in(backend, keys);
  const test::buffer<std::uint16_t> with(backend, room);
  const test::buffer<std::int64_t> offsets(backend, list.offsets()), size(backend, 1);
  for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{4}, std::int64_t{13304}, list.n + 1}) {
    in.assign(keys);
    with.assign(values);
    size.assign({n});
    onepass::segmented_sort_by_key(backend.policy().sized_by(size.begin()), in.begin(), in.end(), with.begin(),
                                   onepass::offsets(offsets.begin(), offsets.end()));
    test::segment_list within = list;
    for (std::int64_t& end : within.ends) end = std::min(end, std::max<std::int64_t>(n, 0));
    const std::vector<std::size_t> order = test::segmented_order(keys, within, {});
    EXPECT_TRUE(test::same(in.to_host(), test::arranged(keys, order))) << n;
    EXPECT_TRUE(test::same(with.to_host(), test::arranged(values, order))) << n;
  }
}

ONEPASS_TEST(segmented_sort, wrong_arguments) {
  const test::buffer<key> keys(backend, 100);
  const test::buffer<std::uint16_t> values(backend, 100);
  const test::buffer<std::int64_t> positions(backend, 10);
  const auto throws = [&](const char* what, const auto& segments, const onepass::radix_options& options = {}) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(std::string("onepass::segmented_sort_by_key: ") + what, [&] {
      onepass::segmented_sort_by_key(backend.policy(), keys.begin(), keys.end(), values.begin(), segments, options);
    }));
  };
  std::int64_t *const null = nullptr, *const within = reinterpret_cast<std::int64_t*>(keys.begin());
  throws("last is before first", onepass::offsets(positions.end(), positions.begin()));
  throws("offsets is null", onepass::offsets(null, null + 10));
  throws("ends is null", onepass::segments(positions.begin(), positions.end(), null));
  throws("the keys overlaps the offsets", onepass::offsets(within, within + 3));
  throws("the keys overlaps the ends", onepass::segments(positions.begin(), positions.end(), within));
  throws("bits [30, 40)", onepass::offsets(positions.begin(), positions.end()), {false, 30, 40});
  const test::buffer<key> other_keys(backend, 100);
  const test::buffer<std::uint16_t> other_values(backend, 100);
  onepass::double_buffer<key> both(keys.begin(), other_keys.begin());
  onepass::double_buffer<std::uint16_t> both_values(values.begin(), other_values.begin());
  for (const void* other :
       {static_cast<const void*>(other_keys.begin()), static_cast<const void*>(other_values.begin())}) {
    const auto* const first = static_cast<const std::int64_t*>(other);
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(
        "onepass::segmented_sort_by_key: the second array of a double buffer overlaps the offsets", [&] {
          onepass::segmented_sort_by_key(backend.policy(), both, both_values, 100, onepass::offsets(first, first + 3));
        }));
  }
  EXPECT_TRUE(keys.untouched() && values.untouched() && other_keys.untouched() && other_values.untouched());
}
