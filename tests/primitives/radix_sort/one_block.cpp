// SPDX-License-Identifier: Apache-2.0
// The inside of a sort by one block: all sizes that it holds, both rankings, an atomic ranking that is not stable, and
// sizes that are found in memory. And of a sort by merging, by one block and by many.
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

struct by_merging {};  // and not digit by digit

struct wide {  // as large as a value that is moved may be, and of no size that one access moves
  unsigned char bytes[31];
  friend bool operator==(const wide& a, const wide& b) { return std::equal(a.bytes, a.bytes + 31, b.bytes); }
  friend std::ostream& operator<<(std::ostream& out, const wide& w) { return out << static_cast<int>(w.bytes[0]); }
};

// What shows where value i stood.
template <class V>
V value_at(std::size_t i) {
  if constexpr (std::is_same_v<V, wide>) {
    wide value{};
    for (unsigned char& byte : value.bytes) byte = static_cast<unsigned char>(i += 77, i >> 4);
    return value;
  } else {
    return static_cast<V>(i);
  }
}

template <class K, class V>
class one_block_sort {
  static constexpr bool has_values = !std::is_same_v<V, detail::none>;
  using carried = std::conditional_t<has_values, V, unsigned char>;

 public:
  one_block_sort(const test::cuda_backend& backend, const std::vector<K>& keys)
      : backend_(backend), keys_(keys), values_(keys.size()), in_(backend, keys, 1), with_(backend, keys.size(), 1) {
    for (std::size_t i = 0; i < keys.size(); ++i) values_[i] = value_at<carried>(i);
    with_.assign(values_);
  }

  // Of a room of all keys, the first `n`; `size`: where the device finds that number, if it does. Method: how digits
  // are ranked, or by_merging.
  template <class Method>
  void check(const onepass::radix_options& options, std::size_t n, const onepass::index_t* size) const {
    const int end = options.end_bit < 0 ? static_cast<int>(8 * sizeof(K)) : options.end_bit;
    in_.assign(keys_);
    with_.assign(values_);
    using stored = detail::sort_key<K>;
    V* values = nullptr;
    if constexpr (has_values) values = with_.data();
    using digits_type = detail::bits_digits<stored, true>;
    const digits_type digits{
        {options.begin_bit, end, options.descending, std::is_integral_v<K> && std::is_signed_v<K>}};
    const detail::item_count room{static_cast<onepass::index_t>(keys_.size()), size};
    auto* const sorted = reinterpret_cast<stored*>(in_.data());
    const detail::block_sort_items<stored, V> items{sorted, sorted, values, values};
    if constexpr (std::is_same_v<Method, by_merging>) {
      const test::buffer<K> other(backend_, keys_.size(), 1);
      const test::buffer<carried> others(backend_, keys_.size(), 1);
      using route = detail::buffer_route<stored>;
      const auto keys = route::in_place(sorted, reinterpret_cast<stored*>(other.data()));
      std::conditional_t<has_values, detail::buffer_route<V>, detail::no_route> with{};
      if constexpr (has_values) with = detail::buffer_route<V>::in_place(values, others.data());
      detail::sort_by_merging<digits_type, V>("check", digits, keys, with, room, {}, backend_.stream);
      test::check_cuda(cudaStreamSynchronize(backend_.stream), "cudaStreamSynchronize");
    } else {
      detail::block_sort<digits_type, V>::template launch<Method>("check", digits, items, room, backend_.stream);
    }
    std::vector<std::size_t> order = test::sorted_order(std::vector<K>(keys_.begin(), keys_.begin() + long(n)),
                                                        options.descending, options.begin_bit, end);
    for (std::size_t i = n; i < keys_.size(); ++i) order.push_back(i);
    EXPECT_TRUE(test::identical(in_.to_host(), test::arranged(keys_, order))) << "keys";
    if (has_values) EXPECT_TRUE(test::same(with_.to_host(), test::arranged(values_, order))) << "values";
  }
  template <class Method>
  void check(const onepass::radix_options& options) const {
    check<Method>(options, keys_.size(), nullptr);
  }

 private:
  const test::cuda_backend& backend_;
  std::vector<K> keys_;
  std::vector<carried> values_;
  test::buffer<K> in_;
  test::buffer<carried> with_;
};

// Ascending and descending, all bits, none that are equal in all keys, some.
template <class Method, class K, class V>
void check_all(const test::cuda_backend& backend) {
  using sort = one_block_sort<K, V>;
  constexpr int most = std::is_same_v<Method, by_merging>
                           ? detail::merge_sort_items(detail::most_merge_threads<K>)
                           : detail::block_sort_shape<sizeof(K), detail::stored_size<V>>::items;
  constexpr int bits = 8 * sizeof(K);
  const onepass::radix_options all_options[] = {{}, {true}, {false, 3, bits - 5}, {true, 8, 16}, {false, bits - 1}};
  std::vector<int> sizes = test::small_only() ? std::vector<int>{1, 2, 33, 1025}
                                              : std::vector<int>{1, 2, 31, 33, 257, 1023, 1025, most - 1, most};
  if (std::is_same_v<Method, by_merging>) {
    for (const int n : {most + 1, 2 * most, 3 * most + 1027, 8 * most + 1})
      if (!test::small_only() || n < 2 * most) sizes.push_back(n);
  }
  for (const int n : sizes) {
    for (const test::pattern p : test::all_patterns) {
      const sort job(backend, test::keys<K>(static_cast<std::size_t>(n), static_cast<std::uint64_t>(n), p));
      for (const onepass::radix_options& options : all_options) {
        SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(p) << ", bits [" << options.begin_bit << ", "
                                        << options.end_bit << ")" << (options.descending ? ", descending" : ""));
        job.template check<Method>(options);
      }
    }
  }
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, one_block_keys) {
  check_all<detail::atomic_ranking, std::uint32_t, detail::none>(backend);
  check_all<test::broken_atomic_ranking, std::uint32_t, detail::none>(backend);
}
// Counted by all bits, unless some key occurs often.
ONEPASS_GPU_TEST(radix_sort, one_block_keys_of_16_bits) {
  check_all<detail::atomic_ranking, std::int16_t, detail::none>(backend);
  check_all<test::broken_atomic_ranking, std::int16_t, detail::none>(backend);
}
ONEPASS_GPU_TEST(radix_sort, one_block_pairs_of_float) {
  check_all<detail::atomic_ranking, float, std::uint16_t>(backend);
  check_all<test::broken_atomic_ranking, float, std::uint16_t>(backend);
}
ONEPASS_GPU_TEST(radix_sort, one_block_wide_values) { check_all<detail::atomic_ranking, std::int64_t, wide>(backend); }
ONEPASS_GPU_TEST(radix_sort, one_block_by_merging) {
  check_all<by_merging, std::uint32_t, detail::none>(backend);
  check_all<by_merging, float, std::uint16_t>(backend);
  check_all<by_merging, std::int64_t, wide>(backend);
}

// -0 and +0 are equal and keep their order, also where keys carry nothing.
ONEPASS_GPU_TEST(radix_sort, one_block_zeros) {
  std::vector<float> zeros(3000);
  for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 0 ? 0.0f : i % 3 == 1 ? -0.0f : float(i % 7) - 3;
  for (const bool descending : {false, true}) {
    one_block_sort<float, detail::none>(backend, zeros).check<detail::atomic_ranking>({descending});
    one_block_sort<float, std::uint16_t>(backend, zeros).check<detail::atomic_ranking>({descending});
    one_block_sort<float, detail::none>(backend, zeros).check<by_merging>({descending});
    one_block_sort<float, std::uint16_t>(backend, zeros).check<by_merging>({descending});
  }
}

ONEPASS_GPU_TEST(radix_sort, one_block_sized) {
  const test::buffer<onepass::index_t> size(backend, 1);
  const one_block_sort<std::uint32_t, detail::none> job(backend,
                                                        test::keys<std::uint32_t>(2000, 5, test::pattern::uniform));
  for (const onepass::index_t n : {-1, 0, 1, 2, 999, 1999, 2000, 2001}) {
    SCOPED_TRACE(n);
    size.assign({n});
    job.check<detail::atomic_ranking>({}, static_cast<std::size_t>(std::clamp<onepass::index_t>(n, 0, 2000)),
                                      size.data());
  }
}
ONEPASS_GPU_TEST(radix_sort, merged_tiles_sized) {
  const test::buffer<onepass::index_t> size(backend, 1);
  for (const std::size_t all : {9000u, 20000u}) {  // rounds that end in either buffer
    const one_block_sort<float, std::uint16_t> job(backend, test::keys<float>(all, 5, test::pattern::uniform));
    for (const onepass::index_t n : {0, 1, 4095, 4096, 4097, 5120, 8193, 9000}) {
      SCOPED_TRACE(n);
      size.assign({n});
      job.check<by_merging>({}, static_cast<std::size_t>(n), size.data());
    }
  }
}
#endif
