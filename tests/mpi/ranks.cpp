// SPDX-License-Identifier: Apache-2.0
// The checks of tests/primitives/distributed on ranks that are processes. Started by mpirun, with any number of ranks;
// each rank runs all tests in the same order. Rank 0 reports; the other ranks report only what has failed.
#include <onepass/mpi.hpp>

#include "../primitives/distributed/compact_checks.hpp"
#include "../primitives/distributed/failure_checks.hpp"
#include "../primitives/distributed/local_scan_checks.hpp"
#include "../primitives/distributed/scan_checks.hpp"
#include "../primitives/distributed/sort_checks.hpp"
#include "../support/failing_allocations.hpp"

static int freed_communicators = 0;
// What the program calls; MPI has the function under the other name, too.
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  ++freed_communicators;
  return PMPI_Comm_free(comm);
}

namespace test {

using od::mpi_communicator;
using std::chrono::milliseconds;

template <class Check>
void by_mpi(const Check& check, const od::mpi_options& options = {}) {
  mpi_communicator comm(MPI_COMM_WORLD, options);
  check(comm);
}
od::mpi_options with_deadline(milliseconds deadline) {
  od::mpi_options options;
  options.deadline = deadline;
  return options;
}
od::mpi_options in_pieces(std::size_t bytes) {
  od::mpi_options options;
  options.most_bytes = bytes;
  return options;
}

// All ranks throw, and say what rank 0 has met.
template <class F>
void expect_failure(F&& f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const onepass::distributed_error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

TEST(mpi_scan, sums) { by_mpi(inclusive_scans<std::uint32_t, onepass::sum>{}); }
TEST(mpi_scan, not_commutative) { by_mpi(inclusive_scans<matrix, matrix_product>{}); }
TEST(mpi_scan, initial_value) { by_mpi(scans_with_initial<triple, triangular_product>{}); }
TEST(mpi_scan, floats) { by_mpi(scans_of_floats{}); }
TEST(mpi_local_scan, not_commutative) { by_mpi(local_inclusive_scans<triple, triangular_product>{}); }
TEST(mpi_local_scan, wrong_arguments) { by_mpi(local_scans_with_wrong_arguments{}); }
TEST(mpi_segmented_scan, not_commutative) { by_mpi(segmented_scans<triple, triangular_product>{}); }
TEST(mpi_segmented_scan, keys) { by_mpi(scans_by_key<triangular_product>{}); }
TEST(mpi_compact, copies) { by_mpi(compactions{}); }
TEST(mpi_compact, rebalance) { by_mpi(rebalances{}); }
TEST(mpi_compact, rebalance_in_pieces) { by_mpi(rebalances{}, in_pieces(100)); }
TEST(mpi_compact, rebalance_in_pieces_of_different_sizes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  by_mpi(rebalances{}, in_pieces(static_cast<std::size_t>(100 - 30 * (rank % 3))));
}
TEST(mpi_reduce, by_key) { by_mpi(reductions_by_key{}); }
TEST(mpi_reduce, unique) { by_mpi(uniques{}); }
TEST(mpi_sort, uint32) { by_mpi(sorts<std::uint32_t>{}); }
TEST(mpi_sort, options) { by_mpi(sorts_with_options<std::int64_t>{}, in_pieces(1000)); }
TEST(mpi_sort, floats) { by_mpi(sorts_of_floats{}); }
TEST(mpi_sort, many) { by_mpi(sorts_of_many{}); }
TEST(mpi_sort, parts) { by_mpi(parts_of_sorts{}); }

TEST(mpi_failure, one_rank_throws) { by_mpi(one_rank_throws{}, with_deadline(milliseconds(60000))); }
TEST(mpi_failure, cause_is_nested) { by_mpi(cause_is_nested{}); }
TEST(mpi_failure, last_step) { by_mpi(the_last_step_throws{}); }
TEST(mpi_failure, different_calls) { by_mpi(different_calls{}); }
TEST(mpi_failure, different_sorts) { by_mpi(different_sorts{}); }
TEST(mpi_failure, keys_that_change) { by_mpi(keys_that_change{}); }
TEST(mpi_failure, a_rank_gives_up) { by_mpi(a_rank_gives_up{}); }
TEST(mpi_failure, a_rank_gives_up_late) {
  by_mpi(a_rank_gives_up_late{false});
  by_mpi(a_rank_gives_up_late{true});
}
TEST(mpi_failure, a_rank_comes_late) {
  const a_rank_comes_late check{milliseconds(200), milliseconds(1200)};
  by_mpi(check, with_deadline(check.deadline));
}
// A deadline is no error as long as all come in time.
TEST(mpi_failure, not_in_time) {
  by_mpi(
      [](auto& comm) {
        int x = 1;
        if (comm.rank() == 0) std::this_thread::sleep_for(milliseconds(100));
        od::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &x);
        EXPECT_EQ(x, comm.rank() + 1);
      },
      with_deadline(milliseconds(60000)));
}
// Some ranks hear of a failure after they have destroyed their communicators, and new ones are made meanwhile.
TEST(mpi_failure, new_communicators_after_failures) {
  od::mpi_options options = in_pieces(5);
  options.deadline = milliseconds(60000);
  for (int round = 0; round < 40; ++round) {
    mpi_communicator one(MPI_COMM_WORLD, options), other(MPI_COMM_WORLD, options);
    const auto ranks = static_cast<std::size_t>(one.size());
    const std::vector<std::size_t> bytes(ranks, 20);
    std::vector<char> sent(20 * ranks, 'x'), received(sent.size());
    int done = 0;
    try {
      for (int i = 0; i < 50; ++i) {
        auto& comm = i % 2 == 0 ? one : other;
        comm.all_to_all("moves", sent.data(), bytes.data(), received.data(), bytes.data());
        EXPECT_EQ(received, sent);
        std::uint64_t count = 1;
        (i % 3 == 0 ? other : one).all_sum("adds up", &count, 1);
        EXPECT_EQ(count, ranks);
        ++done;
      }
    } catch (const onepass::distributed_error&) {  // it hears of the failure already
    }
    EXPECT_GE(done, 49);
    if (one.rank() == round % one.size()) one.fail("gives up");
  }
}
TEST(mpi_failure, of_arguments) { EXPECT_THROW(mpi_communicator(MPI_COMM_NULL), onepass::invalid_argument); }
// Ranks of two groups.
TEST(mpi_failure, of_an_intercommunicator) {
  const mpi_communicator all(MPI_COMM_WORLD);
  if (all.size() == 1) return;
  MPI_Comm group, between;
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, all.rank(), &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - all.rank() % 2, 1, &between);
  EXPECT_THROW(mpi_communicator{between}, onepass::invalid_argument);
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
}
// A rank's part for itself.
TEST(mpi_failure, of_sizes) {
  by_mpi([](auto& comm) {
    std::vector<std::size_t> sent(static_cast<std::size_t>(comm.size()), 4), received = sent;
    sent[static_cast<std::size_t>(comm.rank())] = 40;
    const std::vector<char> from(sent.size() * 4 + 36, 1);
    std::vector<char> to(from.size(), 0);
    expect_failure([&] { comm.all_to_all("moves", from.data(), sent.data(), to.data(), received.data()); },
                   "receives another number of bytes than is sent");
    EXPECT_EQ(std::count(to.begin() + static_cast<std::ptrdiff_t>(4 * received.size()), to.end(), 1), 0);
  });
}
TEST(mpi_failure, a_message_is_too_large) {
  by_mpi([](auto& comm) {
    expect_failure([&] { comm.all_gather("gathers", nullptr, nullptr, std::size_t{1} << 31); }, "2^31 items or more");
  });
}
// One allocation of rank 0 fails; the others hear of it.
TEST(mpi_failure, without_memory) {
  by_mpi([](auto& comm) {
    std::vector<char> mine(1000), all(mine.size() * static_cast<std::size_t>(comm.size()));
    expect_failure(
        [&] {
          const failing_allocation failure(comm.rank() == 0 ? 1 : 0);
          comm.all_gather("gathers", mine.data(), all.data(), mine.size());
        },
        "out of memory for a message");
  });
  by_mpi([](auto& comm) {
    const std::vector<std::size_t> bytes(static_cast<std::size_t>(comm.size()), 10);
    std::vector<char> sent(10 * bytes.size()), received(sent.size());
    expect_failure(
        [&] {
          const failing_allocation failure(comm.rank() == 0 ? 1 : 0);
          comm.all_to_all("moves", sent.data(), bytes.data(), received.data(), bytes.data());
        },
        "out of memory for requests");
  });
}

// Communicators are freed when others are made, and not all at the end.
TEST(mpi_communicator, unused_ones_are_freed) {
  freed_communicators = 0;
  for (int i = 0; i < 40; ++i) mpi_communicator(MPI_COMM_WORLD, {});
  EXPECT_GE(freed_communicators, 30);  // those that some ranks will never free come between
}

// A communicator of some ranks, beside one of all: the messages of one do not reach the other.
TEST(mpi_communicator, of_some_ranks) {
  mpi_communicator all(MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, all.rank(), &half);
  {
    mpi_communicator some(half);
    EXPECT_EQ(some.rank(), all.rank() / 2);
    int x = 1, y = 0;
    for (int i = 1; i <= 10; ++i) {
      od::inclusive_scan(some, onepass::cpu(1), &x, &x + 1, &y);
      EXPECT_EQ(y, some.rank() + 1);
      od::inclusive_scan(all, onepass::cpu(1), &x, &x + 1, &y);
      EXPECT_EQ(y, all.rank() + 1);
    }
  }
  MPI_Comm_free(&half);
}

}  // namespace test

// There are no ranks before MPI_Init.
bool refuses_now() {
  try {
    const onepass::distributed::mpi_communicator comm(MPI_COMM_WORLD);
    return false;
  } catch (const onepass::invalid_argument&) {
    return true;
  }
}

int main(int argc, char** argv) {
  if (!refuses_now()) return 3;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 2;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) testing::GTEST_FLAG(brief) = true;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  const onepass::distributed::mpi_communicator ends_after_mpi(MPI_COMM_WORLD);
  MPI_Finalize();
  return result;
}
