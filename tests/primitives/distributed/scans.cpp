// SPDX-License-Identifier: Apache-2.0
// Scans and segmented scans across ranks that are threads.
#include <deque>
#include <limits>

#include <onepass/distributed.hpp>

#include "scan_checks.hpp"

namespace test {

// Ranks that have no offsets, or none among their items; nothing is in front of the first head, or behind the last one.
struct scans_by_few_offsets {
  template <class Comm>
  void operator()(Comm& comm) const {
    const std::vector<std::vector<std::int64_t>> own_starts = {{}, {0}, {3}, {4, 4}, {0, 2, 3}, {-5, -1}, {9, 12}};
    const rank_sizes of(static_cast<std::size_t>(comm.size()), 5);
    for (std::size_t turn = 0; turn < own_starts.size(); ++turn) {
      const auto whole = random_between<int>(static_cast<std::size_t>(total_of(of)), turn, 1, 99);
      std::vector<std::uint8_t> heads(whole.size());
      for (int r = 0; r < comm.size(); ++r) {
        for (const std::int64_t at : own_starts[(turn + static_cast<std::size_t>(r)) % own_starts.size()])
          if (at >= 0 && at < 5) heads[static_cast<std::size_t>(begin_of(of, r) + at)] = 1;
      }
      SCOPED_TRACE("rank " + std::to_string(comm.rank()) + ", turn " + std::to_string(turn));
      const auto& starts = own_starts[(turn + static_cast<std::size_t>(comm.rank())) % own_starts.size()];
      const auto x = part_of(whole, of, comm.rank());
      std::vector<int> y(x.size());
      od::inclusive_segmented_scan(comm, onepass::cpu(1), x.begin(), x.end(),
                                   onepass::offsets(starts.begin(), starts.end()), y.begin());
      EXPECT_EQ(y, part_of(inclusive_segmented_reference(whole, heads, onepass::sum{}), of, comm.rank()));
    }
  }
};

TEST(distributed_scan, sums_cpu) { by_threads(inclusive_scans<std::uint32_t, onepass::sum>{}); }
TEST(distributed_scan, not_commutative_cpu) { by_threads(inclusive_scans<matrix, matrix_product>{}); }
TEST(distributed_scan, items_of_24_bytes_cpu) { by_threads(inclusive_scans<triple, triangular_product>{}); }
TEST(distributed_scan, maxima_cpu) { by_threads(inclusive_scans<int, onepass::maximum>{}); }
TEST(distributed_scan, initial_value_cpu) { by_threads(scans_with_initial<triple, triangular_product>{}); }
TEST(distributed_scan, initial_value_of_sums_cpu) { by_threads(scans_with_initial<std::uint64_t, onepass::sum>{}); }
TEST(distributed_scan, types_cpu) { by_threads(scans_of_other_types{}); }
TEST(distributed_scan, floats_cpu) { by_threads(scans_of_floats{}); }

TEST(distributed_segmented_scan, sums_cpu) { by_threads(segmented_scans<std::uint32_t, onepass::sum>{}); }
TEST(distributed_segmented_scan, not_commutative_cpu) { by_threads(segmented_scans<triple, triangular_product>{}); }
TEST(distributed_segmented_scan, few_offsets_cpu) { by_threads(scans_by_few_offsets{}); }
TEST(distributed_segmented_scan, bits_cpu) { by_threads(segmented_scans_by_bits{}); }
TEST(distributed_segmented_scan, keys_cpu) { by_threads(scans_by_key<triangular_product>{}); }
TEST(distributed_segmented_scan, over_the_keys_cpu) { by_threads(scans_over_their_keys{}); }

// Offsets outside of the rank's items start nothing, however far they are.
template <class Offset>
void check_far_offsets(const std::vector<Offset>& offsets) {
  od::run_ranks(2, [&](od::thread_communicator& comm) {
    const std::vector<int> x(comm.rank() == 0 ? 4 : 8, 1);
    std::vector<int> y(x.size());
    const std::vector<Offset> starts = comm.rank() == 0 ? std::vector<Offset>{} : offsets;
    od::inclusive_segmented_scan(comm, onepass::cpu(1), x.begin(), x.end(),
                                 onepass::offsets(starts.begin(), starts.end()), y.begin());
    EXPECT_EQ(y, comm.rank() == 0 ? (std::vector<int>{1, 2, 3, 4}) : (std::vector<int>{5, 6, 7, 1, 2, 3, 1, 2}));
  });
}
TEST(distributed_segmented_scan, far_offsets_cpu) {
  check_far_offsets<std::uint64_t>({3, 6, ~std::uint64_t{0}, ~std::uint64_t{0}});
  check_far_offsets<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 3, 6});
  check_far_offsets<std::int64_t>({3, 6, std::numeric_limits<std::int64_t>::max()});
}

// Keys that are no array cannot be saved. All ranks throw before anything is written, and the communicator can be used.
TEST(distributed_segmented_scan, over_keys_that_are_no_array_cpu) {
  od::run_ranks(2, [](od::thread_communicator& comm) {
    const std::vector<int> x(4, 1);
    const std::deque<int> before = {2, 2, 5, 5};
    std::deque<int> keys = before, apart(4), sums(4);
    auto& to = comm.rank() == 1 ? keys : apart;
    EXPECT_THROW(od::inclusive_scan_by_key(comm, onepass::cpu(1), keys.begin(), keys.end(), x.begin(), to.begin()),
                 onepass::distributed_error);
    EXPECT_THROW(
        od::reduce_by_key(comm, onepass::cpu(1), keys.begin(), keys.end(), x.begin(), to.begin(), sums.begin()),
        onepass::distributed_error);
    EXPECT_EQ(keys, before);
    EXPECT_EQ(apart, std::deque<int>(4));
    std::vector<int> y(4);
    od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), y.begin());
    EXPECT_EQ(y[0], 4 * comm.rank() + 1);
  });
}

}  // namespace test
