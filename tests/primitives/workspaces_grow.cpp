// SPDX-License-Identifier: Apache-2.0
// A workspace that was measured for n items serves fewer, too: what calls of every kind need never falls as n grows, for
// any number of threads. Nothing is read or written, so the pointers stand for memory that is not there.
#include <onepass/onepass.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/test.hpp"

namespace {

using onepass::index_t;

template <class T, int which>
T* memory_of() {
  return reinterpret_cast<T*>(std::uintptr_t{which} << 44);
}

// Numbers around powers of two, some between, and those that two or three segments of one block's items have.
std::vector<index_t> numbers() {
  std::vector<index_t> all;
  for (int bits = 0; bits <= 33; ++bits) {
    for (const index_t n : {(index_t{1} << bits) - 1, index_t{1} << bits, (index_t{1} << bits) + 1}) all.push_back(n);
    for (int i = 0; i < 3; ++i)
      all.push_back((index_t{1} << bits) +
                    static_cast<index_t>(test::hash(1, 3 * bits + i) % (1u << std::min(bits, 31))));
    all.push_back(index_t{3} << bits >> 1);
  }
  for (const index_t of_segments : {8192, 12288}) {
    for (index_t n = of_segments - 2; n < of_segments + 20; ++n) all.push_back(n);
    for (index_t n = of_segments; n < 2 * of_segments; n += 501) all.push_back(n);
  }
  std::sort(all.begin(), all.end());
  return all;
}

template <class Policy, class Call>
void check(const Policy& policy, const char* name, index_t most, Call call) {
  onepass::workspace_size before;
  index_t n_before = 0;
  for (const index_t n : numbers()) {
    if (n > most) break;
    const onepass::workspace_size size = onepass::measure(policy, [&](const auto& measuring) { call(measuring, n); });
    EXPECT_GE(size.scratch, before.scratch) << name << " of " << n << " after " << n_before;
    EXPECT_GE(size.tiles, before.tiles) << name << " of " << n << " after " << n_before;
    before = size;
    n_before = n;
  }
}

constexpr index_t any = index_t{1} << 40, one_call_takes = index_t{1} << 30;

struct is_positive {
  ONEPASS_HOST_DEVICE bool operator()(int x) const { return x > 0; }
};

template <class K, class Policy>
void check_sorts(const Policy& policy, const char* name) {
  K* const keys = memory_of<K, 1>();
  K* const sorted = memory_of<K, 2>();
  auto* const values = memory_of<std::uint32_t, 3>();
  auto* const sorted_values = memory_of<std::uint32_t, 4>();
  SCOPED_TRACE(name);
  check(policy, "radix_sort", any, [&](const auto& p, index_t n) { onepass::radix_sort(p, keys, keys + n); });
  check(policy, "radix_sort_by_key", any,
        [&](const auto& p, index_t n) { onepass::radix_sort_by_key(p, keys, keys + n, values); });
  check(policy, "radix_sort_copy", any,
        [&](const auto& p, index_t n) { onepass::radix_sort_copy(p, keys, keys + n, sorted); });
  check(policy, "radix_sort_by_key_copy", any, [&](const auto& p, index_t n) {
    onepass::radix_sort_by_key_copy(p, keys, keys + n, values, sorted, sorted_values);
  });
  check(policy, "radix_sort of bits", any, [&](const auto& p, index_t n) {
    onepass::radix_sort(p, keys, keys + n, onepass::radix_options{false, 1, 7});
  });
  check(policy, "radix_sort in little memory", any,
        [&](const auto& p, index_t n) { onepass::radix_sort(p, keys, keys + n, onepass::in_little_memory()); });
  check(policy, "radix_sort_by_key in little memory", any, [&](const auto& p, index_t n) {
    onepass::radix_sort_by_key(p, keys, keys + n, values, onepass::in_little_memory());
  });
  check(policy, "segmented_sort of rows", one_call_takes,
        [&](const auto& p, index_t n) { onepass::segmented_sort(p, keys, keys + n, onepass::rows(1000)); });
  for (const index_t length : {4000, 6000, 8000}) {  // the last one is shorter
    check(policy, "segmented_sort_by_key of rows", one_call_takes, [&](const auto& p, index_t n) {
      onepass::segmented_sort_by_key(p, keys, keys + n, values, onepass::rows(length));
    });
  }
  auto* const indices = memory_of<index_t, 6>();
  check(policy, "radix_argsort", any,
        [&](const auto& p, index_t n) { onepass::radix_argsort(p, keys, keys + n, indices); });
  auto* const structs = memory_of<test::triple, 7>();  // moved by their indices
  check(policy, "radix_sort_by_key of structs", any,
        [&](const auto& p, index_t n) { onepass::radix_sort_by_key(p, keys, keys + n, structs); });
  auto* const offsets = memory_of<index_t, 5>();
  auto* const doubles = memory_of<double, 8>();
  for (const int segments : {1, 2, 3, 100, 133, 200, 264, 100000}) {  // around 132 multiprocessors, and twice as many
    SCOPED_TRACE(testing::Message() << segments << " segments");
    const auto by = onepass::offsets(offsets, offsets + segments + 1);
    check(policy, "segmented_sort_by_key of offsets", one_call_takes,
          [&](const auto& p, index_t n) { onepass::segmented_sort_by_key(p, keys, keys + n, values, by); });
    check(policy, "segmented_sort_by_key of offsets, doubles", one_call_takes,
          [&](const auto& p, index_t n) { onepass::segmented_sort_by_key(p, keys, keys + n, doubles, by); });
  }
}

template <class K, class Policy>
void check_selections(const Policy& policy, const char* name) {
  K* const keys = memory_of<K, 1>();
  K* const out = memory_of<K, 2>();
  SCOPED_TRACE(name);
  for (const index_t k : {1, 10, 300, 5000, 200000, 20000000}) {
    SCOPED_TRACE(k);
    const auto from_k = [k](auto call) {
      return [k, call](const auto& p, index_t n) {
        if (n >= k) call(p, n);
      };
    };
    check(policy, "top_k", one_call_takes,
          from_k([&](const auto& p, index_t n) { onepass::top_k(p, keys, keys + n, k, out); }));
    check(policy, "top_k_by_key", one_call_takes, from_k([&](const auto& p, index_t n) {
            onepass::top_k_by_key(p, keys, keys + n, memory_of<double, 3>(), k, out, memory_of<double, 4>());
          }));
    check(policy, "top_k of offsets", one_call_takes, from_k([&](const auto& p, index_t n) {
            if (n < 10 * k) return;
            auto* const offsets = memory_of<index_t, 5>();
            onepass::top_k(p, keys, keys + n, onepass::offsets(offsets, offsets + 11), k, out);
          }));
    check(policy, "nth_element", one_call_takes,
          from_k([&](const auto& p, index_t n) { onepass::nth_element(p, keys, keys + n, k - 1, out); }));
    if (k > 5000) continue;
    for (const index_t length : {5000, 40000, 1 << 20}) {
      check(policy, "top_k of rows", one_call_takes, from_k([&](const auto& p, index_t n) {
              onepass::top_k(p, keys, keys + n, onepass::rows(length), k, out);
            }));
    }
  }
}

template <class Policy>
void check_all(const Policy& policy) {
  auto* const in = memory_of<int, 1>();
  auto* const out = memory_of<int, 2>();
  auto* const other = memory_of<int, 3>();
  auto* const third = memory_of<int, 4>();
  auto* const flags = memory_of<std::uint8_t, 5>();
  auto* const matrices = memory_of<test::matrix, 6>();
  auto* const count = memory_of<index_t, 7>();
  auto* const doubles = memory_of<double, 8>();
  check(policy, "inclusive_scan", any, [&](const auto& p, index_t n) { onepass::inclusive_scan(p, in, in + n, out); });
  check(policy, "inclusive_scan of matrices", any, [&](const auto& p, index_t n) {
    onepass::inclusive_scan(p, matrices, matrices + n, matrices, test::matrix_product{});
  });
  check(policy, "exclusive_scan of doubles", any,
        [&](const auto& p, index_t n) { onepass::exclusive_scan(p, doubles, doubles + n, doubles, 0.0); });
  check(policy, "inclusive_scan_by_key", any,
        [&](const auto& p, index_t n) { onepass::inclusive_scan_by_key(p, in, in + n, out, other); });
  check(policy, "inclusive_segmented_scan", any,
        [&](const auto& p, index_t n) { onepass::inclusive_segmented_scan(p, in, in + n, flags, out); });
  for (const int width : {1, 2, 3, 4, 5, 1000}) {
    SCOPED_TRACE(testing::Message() << "columns of width " << width);
    check(policy, "inclusive_segmented_scan of columns", any, [&](const auto& p, index_t n) {
      onepass::inclusive_segmented_scan(p, in, in + n, onepass::columns(width), out);
    });
    check(policy, "inclusive_segmented_scan of columns of doubles", any, [&](const auto& p, index_t n) {
      onepass::inclusive_segmented_scan(p, doubles, doubles + n, onepass::columns(width, 1000), doubles);
    });
  }
  check(policy, "copy_if", any,
        [&](const auto& p, index_t n) { onepass::copy_if_async(p, in, in + n, out, is_positive{}, count); });
  check(policy, "unique_copy", any,
        [&](const auto& p, index_t n) { onepass::unique_copy_async(p, in, in + n, out, count); });
  check(policy, "unique_count", any,
        [&](const auto& p, index_t n) { onepass::unique_count_async(p, in, in + n, count); });
  check(policy, "partition", any,
        [&](const auto& p, index_t n) { onepass::partition_async(p, in, in + n, is_positive{}, count); });
  if constexpr (std::is_same_v<Policy, onepass::cpu_policy>) {
    auto* const objects = memory_of<std::string, 9>();
    const auto is_empty = [](const std::string& x) { return x.empty(); };
    check(policy, "partition of objects", any,
          [&](const auto& p, index_t n) { onepass::partition_async(p, objects, objects + n, is_empty, count); });
  }
  check(policy, "three_way_partition_copy", any, [&](const auto& p, index_t n) {
    onepass::three_way_partition_copy_async(p, in, in + n, out, other, third, is_positive{}, is_positive{}, count);
  });
  check(policy, "reduce_by_key", any,
        [&](const auto& p, index_t n) { onepass::reduce_by_key_async(p, in, in + n, out, other, third, count); });
  check(policy, "split", any,
        [&](const auto& p, index_t n) { onepass::split_async(p, in, in + n, out, is_positive{}, count); });
  check(policy, "segmented_reduce of rows", any,
        [&](const auto& p, index_t n) { onepass::segmented_reduce(p, in, in + n, onepass::rows(100), out, 0); });
  auto* const offsets = memory_of<index_t, 10>();
  for (const int segments : {1, 1000, 1000000}) {
    SCOPED_TRACE(testing::Message() << segments << " segments");
    const auto by_offsets = onepass::offsets(offsets, offsets + segments + 1);
    check(policy, "segmented_reduce of offsets", any,
          [&](const auto& p, index_t n) { onepass::segmented_reduce(p, in, in + n, by_offsets, out, 0); });
    check(policy, "segmented_reduce of offsets, matrices", any, [&](const auto& p, index_t n) {
      onepass::segmented_reduce(p, matrices, matrices + n, by_offsets, memory_of<test::matrix, 11>(), test::matrix{},
                                test::matrix_product{});
    });
    check(policy, "inclusive_segmented_scan of offsets", any,
          [&](const auto& p, index_t n) { onepass::inclusive_segmented_scan(p, in, in + n, by_offsets, out); });
  }
  // Fewer segments, too.
  check(policy, "segmented_reduce of 10^6 items by offsets", any, [&](const auto& p, index_t segments) {
    onepass::segmented_reduce(p, in, in + 1000000, onepass::offsets(offsets, offsets + segments + 1), out, 0);
  });
  check(policy, "segmented_reduce of flags", any,
        [&](const auto& p, index_t n) { onepass::segmented_reduce_async(p, in, in + n, flags, out, count); });
  check(policy, "inclusive_segmented_scan of rows", any,
        [&](const auto& p, index_t n) { onepass::inclusive_segmented_scan(p, in, in + n, onepass::rows(1000), out); });
  for (const int width : {1, 2, 5, 1000}) {
    check(policy, "segmented_reduce of columns", any,
          [&](const auto& p, index_t n) { onepass::segmented_reduce(p, in, in + n, onepass::columns(width), out, 0); });
  }
  check(policy, "positions", any,
        [&](const auto& p, index_t n) { onepass::positions_async(p, flags, flags + n, count, count); });
  check(policy, "run_length_encode", any,
        [&](const auto& p, index_t n) { onepass::run_length_encode_async(p, in, in + n, out, other, count); });
  check(policy, "unique_by_key", any,
        [&](const auto& p, index_t n) { onepass::unique_by_key_async(p, in, in + n, doubles, count); });
  check(policy, "histogram of rows", one_call_takes, [&](const auto& p, index_t n) {
    onepass::histogram(p, in, in + n, onepass::rows(5000), onepass::value_bins(0, 100), count);
  });
  check(policy, "histogram", any,
        [&](const auto& p, index_t n) { onepass::histogram(p, in, in + n, onepass::value_bins(0, 1000), count); });
  check(policy, "histogram of many bins", any,
        [&](const auto& p, index_t n) { onepass::histogram(p, in, in + n, onepass::value_bins(0, 1 << 22), count); });
  check_sorts<std::uint32_t>(policy, "uint32");
  check_selections<float>(policy, "float");
  if constexpr (std::is_same_v<Policy, onepass::cpu_policy>) {  // nvcc takes minutes for these types alone
    check_sorts<std::uint8_t>(policy, "uint8");
    check_sorts<double>(policy, "double");
    check_selections<std::uint8_t>(policy, "uint8");
    check_selections<std::uint64_t>(policy, "uint64");
  }
}

}  // namespace

ONEPASS_TEST(workspaces_grow, calls_of_every_kind) { check_all(backend.policy()); }
ONEPASS_CPU_TEST(workspaces_grow, any_number_of_threads) {
  for (const int threads : {1, 2, 5, 13, 64, 300}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    check_all(onepass::cpu(threads));
  }
}
