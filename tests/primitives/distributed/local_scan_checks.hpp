// SPDX-License-Identifier: Apache-2.0
// What local scans across ranks have to give, on any carrier: each rank's own scan, and the carry beside it.
#pragma once

#include <onepass/distributed_scan.hpp>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

// Memory for a carry. Before a call it has values that no call writes.
template <class T, class Comm>
auto carry_on(const Comm& comm) {
  od::rank_carry<T> unwritten;
  std::memset(static_cast<void*>(std::addressof(unwritten)), 0x5a, sizeof unwritten);
  unwritten.exists = true;
  return array_on(comm, 1, unwritten);
}
template <class Carry>
auto value_of_carry(const Carry& carry) {
  return on_host(carry)[0];
}

// What the reader of a local scan makes of it.
template <class T, class Op>
std::vector<T> with_carry(const od::rank_carry<T>& carry, std::vector<T> own, Op op) {
  for (T& x : own) x = carry.followed_by(x, op);
  return own;
}

template <class T, class Op>
struct local_inclusive_scans {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) check(comm, of);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 13);
    const std::vector<T> own = part_of(whole, of, comm.rank());
    const std::vector<T> expected_own = inclusive_reference<T>(own, Op{});
    const std::vector<T> expected = part_of(inclusive_reference<T>(whole, Op{}), of, comm.rank());
    auto x = array_on(comm, own), y = array_on<T>(comm, x.size());
    const bool has_carry = begin_of(of, comm.rank()) > 0;
    auto carry = carry_on<T>(comm);
    EXPECT_EQ(od::inclusive_scan_local(comm, policy_on(comm, 2), x.begin(), x.end(), y.begin(), carry.data(), Op{}),
              y.end());
    EXPECT_TRUE(on_host(y) == expected_own);
    EXPECT_EQ(value_of_carry(carry).exists, has_carry);
    EXPECT_TRUE(with_carry(value_of_carry(carry), on_host(y), Op{}) == expected);

    const T init = random_values<T>(1, 14)[0];
    const std::vector<T> expected_with_init = part_of(inclusive_reference<T>(whole, Op{}, init), of, comm.rank());
    carry = carry_on<T>(comm);
    od::inclusive_scan_local(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), carry.data(), init, Op{});
    EXPECT_TRUE(on_host(y) == expected_own);
    EXPECT_TRUE(value_of_carry(carry).exists);
    EXPECT_TRUE(with_carry(value_of_carry(carry), on_host(y), Op{}) == expected_with_init);

    carry = carry_on<T>(comm);
    od::inclusive_scan_local(comm, x.begin(), x.end(), x.begin(), carry.data(), Op{});  // in place, without a policy
    EXPECT_TRUE(on_host(x) == expected_own);
    EXPECT_EQ(value_of_carry(carry).exists, has_carry);
    EXPECT_TRUE(with_carry(value_of_carry(carry), on_host(x), Op{}) == expected);
  }
};

template <class T, class Op>
struct local_exclusive_scans {
  T identity;
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) check(comm, of);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 15);
    const std::vector<T> own = part_of(whole, of, comm.rank());
    const std::vector<T> expected_own = exclusive_reference<T>(own, Op{}, identity);
    const std::vector<T> expected = part_of(exclusive_reference<T>(whole, Op{}, identity), of, comm.rank());
    auto x = array_on(comm, own), y = array_on<T>(comm, x.size());
    const auto is_right = [&](const auto& carry, const auto& results) {
      EXPECT_TRUE(on_host(results) == expected_own);
      EXPECT_TRUE(value_of_carry(carry).exists);
      EXPECT_TRUE(with_carry(value_of_carry(carry), on_host(results), Op{}) == expected);
    };
    auto carry = carry_on<T>(comm);
    EXPECT_EQ(
        od::exclusive_scan_local(comm, policy_on(comm, 2), x.begin(), x.end(), y.begin(), carry.data(), identity, Op{}),
        y.end());
    is_right(carry, y);
    carry = carry_on<T>(comm);
    od::exclusive_scan_local(comm, x.begin(), x.end(), x.begin(), carry.data(), identity, Op{});  // in place
    is_right(carry, x);
  }
};

// The total is that of the results' type: bytes wrap, items are converted before they are added, and items may be
// computed.
struct local_scans_of_other_types {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 500)) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      const auto n = static_cast<std::size_t>(total_of(of));
      const std::vector<std::int8_t> bytes = random_values<std::int8_t>(n, 16);
      const auto b = array_on(comm, part_of(bytes, of, comm.rank()));
      auto sums_of_bytes = array_on<std::int8_t>(comm, b.size());
      auto byte = carry_on<std::int8_t>(comm);
      od::inclusive_scan_local(comm, policy_on(comm, 1), b.begin(), b.end(), sums_of_bytes.data(), byte.data());
      EXPECT_EQ(with_carry(value_of_carry(byte), on_host(sums_of_bytes), onepass::sum{}),
                part_of(inclusive_reference<std::int8_t>(bytes, onepass::sum{}), of, comm.rank()));

      const std::vector<std::int64_t> wide(bytes.begin(), bytes.end());
      auto y = array_on<std::int64_t>(comm, b.size());
      auto carry = carry_on<std::int64_t>(comm);
      od::exclusive_scan_local(comm, policy_on(comm, 1), b.begin(), b.end(), y.begin(), carry.data(), std::int64_t{0});
      EXPECT_EQ(with_carry(value_of_carry(carry), on_host(y), onepass::sum{}),
                part_of(exclusive_reference<std::int64_t>(wide, onepass::sum{}, 0), of, comm.rank()));

      const thrust::counting_iterator<std::int64_t> computed(begin_of(of, comm.rank()));
      od::inclusive_scan_local(comm, policy_on(comm, 1), computed, computed + of[static_cast<std::size_t>(comm.rank())],
                               y.begin(), carry.data());
      const auto sums = with_carry(value_of_carry(carry), on_host(y), onepass::sum{});
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::int64_t last = begin_of(of, comm.rank()) + static_cast<std::int64_t>(i);
        ASSERT_EQ(sums[i], last * (last + 1) / 2);
      }
    }
  }
};

// Floats: results and carry have the same bits on every run, whatever comes first.
struct local_scans_of_floats {
  template <class Comm>
  void operator()(Comm& comm) const {
    const rank_sizes of = distributions(comm.size(), 100000)[5];
    const auto whole = random_fractions<float>(static_cast<std::size_t>(total_of(of)), 17);
    auto x = array_on(comm, part_of(whole, of, comm.rank()));
    auto y = array_on<float>(comm, x.size());
    auto carry = carry_on<float>(comm);
    delayed<Comm> slow(comm);
    const auto scan = [&](int threads) {
      od::inclusive_scan_local(slow, policy_on(comm, threads), x.begin(), x.end(), y.data(), carry.data());
      std::vector<float> all = on_host(y);
      if (const auto before = value_of_carry(carry); before.exists) all.push_back(before.value);
      return all;
    };
    const std::vector<float> once = scan(1);
    for (const int threads : {2, 3}) {
      const std::vector<float> again = scan(threads);
      ASSERT_EQ(again.size(), once.size());
      EXPECT_TRUE(once.empty() || std::memcmp(once.data(), again.data(), once.size() * sizeof(float)) == 0);
    }
  }
};

// The last rank gives wrong arguments: all throw, no carry is written, and the communicator can be used.
struct local_scans_with_wrong_arguments {
  template <class Comm>
  void operator()(Comm& comm) const {
    const int bad = comm.size() - 1;
    const bool is_bad = comm.rank() == bad;
    const auto policy = policy_on(comm, 1);
    const std::vector<std::int64_t> good = {4, 2, 7};
    auto x = array_on(comm, good), y = array_on<std::int64_t>(comm, 3);
    auto carry = array_on(comm, 1, od::rank_carry<std::int64_t>{true, 99});
    std::int64_t* const null = nullptr;
    const auto first = x.data(), last = is_bad ? first - 1 : first + 3;
    const auto expect = [&](const char* text, auto&& f) {
      SCOPED_TRACE(text);
      expect_distributed_error(f, bad, text);
      EXPECT_TRUE(value_of_carry(carry).exists);
      EXPECT_EQ(value_of_carry(carry).value, 99);
      EXPECT_EQ(on_host(x), good);
    };
    expect("last is before first",
           [&] { od::inclusive_scan_local(comm, policy, first, last, y.data(), carry.data()); });
    expect("out is null",
           [&] { od::exclusive_scan_local(comm, policy, first, first + 3, is_bad ? null : y.data(), carry.data()); });
    expect("carry is null", [&] {
      od::inclusive_scan_local(comm, policy, first, first + 3, y.data(), is_bad ? nullptr : carry.data());
    });
    expect("out overlaps", [&] {
      od::inclusive_scan_local(comm, policy, first, first + 2, is_bad ? x.data() + 1 : y.data(), carry.data());
    });
    expect("carry overlaps out", [&] {
      auto* const inside = reinterpret_cast<od::rank_carry<std::int64_t>*>(y.data());
      od::inclusive_scan_local(comm, policy, first, first + 3, y.data(), is_bad ? inside : carry.data());
    });
    od::inclusive_scan_local(comm, policy, first, first + 3, y.data(), carry.data());
    EXPECT_EQ(value_of_carry(carry).exists, comm.rank() > 0);
    EXPECT_EQ(with_carry(value_of_carry(carry), on_host(y), onepass::sum{}).back(), 13 * (comm.rank() + 1));
  }
};

}  // namespace test
