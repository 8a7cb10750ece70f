// SPDX-License-Identifier: Apache-2.0
// Local scans across ranks that are threads.
#include "failure_checks.hpp"
#include "local_scan_checks.hpp"

namespace test {

// An operator that throws in a rank's own scan: the last rank's, or the only one's.
struct a_local_scan_throws {
  template <class Comm>
  void operator()(Comm& comm) const {
    const int bad = comm.size() - 1;
    std::vector<std::int64_t> x = {4, comm.rank() == bad ? refused_value : 2, 7}, y(3);
    od::rank_carry<std::int64_t> carry{true, 99};
    expect_distributed_error(
        [&] { od::inclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), &carry, throwing_sum{}); },
        bad, "refused");
    EXPECT_EQ(carry.value, 99);
    EXPECT_EQ(x[0], 4);
    expect_distributed_error(
        [&] {
          od::exclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), &carry, std::int64_t{0},
                                   throwing_sum{});
        },
        bad, "refused");
    x[1] = 2;
    od::inclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), &carry, throwing_sum{});
    EXPECT_EQ(y.back(), 13);
    EXPECT_EQ(carry.exists, comm.rank() > 0);
    if (carry.exists) {
      EXPECT_EQ(carry.value, 13 * comm.rank());
    }
  }
};

// One that throws only where totals are combined.
struct a_carry_throws {
  template <class Comm>
  void operator()(Comm& comm) const {
    const std::vector<std::int64_t> x = {30, 30};
    std::vector<std::int64_t> y(2);
    od::rank_carry<std::int64_t> carry;
    const auto scan = [&](auto op) {
      od::inclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), &carry, op);
    };
    if (comm.size() < 3) scan(refuses_large_sums{});
    else expect_distributed_error([&] { scan(refuses_large_sums{}); }, 2, "refused");
    scan(onepass::sum{});
    EXPECT_EQ(y.back(), 60);
  }
};

// Each rank works on the first *size of its items.
TEST(distributed_local_scan, size_in_memory_cpu) {
  od::run_ranks(3, [](od::thread_communicator& comm) {
    const index_t size = comm.rank();  // 0, 1 and 2 of four
    const std::vector<int> x = {5, 6, 1000, 1000};
    std::vector<int> y(4, -1);
    od::rank_carry<int> carry;
    od::inclusive_scan_local(comm, onepass::cpu(1).sized_by(&size), x.begin(), x.end(), y.begin(), &carry);
    EXPECT_EQ(y, comm.rank() == 0   ? (std::vector<int>{-1, -1, -1, -1})
                 : comm.rank() == 1 ? (std::vector<int>{5, -1, -1, -1})
                                    : (std::vector<int>{5, 11, -1, -1}));
    EXPECT_EQ(carry.exists, comm.rank() == 2);
    if (carry.exists) {
      EXPECT_EQ(carry.value, 5);
    }
  });
}

TEST(distributed_local_scan, sums_cpu) {
  const local_inclusive_scans<std::uint32_t, onepass::sum> check;
  by_threads(check);
  for (const int ranks : {5, 6, 7, 9}) {
    od::run_ranks(ranks, [&](od::thread_communicator& comm) {
      delayed<od::thread_communicator> own(comm);
      check(own);
    });
  }
}
TEST(distributed_local_scan, not_commutative_cpu) { by_threads(local_inclusive_scans<matrix, matrix_product>{}); }
TEST(distributed_local_scan, items_of_24_bytes_cpu) { by_threads(local_inclusive_scans<triple, triangular_product>{}); }
TEST(distributed_local_scan, maxima_cpu) { by_threads(local_inclusive_scans<int, onepass::maximum>{}); }
TEST(distributed_local_scan, exclusive_sums_cpu) { by_threads(local_exclusive_scans<std::uint32_t, onepass::sum>{0}); }
TEST(distributed_local_scan, exclusive_not_commutative_cpu) {
  by_threads(local_exclusive_scans<triple, triangular_product>{{0, 0, 0}});
}
TEST(distributed_local_scan, types_cpu) { by_threads(local_scans_of_other_types{}); }
TEST(distributed_local_scan, floats_cpu) { by_threads(local_scans_of_floats{}); }
TEST(distributed_local_scan, wrong_arguments_cpu) { by_threads(local_scans_with_wrong_arguments{}); }
TEST(distributed_local_scan, an_operator_throws_cpu) { by_threads(a_local_scan_throws{}); }
TEST(distributed_local_scan, the_last_step_throws_cpu) { by_threads(a_carry_throws{}); }

}  // namespace test
