// SPDX-License-Identifier: Apache-2.0
// A workspace of onepass/c.h and CUDA graphs: what captured calls use of it stays.
#include <onepass/c.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/execution.hpp"
#include "support/test.hpp"

ONEPASS_GPU_TEST(c_workspace, keeps_what_a_graph_uses) {
  const std::size_t few = 5000, many = test::limited(1 << 22);
  const test::stream s;
  const test::buffer<std::int32_t> ones(backend, std::vector<std::int32_t>(many, 1)), out(backend, many);
  onepass_execution* where = nullptr;
  onepass_workspace *memory = nullptr, *other = nullptr;
  ASSERT_EQ(onepass_create_cuda(s.get(), &where), ONEPASS_OK);
  ASSERT_EQ(onepass_create_workspace(where, 0, &memory), ONEPASS_OK);
  ASSERT_EQ(onepass_create_workspace(where, 0, &other), ONEPASS_OK);
  const auto sum = [&](onepass_workspace* with, std::size_t n) {
    ASSERT_EQ(onepass_use_workspace(where, with), ONEPASS_OK);
    ASSERT_EQ(onepass_inclusive_scan(where, ONEPASS_INT32, ones.data(), n, out.data(), nullptr, ONEPASS_SUM),
              ONEPASS_OK);
  };
  sum(other, many);
  {
    const test::graph captured(s, [&] { sum(memory, few); });
    EXPECT_GT(onepass_workspace_bytes(memory), 0u);
    sum(memory, many);  // takes more memory
    ASSERT_GT(onepass_workspace_bytes(memory), onepass_workspace_bytes(other)) << "the graph's memory is given back";
    s.wait();  // what poisons the output does not wait for this stream
    std::vector<std::int32_t> expected(few);
    std::iota(expected.begin(), expected.end(), 1);
    for (int i = 0; i < 3; ++i) {
      out.poison_all();
      captured.launch(s);
      s.wait();
      EXPECT_TRUE(test::same(out.to_host(few), expected));
      EXPECT_TRUE(out.untouched(few));
    }
  }
  onepass_destroy_workspace(memory);
  onepass_destroy_workspace(other);
  onepass_destroy(where);
}

// What a graph uses is found out by the stream, so it has to be the workspace's.
ONEPASS_GPU_TEST(c_workspace, of_another_stream) {
  (void)backend;
  const test::stream s, t;
  onepass_execution *where = nullptr, *same = nullptr, *other = nullptr;
  onepass_workspace* memory = nullptr;
  ASSERT_EQ(onepass_create_cuda(s.get(), &where), ONEPASS_OK);
  ASSERT_EQ(onepass_create_cuda(s.get(), &same), ONEPASS_OK);
  ASSERT_EQ(onepass_create_cuda(t.get(), &other), ONEPASS_OK);
  ASSERT_EQ(onepass_create_workspace(where, 0, &memory), ONEPASS_OK);
  EXPECT_EQ(onepass_use_workspace(same, memory), ONEPASS_OK);
  EXPECT_EQ(onepass_use_workspace(other, memory), ONEPASS_INVALID_ARGUMENT);
  onepass_destroy(where);
  onepass_destroy(same);
  onepass_destroy(other);
  onepass_destroy_workspace(memory);
}
