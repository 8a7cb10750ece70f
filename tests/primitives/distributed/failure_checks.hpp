// SPDX-License-Identifier: Apache-2.0
// What calls across ranks do when one rank fails, on any carrier: all ranks throw, and as long as all have come to the
// exchange, inputs and outputs are as they were and the communicator can be used.
#pragma once

#include <onepass/distributed.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

// A rank that gives wrong arguments, or whose function object throws. The last rank does, or the only one.
struct one_rank_throws {
  template <class Comm>
  void operator()(Comm& comm) const {
    const int bad = comm.size() - 1;
    const bool is_bad = comm.rank() == bad;
    const std::vector<std::int64_t> good = {4, 2, 7};
    std::vector<std::int64_t> x = good, y = {-5, -5, -5}, z = y;
    const std::vector<std::int64_t> untouched = y;
    if (is_bad) x[1] = refused_value;
    const auto policy = onepass::cpu(1);
    const auto expect = [&](const char* text, auto&& f) {
      SCOPED_TRACE(text);
      expect_distributed_error(f, bad, text);
      EXPECT_EQ(y, untouched);
      EXPECT_EQ(z, untouched);
      EXPECT_EQ(x[0], 4);
      EXPECT_EQ(x[2], 7);
    };
    auto last = x.end();
    expect("refused", [&] { od::inclusive_scan(comm, policy, x.begin(), last, y.begin(), throwing_sum{}); });
    const std::vector<int> flags = {0, 0, 0}, keys = {1, 1, 1};
    expect("refused", [&] {
      od::inclusive_segmented_scan(comm, policy, x.begin(), last, flags.begin(), y.begin(), throwing_sum{});
    });
    expect("refused",
           [&] { od::inclusive_scan_by_key(comm, policy, x.begin(), last, x.begin(), y.begin(), throwing_equal{}); });
    expect("refused", [&] {
      od::reduce_by_key(comm, policy, keys.begin(), keys.end(), x.begin(), z.begin(), y.begin(),
                        onepass::detail::equal_to{}, throwing_sum{});
    });
    if (is_bad) last = x.begin() - 1;
    expect("last is before first", [&] { od::exclusive_scan(comm, policy, x.begin(), last, y.begin()); });
    expect("last is before first", [&] { od::radix_sort(comm, policy, x.begin(), last, y.begin(), 3); });
    expect("last is before first", [&] { od::rebalance(comm, policy, x.begin(), last, y.begin(), 3); });
    last = x.end();
    const onepass::index_t room = is_bad ? 2 : 3;
    expect("capacity is too small", [&] { od::radix_sort(comm, policy, x.begin(), last, y.begin(), room); });
    expect("capacity is too small", [&] { od::rebalance(comm, policy, x.begin(), last, y.begin(), room); });
    expect("capacity is too small",
           [&] { od::radix_sort(comm, policy, x.begin(), last, y.begin(), is_bad ? 1 : 9, {}, od::shares::loose); });
    expect("is null", [&] {
      od::radix_sort_by_key(comm, policy, x.begin(), last, x.begin(), y.begin(), is_bad ? nullptr : z.data(), 3);
    });
    expect("not within the key", [&] {
      od::radix_sort(comm, policy, x.begin(), last, y.begin(), 3, onepass::ascending(0, is_bad ? 65 : 64));
    });
    expect("cannot be measured", [&] {
      if (is_bad)
        onepass::measure(policy, [&](const auto& p) { od::inclusive_scan(comm, p, x.begin(), last, y.begin()); });
      else od::inclusive_scan(comm, policy, x.begin(), last, y.begin());
    });
    // The communicator is as it was.
    od::inclusive_scan(comm, policy, good.begin(), good.end(), y.begin());
    EXPECT_EQ(y.back(), 13 * (comm.rank() + 1));
  }
};

// The rank that has failed by itself also gets what was thrown there.
struct cause_is_nested {
  template <class Comm>
  void operator()(Comm& comm) const {
    std::vector<std::int64_t> x = {comm.rank() == 0 ? refused_value : 1, 1};
    bool has_cause = false;
    try {
      od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), x.begin(), throwing_sum{});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const onepass::distributed_error& e) {
      try {
        std::rethrow_if_nested(e);
      } catch (const refusal&) {
        has_cause = true;
      }
    }
    EXPECT_EQ(has_cause, comm.rank() == 0);
  }
};

// An operator that refuses what only the last step combines: the carry with the first item.
struct refuses_large_sums {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (a + b > 100) throw refusal();
    return a + b;
  }
};
struct the_last_step_throws {
  template <class Comm>
  void operator()(Comm& comm) const {
    const std::vector<std::int64_t> x = {30, 30};
    std::vector<std::int64_t> y(2);
    const auto scan = [&] {
      od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), refuses_large_sums{});
    };
    if (comm.size() == 1) scan();
    else expect_distributed_error(scan, 1, "refused");
    od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), y.begin());
    EXPECT_EQ(y.back(), 60 * (comm.rank() + 1));
  }
};

// Ranks in different calls find it out.
struct different_calls {
  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    std::vector<int> x = {1}, y = {0};
    EXPECT_THROW(
        {
          if (comm.rank() == 0) od::copy_if(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), is_even{});
          else od::compact(comm, onepass::cpu(1), x.begin(), x.end(), onepass::flags(x.begin()), y.begin());
        },
        onepass::distributed_error);
    EXPECT_THROW(od::inclusive_scan(comm, x.begin(), x.end(), x.begin()), onepass::distributed_error);
  }
};

// Ranks in one sort, of which the last gives other options, or wants other shares. All throw, before anything moves.
struct different_sorts {
  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    const int other = comm.size() - 1;
    const bool is_other = comm.rank() == other;
    const std::vector<std::uint32_t> x(comm.rank() == 0 ? 12 : 3, 7);
    std::vector<std::uint32_t> y(100, 5);
    const std::vector<std::uint32_t> untouched = y;
    const auto policy = onepass::cpu(1);
    const auto expect = [&](const char* text, const onepass::radix_options& options, od::shares wanted) {
      SCOPED_TRACE(text);
      expect_distributed_error(
          [&] { od::radix_sort(comm, policy, x.begin(), x.end(), y.begin(), 100, options, wanted); }, other, text);
      expect_distributed_error(
          [&] {
            od::radix_sort_by_key(comm, policy, x.begin(), x.end(), x.begin(), y.begin(), y.begin() + 50, 50, options,
                                  wanted);
          },
          other, text);
      expect_distributed_error([&] { (void)od::splitters(comm, policy, x.begin(), x.end(), options, wanted); }, other,
                               text);
      EXPECT_EQ(y, untouched);
    };
    const onepass::radix_options usual;
    expect("other options than rank 0", is_other ? onepass::descending() : usual, od::shares::even);
    expect("other options than rank 0", is_other ? onepass::ascending(1) : usual, od::shares::as_given);
    expect("other options than rank 0", is_other ? onepass::ascending(0, 31) : usual, od::shares::as_given);
    for (const od::shares wanted : {od::shares::even, od::shares::loose})
      expect("other shares than rank 0", usual, is_other ? od::shares::as_given : wanted);
    const std::vector<std::uint64_t> wide(x.begin(), x.end());
    std::vector<std::uint64_t> wide_out(100);
    const auto bits = onepass::ascending(0, 32);
    expect_distributed_error(
        [&] {
          if (is_other) od::radix_sort(comm, policy, wide.begin(), wide.end(), wide_out.begin(), 100, bits);
          else od::radix_sort(comm, policy, x.begin(), x.end(), y.begin(), 100, bits);
        },
        other, "of another size than rank 0");
    // The same options in other words.
    const auto all =
        od::radix_sort(comm, policy, x.begin(), x.end(), y.begin(), 100, is_other ? onepass::ascending(0, 32) : usual);
    EXPECT_EQ(all.total, 12 + 3 * other);
  }
};

// Keys that change while a call reads them, which is an error of the caller's: nothing is written behind a rank's share. If
// all keys are 0 when they are read for the third time, the call throws.
struct changing_key {
  index_t* reads;
  index_t most;
  std::uint32_t then;
  std::uint32_t operator()(std::uint32_t i) const { return ++*reads > most ? then : i * 2654435761u; }
};
struct keys_that_change {
  static constexpr index_t n = 1000;

  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    EXPECT_TRUE(is_noticed(comm, 2 * n, 0));
    for (const std::uint32_t then : {0u, 7u, ~0u}) {
      for (index_t most = n / 2; most <= 5 * n; most += n / 2) {
        for (const bool is_one : {false, true}) (void)is_noticed(comm, is_one && comm.rank() > 0 ? 9 * n : most, then);
      }
    }
  }

 private:
  template <class Comm>
  static bool is_noticed(Comm& comm, index_t most, std::uint32_t then) {
    index_t reads = 0;
    const auto x = thrust::make_transform_iterator(
        thrust::counting_iterator<std::uint32_t>(static_cast<std::uint32_t>(n * comm.rank())),
        changing_key{&reads, most, then});
    std::vector<std::uint32_t> y(static_cast<std::size_t>(n * comm.size()), 5);
    bool is_thrown = false;
    try {
      od::radix_sort(comm, onepass::cpu(1), x, x + n, y.begin(), n);
    } catch (const onepass::distributed_error&) {
      is_thrown = true;
    }
    EXPECT_EQ(std::count(y.begin() + n, y.end(), 5u), y.end() - y.begin() - n);
    return is_thrown;
  }
};

// One rank comes after the others' deadline, which is much shorter than `late`. All throw, each in time, and all later
// calls throw at once.
struct a_rank_comes_late {
  std::chrono::milliseconds deadline, late;

  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    const int who = comm.size() / 2;
    std::vector<int> x = {1}, y = {0};
    if (comm.rank() == who) std::this_thread::sleep_for(late);
    const auto started = std::chrono::steady_clock::now();
    const auto scan = [&] { od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), y.begin()); };
    EXPECT_THROW(scan(), onepass::distributed_error);
    EXPECT_EQ(y[0], 0);
    EXPECT_THROW(scan(), onepass::distributed_error);
    EXPECT_THROW(od::radix_sort(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), 1), onepass::distributed_error);
    const auto took = std::chrono::steady_clock::now() - started;
    EXPECT_LT(took, deadline + std::chrono::seconds(2));
    if (comm.rank() != who) {
      EXPECT_GE(took, deadline / 2);  // it has waited
    }
  }
};

// A rank gives up between two calls. The others do not wait for it.
struct a_rank_gives_up {
  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    std::vector<int> x = {1};
    if (comm.rank() == 0) comm.fail("the file cannot be read");
    expect_distributed_error([&] { od::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), x.begin()); }, 0,
                             "the file cannot be read");
  }
};

// The same while the others wait already, in an exchange of one kind or the other.
struct a_rank_gives_up_late {
  bool moves_items;

  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    const auto size = static_cast<std::size_t>(comm.size());
    const std::vector<std::size_t> bytes(size, 1);
    const std::vector<char> sent(size);
    std::vector<char> received(size);
    if (comm.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      comm.fail("the disk is full");
    }
    const auto exchange = [&] {
      if (moves_items) comm.all_to_all("late", sent.data(), bytes.data(), received.data(), bytes.data());
      else comm.all_gather("late", sent.data(), received.data(), 1);
    };
    expect_distributed_error(exchange, 0, "the disk is full");
  }
};

}  // namespace test
