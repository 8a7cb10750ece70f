// SPDX-License-Identifier: Apache-2.0
// Drop-in tests: each call beside Thrust's on the same data.
//
//   test::beside(backend, "inclusive_scan", [&](auto library, const auto& policy, const auto& where) {
//     const test::array<int> in(where, values), out(where, n);
//     library.inclusive_scan(policy, in.begin(), in.end(), out.begin());
//     return out.to_host();
//   });
//
// runs the body with Thrust's calls and with onepass's and compares what it returns: a vector, or a tuple of such. Thrust runs
// in its sequential C++ system on the host, which gives what its CUDA system has to give: so a test for GPUs compiles none of
// Thrust's kernels.
#pragma once

#include <onepass/onepass.hpp>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "support/test.hpp"

namespace test {

// ---- the two libraries, as objects --------------------------------------------------------------------------------------
// A macro, because a namespace cannot be a template's argument.
#define ONEPASS_TEST_CALL_(space, name)              \
  template <class... Args>                           \
  auto name(Args&&... args) const {                  \
    return space::name(std::forward<Args>(args)...); \
  }
#define ONEPASS_TEST_CALLS_(space)                    \
  ONEPASS_TEST_CALL_(space, inclusive_scan)           \
  ONEPASS_TEST_CALL_(space, exclusive_scan)           \
  ONEPASS_TEST_CALL_(space, transform_inclusive_scan) \
  ONEPASS_TEST_CALL_(space, transform_exclusive_scan) \
  ONEPASS_TEST_CALL_(space, inclusive_scan_by_key)    \
  ONEPASS_TEST_CALL_(space, exclusive_scan_by_key)    \
  ONEPASS_TEST_CALL_(space, reduce_by_key)            \
  ONEPASS_TEST_CALL_(space, copy_if)                  \
  ONEPASS_TEST_CALL_(space, remove)                   \
  ONEPASS_TEST_CALL_(space, remove_if)                \
  ONEPASS_TEST_CALL_(space, remove_copy)              \
  ONEPASS_TEST_CALL_(space, remove_copy_if)           \
  ONEPASS_TEST_CALL_(space, stable_partition)         \
  ONEPASS_TEST_CALL_(space, stable_partition_copy)    \
  ONEPASS_TEST_CALL_(space, partition_copy)           \
  ONEPASS_TEST_CALL_(space, unique)                   \
  ONEPASS_TEST_CALL_(space, unique_copy)              \
  ONEPASS_TEST_CALL_(space, unique_count)             \
  ONEPASS_TEST_CALL_(space, unique_by_key)            \
  ONEPASS_TEST_CALL_(space, unique_by_key_copy)       \
  ONEPASS_TEST_CALL_(space, stable_sort)              \
  ONEPASS_TEST_CALL_(space, stable_sort_by_key)
struct thrust_calls {
  ONEPASS_TEST_CALLS_(thrust)
};
struct onepass_calls {
  ONEPASS_TEST_CALLS_(onepass)
};
#undef ONEPASS_TEST_CALLS_
#undef ONEPASS_TEST_CALL_

// ---- data -----------------------------------------------------------------------------------------------------------------
// Items of any type in a backend's memory, with guards around them; on the host as a vector, of int for bool.
template <class T>
class array {
 public:
  using host_item = std::conditional_t<std::is_same_v<T, bool>, int, T>;

  template <class Backend>
  array(const Backend& backend, std::size_t n) : memory_(&backend.memory()), items_(backend, n) {}
  template <class Backend, class V>
  array(const Backend& backend, const std::vector<V>& values) : array(backend, values.size()) {
    const std::unique_ptr<T[]> items(new T[values.size()]);
    for (std::size_t i = 0; i < values.size(); ++i) items[i] = static_cast<T>(values[i]);
    if (!values.empty()) memory_->copy(begin(), items.get(), values.size() * sizeof(T));
  }

  T* begin() const { return items_.begin(); }
  T* end() const { return items_.end(); }

  std::vector<host_item> to_host() const { return to_host(end()); }
  std::vector<host_item> to_host(const T* last) const {
    const auto n = static_cast<std::size_t>(last - begin());
    const std::unique_ptr<T[]> items(new T[n]);
    if (n > 0) memory_->copy(items.get(), begin(), n * sizeof(T));
    return std::vector<host_item>(items.get(), items.get() + n);
  }

 private:
  const memory_system* memory_;
  buffer<T> items_;
};

// ---- comparing --------------------------------------------------------------------------------------------------------------
template <class T>
void expect_same(const char* call, const std::vector<T>& actual, const std::vector<T>& expected) {
  EXPECT_TRUE(same(actual, expected)) << call;
}
template <class... Ts>
void expect_same(const char* call, const std::tuple<Ts...>& actual, const std::tuple<Ts...>& expected) {
  std::apply([&](const auto&... a) { std::apply([&](const auto&... b) { (expect_same(call, a, b), ...); }, expected); },
             actual);
}

template <class Body>
void beside(const cpu_backend& backend, const char* call, Body body) {
  const auto expected = body(thrust_calls{}, thrust::cpp::par, backend);
  for (const int threads : {1, 3}) expect_same(call, body(onepass_calls{}, onepass::cpu(threads), backend), expected);
}
#if ONEPASS_HAS_CUDA
template <class Body>
void beside(const cuda_backend& backend, const char* call, Body body) {
  const auto expected = body(thrust_calls{}, thrust::cpp::par, cpu_backend{});
  expect_same(call, body(onepass_calls{}, backend.policy(), backend), expected);
}
#endif

}  // namespace test
