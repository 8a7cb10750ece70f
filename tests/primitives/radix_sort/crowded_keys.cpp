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

// More keys than a bucket holds, by one thread: in vectors, where that is faster than a split. With -0 it cannot be.
template <class K>
void check_one_thread(const std::function<K(std::size_t)>& rule) {
  for (const std::size_t n : {test::limited(200011), test::limited(1000003)}) {
    std::vector<K> keys(n), to(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = rule(i);
    const std::vector<K> given = keys;
    for (const auto& options : {onepass::radix_options{}, test::descending()}) {
      const std::vector<K> expected = test::arranged(given, test::sorted_order(given, options.descending));
      onepass::radix_sort_copy(onepass::cpu(1), keys.begin(), keys.end(), to.begin(), options);
      EXPECT_TRUE(test::identical(to, expected)) << n << " keys, to another range";
      EXPECT_TRUE(test::identical(keys, given)) << n << " keys, the input";
      onepass::radix_sort(onepass::cpu(1), keys.begin(), keys.end(), options);
      EXPECT_TRUE(test::identical(keys, expected)) << n << " keys";
      keys = given;
    }
  }
}
TEST(crowded_keys, one_thread_cpu) {
  const auto unit = [](std::size_t i) { return static_cast<double>(test::hash(1, i) >> 11) * 0x1p-53; };
  check_one_thread<float>([&](std::size_t i) { return static_cast<float>(unit(i) - 0.25); });
  check_one_thread<float>([&](std::size_t i) { return i % 1000 == 0 ? -0.0f : static_cast<float>(unit(i)); });
  check_one_thread<double>([&](std::size_t i) { return unit(i) - 0.5; });
  check_one_thread<std::int32_t>([](std::size_t i) { return static_cast<std::int32_t>(test::hash(3, i)); });
}
