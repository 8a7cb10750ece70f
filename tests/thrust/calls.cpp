// SPDX-License-Identifier: Apache-2.0
// Each call beside Thrust's: over types of items, over Thrust's iterators, and with functors of all kinds.
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <vector>

#include "beside.hpp"

namespace {

template <class T>
std::vector<T> items(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<int>(test::hash(i / 2, seed) % 100) - 50);
  return values;
}

struct is_negative {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return x < T(0);
  }
};
// Not const, as users' functors may be.
struct is_small {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) {
    return x < T(20);
  }
};
struct is_odd_by_reference {
  ONEPASS_HOST_DEVICE bool operator()(int& x) const { return x % 2 != 0; }
};
struct sum_not_const {
  ONEPASS_HOST_DEVICE int operator()(int a, int b) { return a + b; }
};
struct negative_not_const {
  ONEPASS_HOST_DEVICE int operator()(int x) { return -x; }
};
struct same_tens_not_const {
  ONEPASS_HOST_DEVICE bool operator()(int a, int b) { return a / 10 == b / 10; }
};
struct twice {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& x) const {
    return static_cast<T>(x + x);
  }
};
struct remainder_of_seven {
  ONEPASS_HOST_DEVICE int operator()(int x) const { return x % 7; }
};
struct same_sign {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return (a < T(0)) == (b < T(0));
  }
};

// body(library, policy, where, n)
template <class Backend, class Body>
void check(const Backend& backend, const char* call, Body body) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, test::limited(70001)}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    test::beside(backend, call,
                 [&](auto library, const auto& policy, const auto& where) { return body(library, policy, where, n); });
  }
}

template <class T, class Backend>
void check_compactions(const Backend& backend) {
  check(backend, "copy_if", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1)), out(where, n);
    return out.to_host(library.copy_if(policy, x.begin(), x.end(), out.begin(), is_small{}));
  });
  check(backend, "remove_copy_if, stencil", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1)), out(where, n);
    const test::array<int> stencil(where, items<int>(n, 2));
    return out.to_host(library.remove_copy_if(policy, x.begin(), x.end(), stencil.begin(), out.begin(), is_negative{}));
  });
  check(backend, "remove", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1));
    return x.to_host(library.remove(policy, x.begin(), x.end(), T(7)));
  });
  check(backend, "unique", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1));
    return x.to_host(library.unique(policy, x.begin(), x.end(), same_sign{}));
  });
  check(backend, "stable_partition", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1));
    const T* const border = library.stable_partition(policy, x.begin(), x.end(), is_negative{});
    return std::make_tuple(x.to_host(), x.to_host(border));
  });
  check(backend, "unique_by_key_copy", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> keys(where, items<T>(n, 1)), out_keys(where, n);
    const test::array<int> values(where, items<int>(n, 2)), out(where, n);
    const auto ends =
        library.unique_by_key_copy(policy, keys.begin(), keys.end(), values.begin(), out_keys.begin(), out.begin());
    return std::make_tuple(out_keys.to_host(ends.first), out.to_host(ends.second));
  });
}

template <class T, class Backend>
void check_sorts(const Backend& backend) {
  check(backend, "stable_sort", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> x(where, items<T>(n, 1));
    library.stable_sort(policy, x.begin(), x.end());
    return x.to_host();
  });
  check(backend, "stable_sort_by_key, greater", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<T> keys(where, items<T>(n, 1));
    const test::array<int> values(where, items<int>(n, 2));
    library.stable_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), thrust::greater<T>());
    return std::make_tuple(keys.to_host(), values.to_host());
  });
}

}  // namespace

ONEPASS_TEST(calls, compactions_of_int) { check_compactions<int>(backend); }
ONEPASS_TEST(calls, compactions_of_double) { check_compactions<double>(backend); }
ONEPASS_CPU_TEST(calls, compactions_of_other_types) {
  check_compactions<std::int8_t>(backend);
  check_compactions<std::int16_t>(backend);
  check_compactions<float>(backend);
}
ONEPASS_TEST(calls, sorts_of_float) { check_sorts<float>(backend); }
ONEPASS_CPU_TEST(calls, sorts_of_other_types) {
  check_sorts<std::int8_t>(backend);
  check_sorts<std::uint32_t>(backend);  // not int: Thrust's C++ system (3.0) puts its negative numbers last
  check_sorts<std::int64_t>(backend);
  check_sorts<double>(backend);
}

ONEPASS_TEST(calls, functors_that_are_not_const) {
  const auto check_scan = [&](const char* call, auto scan) {
    check(backend, call, [scan](auto library, const auto& policy, const auto& where, std::size_t n) {
      const test::array<int> keys(where, items<int>(n, 1)), x(where, items<int>(n, 2)), out(where, n);
      return out.to_host(scan(library, policy, keys, x, out.begin()));
    });
  };
  check_scan("exclusive_scan", [](auto library, const auto& policy, const auto&, const auto& x, int* out) {
    return library.exclusive_scan(policy, x.begin(), x.end(), out, 5, sum_not_const{});
  });
  check_scan("transform_inclusive_scan", [](auto library, const auto& policy, const auto&, const auto& x, int* out) {
    return library.transform_inclusive_scan(policy, x.begin(), x.end(), out, negative_not_const{}, sum_not_const{});
  });
  check_scan("inclusive_scan_by_key", [](auto library, const auto& policy, const auto& keys, const auto& x, int* out) {
    return library.inclusive_scan_by_key(policy, keys.begin(), keys.end(), x.begin(), out, same_tens_not_const{},
                                         sum_not_const{});
  });
  check_scan("reduce_by_key", [](auto library, const auto& policy, const auto& keys, const auto& x, int* out) {
    const auto no_keys = thrust::make_discard_iterator();
    return library
        .reduce_by_key(policy, keys.begin(), keys.end(), x.begin(), no_keys, out, same_tens_not_const{},
                       sum_not_const{})
        .second;
  });
  check_scan("unique_by_key_copy", [](auto library, const auto& policy, const auto& keys, const auto& x, int* out) {
    const auto no_keys = thrust::make_discard_iterator();
    return library.unique_by_key_copy(policy, keys.begin(), keys.end(), x.begin(), no_keys, out, same_tens_not_const{})
        .second;
  });
}

ONEPASS_TEST(calls, predicates_by_reference) {
  check(backend, "copy_if", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items<int>(n, 1)), out(where, n);
    return out.to_host(library.copy_if(policy, x.begin(), x.end(), out.begin(), is_odd_by_reference{}));
  });
  check(backend, "remove_if, stencil", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items<int>(n, 1)), stencil(where, items<int>(n, 2));
    return x.to_host(library.remove_if(policy, x.begin(), x.end(), stencil.begin(), is_odd_by_reference{}));
  });
  check(backend, "partition_copy", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items<int>(n, 1)), out(where, n), others(where, n);
    const auto ends =
        library.partition_copy(policy, x.begin(), x.end(), out.begin(), others.begin(), is_odd_by_reference{});
    return std::make_tuple(out.to_host(ends.first), others.to_host(ends.second));
  });
}

ONEPASS_TEST(calls, scans_on_iterators) {
  check(backend, "reversed, and permuted", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    std::vector<int> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<int>(n - 1 - i);
    const test::array<int> x(where, items<int>(n, 1)), order(where, places), out(where, n);
    const auto in = thrust::make_reverse_iterator(x.end());
    library.inclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n),
                           thrust::make_permutation_iterator(out.begin(), order.begin()));
    return out.to_host();
  });
  check(backend, "computed, to a transform-output",
        [](auto library, const auto& policy, const auto& where, std::size_t n) {
          const test::array<int> out(where, n);
          const auto in = thrust::make_transform_iterator(thrust::counting_iterator<int>(3), remainder_of_seven{});
          library.exclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n),
                                 thrust::make_transform_output_iterator(out.begin(), twice{}), 1);
          return out.to_host();
        });
  check(backend, "narrow items to a transform-output",
        [](auto library, const auto& policy, const auto& where, std::size_t n) {
          const test::array<std::int8_t> x(where, items<std::int8_t>(n, 1));
          const test::array<int> out(where, n);
          library.inclusive_scan(policy, x.begin(), x.end(),
                                 thrust::make_transform_output_iterator(out.begin(), twice{}));
          return out.to_host();
        });
}
ONEPASS_TEST(calls, reductions_on_iterators) {
  check(backend, "lengths of runs, without keys",
        [](auto library, const auto& policy, const auto& where, std::size_t n) {
          const test::array<int> keys(where, items<int>(n, 1)), out(where, n);
          const auto ends = library.reduce_by_key(policy, keys.begin(), keys.end(), thrust::constant_iterator<int>(1),
                                                  thrust::make_discard_iterator(), out.begin());
          return out.to_host(ends.second);
        });
  check(backend, "zipped keys", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> a(where, items<int>(n, 1)), b(where, items<int>(n, 2)), out(where, n);
    const auto keys = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    const auto ends =
        library.reduce_by_key(policy, keys, keys + static_cast<std::ptrdiff_t>(n), thrust::counting_iterator<int>(0),
                              thrust::make_discard_iterator(), out.begin());
    return out.to_host(ends.second);
  });
}
ONEPASS_TEST(calls, compactions_on_iterators) {
  check(backend, "places, by a stencil", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> stencil(where, items<int>(n, 1)), out(where, n);
    const thrust::counting_iterator<int> first(0);
    return out.to_host(library.copy_if(policy, first, first + static_cast<int>(n), stencil.begin(), out.begin(),
                                       thrust::placeholders::_1 > 10));
  });
  check(backend, "half of it discarded", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items<int>(n, 1)), out(where, n);
    const auto ends =
        library.partition_copy(policy, x.begin(), x.end(), out.begin(), thrust::make_discard_iterator(), is_negative{});
    return out.to_host(ends.first);
  });
}
