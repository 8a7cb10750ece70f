// SPDX-License-Identifier: Apache-2.0
// The types in which calls combine values, beside Thrust: pairs of types of input and output, with initial values of others,
// and operators on yet another type.
#include <thrust/functional.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "beside.hpp"

namespace {

// More than one tile of the CPU's for items of 8 bytes.
constexpr std::size_t most = 20011;

// Runs of falling and rising numbers, so that sums pass 8 bits, but stay so small that every float holds them exactly; with
// halves where T has them.
template <class T>
std::vector<typename test::array<T>::host_item> items() {
  std::vector<typename test::array<T>::host_item> values(most);
  for (std::size_t i = 0; i < most; ++i) {
    const int x = static_cast<int>(test::hash(i, 1) % 7) + (i / 500 % 2 == 0 ? 1 : -7);
    if constexpr (std::is_floating_point_v<T>) values[i] = static_cast<T>(x) + static_cast<T>(0.5);
    else if constexpr (std::is_same_v<T, bool>) values[i] = x % 3 == 0;
    else values[i] = static_cast<T>(x);
  }
  return values;
}
// Long ones and, in the second half, short ones.
std::vector<int> runs() {
  std::vector<int> keys(most);
  for (std::size_t i = 1; i < most; ++i) keys[i] = keys[i - 1] + (test::hash(i, 2) % (i < most / 2 ? 200 : 5) == 0);
  return keys;
}

struct negative {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& x) const {
    return static_cast<T>(-x);
  }
};
// Gives more than it takes.
template <class Wide>
struct widening_sum {
  template <class A, class B>
  ONEPASS_HOST_DEVICE Wide operator()(const A& a, const B& b) const {
    return static_cast<Wide>(a) + static_cast<Wide>(b);
  }
};

// Whether C++ says what a sum of type From becomes in Out: not where it is a float and may be too large.
template <class From, class Out>
constexpr bool may_convert = !std::is_floating_point_v<From> || sizeof(Out) >= 4 || std::is_same_v<Out, bool>;

template <class In, class Out, class Op, class Backend>
void check_inclusive(const Backend& backend, Op op) {
  const auto values = items<In>();
  if constexpr (may_convert<In, Out>) {
    test::beside(backend, "inclusive_scan", [&](auto library, const auto& policy, const auto& where) {
      const test::array<In> in(where, values);
      const test::array<Out> out(where, most);
      return out.to_host(library.inclusive_scan(policy, in.begin(), in.end(), out.begin(), op));
    });
  }
}
template <class In, class Out, class Init, class Op, class Backend>
void check_initial(const Backend& backend, Init init, Op op) {
  const auto values = items<In>();
  using combined = std::decay_t<std::invoke_result_t<Op, Init, In>>;
  if constexpr (may_convert<combined, Out> && may_convert<Init, Out>) {
    test::beside(backend, "inclusive_scan, init", [&](auto library, const auto& policy, const auto& where) {
      const test::array<In> in(where, values);
      const test::array<Out> out(where, most);
      return out.to_host(library.inclusive_scan(policy, in.begin(), in.end(), out.begin(), init, op));
    });
    test::beside(backend, "exclusive_scan, init", [&](auto library, const auto& policy, const auto& where) {
      const test::array<In> in(where, values);
      const test::array<Out> out(where, most);
      return out.to_host(library.exclusive_scan(policy, in.begin(), in.end(), out.begin(), init, op));
    });
  }
}
template <class In, class Out, class Init, class Op, class Backend>
void check_transformed(const Backend& backend, Init init, Op op) {
  const auto values = items<In>();
  const auto check = [&](const char* call, auto scan) {
    test::beside(backend, call, [&](auto library, const auto& policy, const auto& where) {
      const test::array<In> in(where, values);
      const test::array<Out> out(where, most);
      return out.to_host(scan(library, policy, in.begin(), in.end(), out.begin()));
    });
  };
  check("transform_inclusive_scan", [&](auto library, const auto& policy, auto first, auto last, auto out) {
    return library.transform_inclusive_scan(policy, first, last, out, negative{}, op);
  });
  check("transform_inclusive_scan, init", [&](auto library, const auto& policy, auto first, auto last, auto out) {
    return library.transform_inclusive_scan(policy, first, last, out, negative{}, init, op);
  });
  check("transform_exclusive_scan", [&](auto library, const auto& policy, auto first, auto last, auto out) {
    return library.transform_exclusive_scan(policy, first, last, out, negative{}, init, op);
  });
}
template <class In, class Out, class Init, class Op, class Backend>
void check_by_key(const Backend& backend, Init init, Op op) {
  const auto values = items<In>();
  const auto check = [&](const char* call, auto scan) {
    test::beside(backend, call, [&](auto library, const auto& policy, const auto& where) {
      const test::array<int> keys(where, runs());
      const test::array<In> in(where, values);
      const test::array<Out> out(where, most);
      return out.to_host(scan(library, policy, keys.begin(), keys.end(), in.begin(), out.begin()));
    });
  };
  const thrust::equal_to<int> equal;
  check("inclusive_scan_by_key", [&](auto library, const auto& policy, auto keys, auto last, auto in, auto out) {
    return library.inclusive_scan_by_key(policy, keys, last, in, out, equal, op);
  });
  check("exclusive_scan_by_key", [&](auto library, const auto& policy, auto keys, auto last, auto in, auto out) {
    return library.exclusive_scan_by_key(policy, keys, last, in, out, init, equal, op);
  });
}
// Op...: an operator, or none.
template <class In, class Out, class Backend, class... Op>
void check_reduce(const Backend& backend, Op... op) {
  const auto values = items<In>();
  test::beside(backend, "reduce_by_key", [&](auto library, const auto& policy, const auto& where) {
    const test::array<int> keys(where, runs()), out_keys(where, most);
    const test::array<In> in(where, values);
    const test::array<Out> out(where, most);
    const auto ends = library.reduce_by_key(policy, keys.begin(), keys.end(), in.begin(), out_keys.begin(), out.begin(),
                                            thrust::equal_to<int>(), op...);
    return std::make_tuple(out_keys.to_host(ends.first), out.to_host(ends.second));
  });
}

template <class... Ts>
struct types {};
template <class... Ts, class F>
void for_each(types<Ts...>, F f) {
  (f(Ts{}), ...);
}
using numbers = types<bool, std::uint8_t, std::int8_t, int, std::int64_t, float, double>;

}  // namespace

// ---- every pair of types -------------------------------------------------------------------------------------------------
ONEPASS_CPU_TEST(accumulators, input_and_output) {
  for_each(numbers{}, [&](auto in) {
    for_each(numbers{}, [&](auto out) { check_inclusive<decltype(in), decltype(out)>(backend, thrust::plus<>{}); });
  });
}
ONEPASS_CPU_TEST(accumulators, input_and_initial) {
  for_each(types<bool, std::uint8_t, int, double>{}, [&](auto in) {
    for_each(types<bool, std::int8_t, int, std::int64_t, float>{}, [&](auto init) {
      check_initial<decltype(in), double>(backend, static_cast<decltype(init)>(1), thrust::plus<>{});
    });
  });
}
ONEPASS_CPU_TEST(accumulators, initial_and_output) {
  for_each(types<bool, std::int8_t, std::int64_t, float>{}, [&](auto out) {
    for_each(types<std::int8_t, int, float>{}, [&](auto init) {
      check_initial<std::int8_t, decltype(out)>(backend, static_cast<decltype(init)>(2), onepass::sum{});
    });
  });
}
ONEPASS_CPU_TEST(accumulators, reduce_by_key_of_types) {
  for_each(types<bool, std::int8_t, int, double>{}, [&](auto in) {
    for_each(types<bool, std::int8_t, int, double>{}, [&](auto out) {
      if constexpr (may_convert<decltype(in), decltype(out)>) check_reduce<decltype(in), decltype(out)>(backend);
    });
  });
}

// ---- operators with a type of their own --------------------------------------------------------------------------------------
ONEPASS_TEST(accumulators, operators_on_another_type) {
  check_inclusive<int, int>(backend, thrust::plus<double>{});
  check_inclusive<double, double>(backend, thrust::plus<int>{});
  check_inclusive<double, double>(backend, thrust::maximum<int>{});
}
ONEPASS_CPU_TEST(accumulators, more_operators_on_another_type) {
  check_inclusive<float, int>(backend, thrust::minimum<double>{});
  check_inclusive<int, int>(backend, thrust::plus<std::int8_t>{});
  check_inclusive<std::int8_t, std::int8_t>(backend, thrust::multiplies<int>{});
  check_initial<double, double>(backend, 1.5, thrust::plus<int>{});
  check_initial<int, int>(backend, 7, thrust::plus<std::int8_t>{});
  check_initial<double, double>(backend, 0.5f, thrust::maximum<int>{});
  check_inclusive<double, double>(backend, std::plus<int>{});
  check_inclusive<int, int>(backend, std::plus<std::int8_t>{});
  check_inclusive<std::int8_t, std::int8_t>(backend, std::multiplies<int>{});
  check_initial<int, int>(backend, 7, std::plus<std::int8_t>{});
  check_reduce<int, int>(backend, std::plus<std::int8_t>{});
}

// ---- the cases that were wrong once, and a few beside them --------------------------------------------------------------------
ONEPASS_TEST(accumulators, narrow_into_wide) {
  check_inclusive<bool, int>(backend, thrust::plus<>{});
  check_inclusive<std::uint8_t, int>(backend, thrust::plus<>{});
  check_inclusive<std::int8_t, std::int64_t>(backend, onepass::sum{});
  check_inclusive<std::int8_t, std::int8_t>(backend, onepass::sum{});
  check_inclusive<std::int8_t, bool>(backend, onepass::sum{});
}
ONEPASS_TEST(accumulators, initial_values) {
  check_initial<int, float>(backend, 2.5f, thrust::plus<>{});
  check_initial<std::int64_t, std::int64_t>(backend, std::int8_t{1}, thrust::plus<>{});
  check_initial<std::int8_t, std::int8_t>(backend, 1, onepass::sum{});
}
ONEPASS_CPU_TEST(accumulators, more_initial_values) {
  check_initial<int, int>(backend, 2.5f, thrust::plus<int>{});
  check_initial<float, float>(backend, 1, thrust::plus<>{});
  check_initial<std::int8_t, std::uint8_t>(backend, std::int8_t{1}, onepass::sum{});
}
ONEPASS_TEST(accumulators, transformed) { check_transformed<std::int8_t, int>(backend, 1, thrust::plus<>{}); }
ONEPASS_CPU_TEST(accumulators, transformed_into_others) {
  check_transformed<float, double>(backend, 1, thrust::plus<>{});
  check_transformed<int, int>(backend, 1, widening_sum<std::int64_t>{});
}
ONEPASS_TEST(accumulators, scans_by_key) {
  check_by_key<std::uint8_t, int>(backend, 1, thrust::plus<>{});
  check_by_key<std::int8_t, std::int8_t>(backend, std::int8_t{1}, thrust::plus<>{});
}
ONEPASS_CPU_TEST(accumulators, more_scans_by_key) {
  check_by_key<int, int>(backend, 2.5f, thrust::plus<double>{});
  check_by_key<bool, int>(backend, false, thrust::plus<>{});
}
ONEPASS_TEST(accumulators, reductions_by_key) {
  check_reduce<std::int8_t, int>(backend, widening_sum<int>{});
  check_reduce<double, double>(backend, thrust::plus<int>{});
  check_reduce<std::uint8_t, std::int64_t>(backend);
  check_reduce<double, int>(backend);
}
ONEPASS_CPU_TEST(accumulators, more_reductions_by_key) {
  check_reduce<std::int8_t, std::int8_t>(backend, thrust::plus<>{});
  check_reduce<int, int>(backend, thrust::plus<std::int8_t>{});
  check_reduce<bool, int>(backend);
}

// ---- calls that Thrust does not have -------------------------------------------------------------------------------------------
// Scans and reductions by flags are those by key; reductions by offsets take what op(init, item) gives, as CUB does.
ONEPASS_TEST(accumulators, segments) {
  const std::vector<std::int8_t> values = items<std::int8_t>();
  std::vector<std::uint8_t> flags(most);
  const std::vector<int> keys = runs();
  std::vector<int> starts;
  for (std::size_t i = 0; i < most; ++i) {
    flags[i] = i == 0 || keys[i] != keys[i - 1];
    if (flags[i]) starts.push_back(static_cast<int>(i));
  }
  starts.push_back(static_cast<int>(most));
  const test::array<std::int8_t> in(backend, values);
  const test::array<std::uint8_t> heads(backend, flags);
  const test::array<int> offsets(backend, starts), out(backend, most);
  const auto policy = backend.policy();
  std::vector<int> whole, cut, scanned;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    int sum = 100;
    std::int8_t narrow = 0;
    for (int i = starts[s]; i < starts[s + 1]; ++i) {
      sum += values[static_cast<std::size_t>(i)];
      narrow = static_cast<std::int8_t>(narrow + values[static_cast<std::size_t>(i)]);
      scanned.push_back(narrow);
    }
    whole.push_back(sum);
    cut.push_back(narrow);
  }
  onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), heads.begin(), out.begin());
  EXPECT_TRUE(test::same(out.to_host(), scanned));
  int* end = onepass::segmented_reduce(policy, in.begin(), in.end(), heads.begin(), out.begin(), onepass::sum{});
  EXPECT_TRUE(test::same(out.to_host(end), cut));
  end = onepass::segmented_reduce(policy, in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.end()),
                                  out.begin(), 100, onepass::sum{});
  EXPECT_TRUE(test::same(out.to_host(end), whole));
}
