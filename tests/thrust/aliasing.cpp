// SPDX-License-Identifier: Apache-2.0
// Outputs over inputs, outputs that are null as nothing goes there, and outputs side by side with no room to spare: what
// Thrust allows, beside Thrust.
#include <cstdint>
#include <vector>

#include "beside.hpp"

namespace {

struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct always {
  bool answer;
  ONEPASS_HOST_DEVICE bool operator()(int) const { return answer; }
};

std::vector<int> items(std::size_t n, int most) { return test::random_between<int>(n, n, 0, most); }
std::vector<int> runs(std::size_t n) {
  std::vector<int> keys(n);
  for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + (test::hash(i, n) % 5 == 0);
  return keys;
}

// body(library, policy, where, n) for a few items, for several tiles, and (on a GPU) for as many as its pipeline takes.
template <class Backend, class Body>
void check(const Backend& backend, const char* call, Body body) {
  for (const std::size_t n : {std::size_t{7}, test::limited(70001), test::limited(1200007)}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    test::beside(backend, call,
                 [&](auto library, const auto& policy, const auto& where) { return body(library, policy, where, n); });
  }
}

}  // namespace

// ---- in place -------------------------------------------------------------------------------------------------------------
ONEPASS_TEST(aliasing, scans_over_their_input) {
  check(backend, "inclusive_scan", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 9));
    library.inclusive_scan(policy, x.begin(), x.end(), x.begin());
    return x.to_host();
  });
  check(backend, "exclusive_scan", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 9));
    library.exclusive_scan(policy, x.begin(), x.end(), x.begin(), 5);
    return x.to_host();
  });
}
ONEPASS_TEST(aliasing, scans_by_key_over_values_and_over_keys) {
  for (const bool over_keys : {false, true}) {
    check(backend, over_keys ? "inclusive_scan_by_key over keys" : "inclusive_scan_by_key over values",
          [&](auto library, const auto& policy, const auto& where, std::size_t n) {
            const test::array<int> keys(where, runs(n)), x(where, items(n, 9));
            library.inclusive_scan_by_key(policy, keys.begin(), keys.end(), x.begin(),
                                          over_keys ? keys.begin() : x.begin());
            return std::make_tuple(keys.to_host(), x.to_host());
          });
    check(backend, over_keys ? "exclusive_scan_by_key over keys" : "exclusive_scan_by_key over values",
          [&](auto library, const auto& policy, const auto& where, std::size_t n) {
            const test::array<int> keys(where, runs(n)), x(where, items(n, 9));
            library.exclusive_scan_by_key(policy, keys.begin(), keys.end(), x.begin(),
                                          over_keys ? keys.begin() : x.begin(), 5);
            return std::make_tuple(keys.to_host(), x.to_host());
          });
  }
}
ONEPASS_TEST(aliasing, reduce_by_key_over_keys_and_values) {
  check(backend, "reduce_by_key", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> keys(where, runs(n)), x(where, items(n, 9));
    const auto ends = library.reduce_by_key(policy, keys.begin(), keys.end(), x.begin(), keys.begin(), x.begin());
    return std::make_tuple(keys.to_host(ends.first), x.to_host(ends.second));
  });
}
ONEPASS_TEST(aliasing, compactions_over_their_input) {
  check(backend, "copy_if", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 9)), stencil(where, items(n, 99));
    return x.to_host(library.copy_if(policy, x.begin(), x.end(), stencil.begin(), x.begin(), is_odd{}));
  });
  check(backend, "unique_copy", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 2));
    return x.to_host(library.unique_copy(policy, x.begin(), x.end(), x.begin()));
  });
  check(backend, "partition_copy", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 9)), others(where, n);
    const auto ends = library.partition_copy(policy, x.begin(), x.end(), x.begin(), others.begin(), is_odd{});
    return std::make_tuple(x.to_host(ends.first), others.to_host(ends.second));
  });
}

// ---- outputs that receive nothing ---------------------------------------------------------------------------------------------
ONEPASS_TEST(aliasing, null_outputs_that_receive_nothing) {
  for (const bool answer : {true, false}) {
    check(backend, "partition_copy", [&](auto library, const auto& policy, const auto& where, std::size_t n) {
      const test::array<int> x(where, items(n, 9)), out(where, n);
      int* const nothing = nullptr;
      const auto ends = library.partition_copy(policy, x.begin(), x.end(), answer ? out.begin() : nothing,
                                               answer ? nothing : out.begin(), always{answer});
      EXPECT_EQ(answer ? ends.second : ends.first, nothing);
      return out.to_host(answer ? ends.first : ends.second);
    });
    check(backend, "stable_partition_copy, stencil",
          [&](auto library, const auto& policy, const auto& where, std::size_t n) {
            const test::array<int> x(where, items(n, 9)), out(where, n);
            int* const nothing = nullptr;
            const auto ends =
                library.stable_partition_copy(policy, x.begin(), x.end(), x.begin(), answer ? out.begin() : nothing,
                                              answer ? nothing : out.begin(), always{answer});
            return out.to_host(answer ? ends.first : ends.second);
          });
  }
  check(backend, "copy_if", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const test::array<int> x(where, items(n, 9));
    int* const nothing = nullptr;
    EXPECT_EQ(library.copy_if(policy, x.begin(), x.end(), nothing, always{false}), nothing);
    EXPECT_EQ(library.remove_copy_if(policy, x.begin(), x.end(), nothing, always{true}), nothing);
    return x.to_host();
  });
}

// ---- outputs with just the room they need, side by side in one array ------------------------------------------------------------
ONEPASS_TEST(aliasing, side_by_side) {
  check(backend, "partition_copy", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const std::vector<int> values = items(n, 9);
    const auto odd = std::count_if(values.begin(), values.end(), is_odd{});
    const test::array<int> x(where, values), out(where, n);
    library.partition_copy(policy, x.begin(), x.end(), out.begin(), out.begin() + odd, is_odd{});
    return out.to_host();
  });
  check(backend, "copy_if in front of its input",
        [](auto library, const auto& policy, const auto& where, std::size_t n) {
          std::vector<int> values = items(n, 9);
          const auto odd = std::count_if(values.begin(), values.end(), is_odd{});
          values.insert(values.begin(), static_cast<std::size_t>(odd), -1);
          const test::array<int> x(where, values);
          library.copy_if(policy, x.begin() + odd, x.end(), x.begin(), is_odd{});
          return x.to_host();
        });
  check(backend, "reduce_by_key", [](auto library, const auto& policy, const auto& where, std::size_t n) {
    const std::vector<int> keys = runs(n);
    const std::size_t count = static_cast<std::size_t>(keys.back()) + 1;
    const test::array<int> k(where, keys), x(where, items(n, 9)), out(where, 2 * count);
    library.reduce_by_key(policy, k.begin(), k.end(), x.begin(), out.begin(), out.begin() + count);
    return out.to_host();
  });
}
