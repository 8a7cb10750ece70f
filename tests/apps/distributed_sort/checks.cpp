// SPDX-License-Identifier: Apache-2.0
// The program's own checks find what is wrong, and ranks end in the same way when one of them fails.
#include "../../../apps/distributed_sort/checks.hpp"

#include <gtest/gtest.h>

#include <onepass/thread_ranks.hpp>

#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "../../../apps/distributed_sort/key_file.hpp"
#include "../common/files.hpp"

namespace {

using namespace distributed_sort;

// f(ranks) on each of some threads.
template <class F>
void on_ranks(int size, F f) {
  onepass::distributed::run_ranks(size, [&](onepass::distributed::thread_communicator& comm) {
    carried_by_threads<onepass::distributed::thread_communicator> ranks(comm);
    f(ranks);
  });
}

struct part {
  std::vector<float> keys;
  std::vector<std::uint64_t> indices;
};

// What order_of finds on all ranks, as "in order" or not and "stable" or not.
std::string found_in(const std::vector<part>& parts, bool with_indices, bool descending = false) {
  std::set<std::string> all;
  std::mutex mutex;
  on_ranks(static_cast<int>(parts.size()), [&](host_communicator& ranks) {
    const part& own = parts[static_cast<std::size_t>(ranks.rank())];
    const items_of<float> items{own.keys.data(), with_indices ? own.indices.data() : nullptr, own.keys.size()};
    const order_found found = order_of(ranks, 2, items, descending);
    const std::lock_guard<std::mutex> lock(mutex);
    all.insert(std::string(found.in_order ? "in order" : "out of order") +
               (found.stable ? ", stable" : ", not stable"));
  });
  EXPECT_EQ(all.size(), 1U) << "ranks differ";
  return *all.begin();
}

TEST(distributed_sort_checks, order_cpu) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<part> right = {{{-nan, -1, 0}, {5, 4, 0}}, {{}, {}}, {{-0.0F, 7}, {6, 1}}, {{7, nan}, {2, 3}}};
  EXPECT_EQ(found_in(right, true), "in order, stable");
  EXPECT_EQ(found_in(right, false), "in order, stable");
  EXPECT_EQ(found_in(right, true, true), "out of order, stable");
  std::vector<part> wrong = right;
  wrong[2].indices = {6, 2}, wrong[3].indices = {1, 3};  // of equal keys on two ranks
  EXPECT_EQ(found_in(wrong, true), "in order, not stable");
  EXPECT_EQ(found_in(wrong, false), "in order, stable");
  wrong = right;
  wrong[2].keys[0] = -0.5;  // lower than the rank's before the empty one
  EXPECT_EQ(found_in(wrong, true), "out of order, stable");
  wrong = right;
  std::swap(wrong[0].keys[0], wrong[0].keys[1]);
  EXPECT_EQ(found_in(wrong, false), "out of order, stable");
  EXPECT_EQ(found_in({{{2, 2}, {0, 1}}, {{2, 1}, {3, 2}}}, true, true), "in order, stable");
  EXPECT_EQ(found_in({{{2, 2}, {1, 0}}, {{2, 1}, {3, 2}}}, true, true), "in order, not stable");
}

TEST(distributed_sort_checks, sums_cpu) {
  std::vector<std::uint32_t> keys(1000);
  std::vector<std::uint64_t> indices(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i % 100), indices[i] = i;
  const auto sums = [&] {
    const items_of<std::uint32_t> alone{keys.data(), nullptr, keys.size()},
        pairs{keys.data(), indices.data(), keys.size()};
    EXPECT_EQ(sum_of_items(1, pairs), sum_of_items(3, pairs));
    return std::vector<std::uint64_t>{sum_of_items(2, alone), sum_of_items(2, pairs), sum_in_order(2, pairs, 0)};
  };
  const std::vector<std::uint64_t> before = sums();
  std::swap(keys[3], keys[4]), std::swap(indices[3], indices[4]);
  EXPECT_EQ(sums()[0], before[0]);
  EXPECT_EQ(sums()[1], before[1]);
  EXPECT_NE(sums()[2], before[2]);
  std::swap(indices[3], indices[4]);  // now each has the other's index
  EXPECT_EQ(sums()[0], before[0]);
  EXPECT_NE(sums()[1], before[1]);
  ++keys[7];
  EXPECT_NE(sums()[0], before[0]);
}

// What every rank throws, and that all throw the same.
template <class Error, class Step>
std::string thrown_by_all(Step step) {
  std::multiset<std::string> all;
  std::mutex mutex;
  on_ranks(3, [&](host_communicator& ranks) {
    try {
      step(ranks);
    } catch (const Error& error) {
      const std::lock_guard<std::mutex> lock(mutex);
      all.insert(error.what());
    }
  });
  EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(all.empty() ? 0 : all.count(*all.begin()), 3U);
  return all.empty() ? "" : *all.begin();
}

TEST(distributed_sort_agreement, one_rank_fails_cpu) {
  const auto throws_on = [](int rank, auto error) {
    return [=](host_communicator& ranks) {
      all_do(ranks, [&] {
        if (ranks.rank() == rank) throw error;
      });
    };
  };
  EXPECT_EQ(thrown_by_all<agreed_user_error>(throws_on(0, apps::user_error("no such file"))), "no such file");
  EXPECT_EQ(thrown_by_all<agreed_user_error>(throws_on(2, apps::user_error("no such file"))), "rank 2: no such file");
  EXPECT_EQ(thrown_by_all<agreed_user_error>(throws_on(1, std::bad_alloc())),
            "rank 1: not enough memory for an input of this size");
  EXPECT_EQ(thrown_by_all<agreed_failure>(throws_on(1, std::runtime_error("a fault"))), "rank 1: a fault");
}

// What a rank has met inside a call across ranks says more than that the call has failed.
TEST(distributed_sort_agreement, inside_a_call_cpu) {
  EXPECT_EQ(thrown_by_all<agreed_user_error>([](host_communicator& ranks) {
              all_do(ranks, [&] {
                const onepass::distributed_error known("distributed::radix_sort", 2, "out of memory");
                if (ranks.rank() != 2) throw known;
                try {
                  throw std::bad_alloc();
                } catch (...) {
                  std::throw_with_nested(known);
                }
              });
            }),
            "rank 2: not enough memory for an input of this size");
}

class distributed_sort_parts_of_files : public test::own_folder {};

TEST_F(distributed_sort_parts_of_files, all_or_nothing_cpu) {
  const std::string file = write("keys", "as it was");
  const char* const letters = "abc";
  const auto write_letters = [&](host_communicator& ranks, int broken) {
    const auto rank = static_cast<std::uint64_t>(ranks.rank());
    const void* const nowhere = reinterpret_cast<const void*>(8);
    write_parts(ranks, {{file, rank, ranks.rank() == broken ? nowhere : letters + rank, 1}});
  };
  EXPECT_EQ(thrown_by_all<agreed_user_error>([&](host_communicator& ranks) { write_letters(ranks, 1); }),
            "rank 1: " + file + ": can't be written: Bad address");
  EXPECT_EQ(text_of(file), "as it was");
  EXPECT_EQ(files_in_folder(), 1U);
  on_ranks(3, [&](host_communicator& ranks) { write_letters(ranks, -1); });
  EXPECT_EQ(text_of(file), "abc");
  EXPECT_EQ(files_in_folder(), 1U);
}

}  // namespace
