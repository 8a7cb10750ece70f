// SPDX-License-Identifier: Apache-2.0
// Calls both files, or both shared libraries, in turn. ONEPASS_CASE says which of them, and on what.
#include <gtest/gtest.h>

bool has_device();
bool scans_by_computed_offsets();
bool scans_by_stored_offsets();

TEST(several_files, ONEPASS_CASE) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device was found";
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(scans_by_computed_offsets());
    EXPECT_TRUE(scans_by_stored_offsets());
  }
}
