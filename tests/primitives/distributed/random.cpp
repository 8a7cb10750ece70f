// SPDX-License-Identifier: Apache-2.0
// Random calls across ranks that are threads. ONEPASS_TEST_ROUNDS=N makes N times as many, all of them others.
#include "random_calls.hpp"

#include <cstdlib>

namespace test {

TEST(distributed_random, calls_cpu) {
  const char* const given = std::getenv("ONEPASS_TEST_ROUNDS");
  const int rounds = given != nullptr ? std::atoi(given) : 1;
  ASSERT_GT(rounds, 0);
  for (int round = 0; round < rounds; ++round) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      const random_calls calls{static_cast<std::uint64_t>(1000 * round + ranks)};
      onepass::distributed::run_ranks(ranks, [&](auto& comm) { calls(comm); });
    }
  }
}

}  // namespace test
