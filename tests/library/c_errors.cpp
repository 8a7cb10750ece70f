// SPDX-License-Identifier: Apache-2.0
// onepass/c.h where functions of the caller's throw, as those of C cannot: no exception leaves a call.
#include <gtest/gtest.h>

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
TEST(c_errors, null_is_nothing_cpu) {
  int x = 0;
  onepass_release(nullptr, &x);
  EXPECT_EQ(onepass_workspace_bytes(nullptr), 0u);
  onepass_destroy_workspace(nullptr);
}
