// SPDX-License-Identifier: Apache-2.0
// The CPU's sorts of keys that crowd, in a bucket: many agree in the highest bits, and differ below.
#include <functional>

#include "primitives/radix_sort/keys_of_type.hpp"

namespace {

template <class K>
void check_crowds(const test::cpu_backend& backend, const std::function<K(std::size_t)>& rule) {
  for (const std::size_t n : {33, 40, 63, 64, 65, 100, 128, 129, 255, 256, 257, 1000, 8191, 8192, 30011}) {
    SCOPED_TRACE(testing::Message() << n << " keys");
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = rule(i);
    test::check_sort(backend, keys, {});
    test::check_sort(backend, keys, test::descending());
    onepass::radix_options options;
    options.begin_bit = 3;
    options.end_bit = 8 * static_cast<int>(sizeof(K)) - 1;
    test::check_sort(backend, keys, options);
  }
}

}  // namespace

ONEPASS_CPU_TEST(crowded_keys, floats) {
  const auto unit = [](std::size_t i) { return static_cast<double>(test::hash(1, i) >> 11) * 0x1p-53; };
  check_crowds<float>(backend, [&](std::size_t i) { return static_cast<float>(unit(i)); });
  check_crowds<double>(backend, [&](std::size_t i) { return i % 100 == 0 ? -0.0 : unit(i) - 0.5; });
}
ONEPASS_CPU_TEST(crowded_keys, integers) {
  check_crowds<std::int64_t>(backend,
                             [](std::size_t i) { return static_cast<std::int64_t>(test::hash(1, i) % 1000) - 500; });
  check_crowds<std::uint64_t>(backend,
                              [](std::size_t i) { return (test::hash(2, i) % 2) << 62 | test::hash(1, i) % 5000; });
  check_crowds<std::int16_t>(backend, [](std::size_t i) { return static_cast<std::int16_t>(test::hash(1, i) % 70); });
  check_crowds<std::uint32_t>(backend, [](std::size_t i) { return static_cast<std::uint32_t>(i == 20 ? 0 : 7); });
}
