// SPDX-License-Identifier: Apache-2.0
// onepass/c.h where functions of the caller's throw, as those of C cannot: no exception leaves a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <onepass/c.h>

namespace {

// Sorts in an execution whose allocator is `take`.
onepass_status sort_with(void* (*take)(void*, size_t)) {
  onepass_execution* where = nullptr;
  EXPECT_EQ(onepass_create_cpu(1, &where), ONEPASS_OK);
  const auto never = [](void*, void*, size_t) { ADD_FAILURE() << "nothing was allocated"; };
  EXPECT_EQ(onepass_use_allocator(where, nullptr, take, never), ONEPASS_OK);
  const std::vector<std::int32_t> keys(10000, 1);
  std::vector<std::int32_t> order(keys.size(), -1);
  const onepass_status status =
      onepass_argsort(where, ONEPASS_INT32, keys.data(), keys.size(), ONEPASS_INT32, order.data(), nullptr);
  EXPECT_EQ(order, std::vector<std::int32_t>(keys.size(), -1));
  onepass_destroy(where);
  return status;
}
bool says(const char* text) { return std::string(onepass_last_message()).find(text) != std::string::npos; }

}  // namespace

TEST(c_errors, an_allocator_throws_an_exception_cpu) {
  EXPECT_EQ(sort_with([](void*, size_t) -> void* { throw std::runtime_error("no pages are left"); }),
            ONEPASS_UNKNOWN_ERROR);
  EXPECT_TRUE(says("no pages are left")) << onepass_last_message();
}
TEST(c_errors, an_allocator_throws_a_number_cpu) {
  EXPECT_EQ(sort_with([](void*, size_t) -> void* { throw 7; }), ONEPASS_UNKNOWN_ERROR);
  EXPECT_TRUE(says("none of the standard library's")) << onepass_last_message();
}
TEST(c_errors, floats_of_16_bits_cpu) {
  onepass_execution* where = nullptr;
  EXPECT_EQ(onepass_create_cpu(1, &where), ONEPASS_OK);
  const std::uint16_t halves[] = {0x3c00, 0xbc00, 0x4000}, sums[] = {0x3c00, 0, 0x4000};  // 1, -1, 2
  const std::uint16_t brains[] = {0x3f80, 0xbf80, 0x4000}, sorted[] = {0xbf80, 0x3f80, 0x4000};
  std::uint16_t out[3], keys[3] = {brains[0], brains[1], brains[2]}, values[3] = {};
  EXPECT_EQ(onepass_inclusive_scan(where, ONEPASS_FLOAT16, halves, 3, out, nullptr, ONEPASS_SUM), ONEPASS_OK);
  EXPECT_TRUE(std::equal(out, out + 3, sums));
  EXPECT_EQ(onepass_radix_sort_by_key(where, ONEPASS_BFLOAT16, keys, 3, ONEPASS_FLOAT16, values, nullptr),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_TRUE(says("a value's type has to have 32 or 64 bits")) << onepass_last_message();
  EXPECT_EQ(onepass_radix_sort(where, ONEPASS_BFLOAT16, keys, 3, nullptr), ONEPASS_OK);
  EXPECT_TRUE(std::equal(keys, keys + 3, sorted));
  const auto beyond = static_cast<onepass_type>(ONEPASS_BFLOAT16 + 1);
  EXPECT_EQ(onepass_radix_sort(where, beyond, keys, 3, nullptr), ONEPASS_INVALID_ARGUMENT);
  onepass_destroy(where);
}
TEST(c_errors, null_is_nothing_cpu) {
  int x = 0;
  onepass_release(nullptr, &x);
  EXPECT_EQ(onepass_workspace_bytes(nullptr), 0u);
  onepass_destroy_workspace(nullptr);
}
