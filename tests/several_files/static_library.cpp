// SPDX-License-Identifier: Apache-2.0
// The static library's own files make kernels of the same types, too. All its calls for all its types, at sizes that take
// all kinds of kernels, forwards and backwards: on the pretended runtime none may throw.
#include <gtest/gtest.h>

#include <onepass/library.hpp>

#include <functional>
#include <vector>

extern "C" int pretended_launches();

namespace {

namespace library = onepass::library;
using calls = std::vector<std::function<void()>>;

constexpr std::size_t most = std::size_t{1} << 25;

template <class T>
T* array(const library::execution& where) {
  return static_cast<T*>(library::allocate(where, most * sizeof(T)));
}

template <class T>
void add_scans(calls& all, const library::execution& where, std::size_t n) {
  T *const in = array<T>(where), *const out = array<T>(where);
  auto* const flags = array<std::uint8_t>(where);
  const library::offsets dense{array<std::int64_t>(where), n / 10 + 1}, sparse{dense.first, n / 1000 + 1};
  all.push_back([=] { library::inclusive_scan(where, in, n, out); });
  all.push_back([=] { library::exclusive_scan(where, in, n, out, T(1), library::op::maximum); });
  all.push_back([=] { library::inclusive_segmented_scan(where, in, n, flags, out); });
  all.push_back([=] { library::exclusive_segmented_scan(where, in, n, flags, out, T(1), library::op::minimum); });
  all.push_back([=] { library::inclusive_segmented_scan(where, in, n, dense, out); });
  all.push_back([=] { library::inclusive_segmented_scan(where, in, n, sparse, out, library::op::product); });
}

template <class T>
void add_compactions(calls& all, const library::execution& where, std::size_t n) {
  T *const in = array<T>(where), *const out = array<T>(where), *const other = array<T>(where);
  auto* const flags = array<std::uint8_t>(where);
  auto* const keys = array<std::uint32_t>(where);
  auto* const keys_out = array<std::uint32_t>(where);
  all.push_back([=] { (void)library::compact(where, in, n, flags, out); });
  all.push_back([=] { (void)library::stable_partition_copy(where, in, n, flags, out, other); });
  all.push_back([=] { (void)library::unique(where, in, n); });
  all.push_back([=] { (void)library::unique_copy(where, in, n, out); });
  all.push_back([=] { (void)library::unique_by_key_copy(where, keys, n, in, keys_out, out); });
}

template <class T>
void add_sorts(calls& all, const library::execution& where, std::size_t n) {
  T *const keys = array<T>(where), *const out = array<T>(where);
  auto* const wide = array<double>(where);
  auto* const narrow = array<int>(where);
  all.push_back([=] { library::radix_sort(where, keys, n); });
  all.push_back([=] { library::radix_sort(where, keys, n, {true, 3, 29}); });
  all.push_back([=] { library::radix_sort_by_key(where, keys, n, wide); });
  all.push_back([=] { library::radix_sort_by_key(where, keys, n, narrow, {true}); });
  if constexpr (std::is_integral_v<T>) {
    all.push_back([=] { library::split(where, keys, n, out, {4, 8}); });
    all.push_back([=] { library::inclusive_scan_by_key(where, keys, n, wide, array<double>(where)); });
    all.push_back([=] { library::exclusive_scan_by_key(where, keys, n, narrow, array<int>(where)); });
  }
}

template <class... T>
calls all_calls() {
  const auto where = library::execution::cuda();
  calls all;
  for (const std::size_t n : {std::size_t{1000}, std::size_t{100000}, most}) {
    (add_scans<T>(all, where, n), ...);
    (add_compactions<T>(all, where, n), ...);
    (add_sorts<T>(all, where, n), ...);
  }
  return all;
}

}  // namespace

TEST(several_files, static_library_pretended) {
  const calls all = all_calls<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>();
  for (const auto& call : all) EXPECT_NO_THROW(call());
  for (auto call = all.rbegin(); call != all.rend(); ++call) EXPECT_NO_THROW((*call)());
  EXPECT_GT(pretended_launches(), static_cast<int>(2 * all.size()) - 1);
}
