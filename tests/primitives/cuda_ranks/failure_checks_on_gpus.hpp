// SPDX-License-Identifier: Apache-2.0
// What calls across ranks with GPUs do when one rank fails. Function objects cannot throw on a device; arguments can be
// wrong, and ranks can be late.
#pragma once

#include <onepass/distributed.hpp>
#include <onepass/scan.hpp>

#include "on_gpus.hpp"

namespace test {

namespace od = onepass::distributed;

// The last rank gives wrong arguments: all throw, nothing is written, and the communicator can be used.
struct wrong_arguments {
  template <class Comm>
  void operator()(Comm& comm) const {
    const int bad = comm.size() - 1;
    const bool is_bad = comm.rank() == bad;
    const auto policy = policy_on(comm, 1);
    const std::vector<std::int64_t> good = {4, 2, 7}, untouched = {-5, -5, -5};
    const auto x = array_on(comm, good);
    auto y = array_on(comm, untouched);
    std::int64_t* const null = nullptr;
    const auto first = x.data(), last = is_bad ? first - 1 : first + 3;
    const auto out = is_bad ? null : y.data();
    const auto expect = [&](const char* text, auto&& f) {
      SCOPED_TRACE(text);
      expect_distributed_error(f, bad, text);
      EXPECT_EQ(on_host(y), untouched);
      EXPECT_EQ(on_host(x), good);
    };
    expect("last is before first", [&] { od::inclusive_scan(comm, policy, first, last, y.data()); });
    expect("out is null", [&] { od::exclusive_scan(comm, policy, first, first + 3, out); });
    expect("out overlaps",
           [&] { od::inclusive_scan(comm, policy, first, first + 3, is_bad ? x.data() + 1 : y.data()); });
    expect("last is before first", [&] { od::inclusive_scan_by_key(comm, policy, first, last, first, y.data()); });
    expect("out is null",
           [&] { od::exclusive_segmented_scan(comm, policy, first, first + 3, first, out, std::int64_t{0}); });
    expect("last is before first", [&] { od::rebalance(comm, policy, first, last, y.data(), 3); });
    const onepass::index_t room = is_bad ? 2 : 3;
    expect("capacity is too small", [&] { od::rebalance(comm, policy, first, first + 3, y.data(), room); });
    expect("cannot be measured", [&] {
      if (is_bad)
        onepass::measure(policy, [&](const auto& p) { od::inclusive_scan(comm, p, first, first + 3, y.data()); });
      else od::inclusive_scan(comm, policy, first, first + 3, y.data());
    });
    // A compaction writes before it knows of the others.
    const auto z = array_on(comm, untouched);
    expect_distributed_error([&] { od::copy_if(comm, policy, first, last, z.data(), is_even{}); }, bad,
                             "last is before first");
    EXPECT_EQ(on_host(x), good);
    // The communicator is as it was.
    od::inclusive_scan(comm, policy, first, first + 3, y.data());
    EXPECT_EQ(on_host(y).back(), 13 * (comm.rank() + 1));
  }
};

// A graph cannot hold a call across ranks. If the last rank's stream is being captured, all throw, the graph stays empty,
// and the communicator can be used.
struct captured_streams {
  template <class Comm>
  void operator()(Comm& comm) const {
    const int bad = comm.size() - 1;
    const auto policy = policy_on(comm, 1);
    const std::vector<std::int64_t> good = {4, 2, 7};
    const auto x = array_on(comm, good);
    const auto y = array_on(comm, std::vector<std::int64_t>{-5, -5, -5});
    const auto z = array_on(comm, good);
    const auto first = x.data(), last = first + 3;
    // While a rank captures, no other one may wait for the whole device, as copies of arrays do.
    const auto meet = [&] {
      const char none = 0;
      std::vector<char> all(static_cast<std::size_t>(comm.size()));
      comm.all_gather("meet", &none, all.data(), sizeof none);
    };
    meet();
    const auto expect = [&](const char* name, auto&& f) {
      SCOPED_TRACE(name);
      cudaGraph_t graph = nullptr;
      std::size_t nodes = 1;
      if (comm.rank() == bad) check_cuda(cudaStreamBeginCapture(rank_stream(), cudaStreamCaptureModeThreadLocal), name);
      expect_distributed_error(f, bad, "cannot be captured");
      if (comm.rank() == bad) {
        check_cuda(cudaStreamEndCapture(rank_stream(), &graph), name);
        check_cuda(cudaGraphGetNodes(graph, nullptr, &nodes), name);
        EXPECT_EQ(nodes, 0u);
        check_cuda(cudaGraphDestroy(graph), name);
      }
      meet();
    };
    expect("scan", [&] { od::inclusive_scan(comm, policy, first, last, y.data()); });
    expect("scan by key", [&] { od::inclusive_scan_by_key(comm, policy, first, last, first, y.data()); });
    expect("copy_if", [&] { od::copy_if(comm, policy, first, last, y.data(), is_even{}); });
    expect("reduce_by_key", [&] { od::reduce_by_key(comm, policy, first, last, first, y.data(), z.data()); });
    expect("unique_copy", [&] { od::unique_copy(comm, policy, first, last, y.data()); });
    expect("rebalance", [&] { od::rebalance(comm, policy, first, last, y.data(), 3); });
    expect("radix_sort", [&] { od::radix_sort(comm, policy, first, last, y.data(), 3); });
    EXPECT_EQ(on_host(x), good);
    od::inclusive_scan(comm, policy, first, last, y.data());
    EXPECT_EQ(on_host(y).back(), 13 * (comm.rank() + 1));
  }
};

struct different_calls_on_gpus {
  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    const auto x = array_on(comm, std::vector<int>{1});
    const auto y = array_on(comm, std::vector<int>{0});
    const auto policy = policy_on(comm, 1);
    EXPECT_THROW(
        {
          if (comm.rank() == 0) od::inclusive_scan(comm, policy, x.data(), x.data() + 1, y.data());
          else od::exclusive_scan(comm, policy, x.data(), x.data() + 1, y.data(), 0);
        },
        onepass::distributed_error);
    EXPECT_EQ(on_host(y), std::vector<int>{0});
    EXPECT_THROW(od::inclusive_scan(comm, policy, x.data(), x.data() + 1, y.data()), onepass::distributed_error);
  }
};

// One rank comes after the others' deadline. All throw, each in time, and all later calls throw at once; the devices
// can be used. Where ranks are not told that others have failed (NCCL), the late one may find all that it waits for in
// its first call, and throws in the next.
struct a_rank_comes_late_on_gpus {
  std::chrono::milliseconds deadline, late;
  bool are_told = true;

  template <class Comm>
  void operator()(Comm& comm) const {
    if (comm.size() == 1) return;
    const int who = comm.size() / 2;
    const auto x = array_on(comm, std::vector<int>{1});
    const auto y = array_on(comm, std::vector<int>{0});
    const auto policy = policy_on(comm, 1);
    if (comm.rank() == who) std::this_thread::sleep_for(late);
    const auto started = std::chrono::steady_clock::now();
    const auto scan = [&] { od::inclusive_scan(comm, policy, x.data(), x.data() + 1, y.data()); };
    if (are_told || comm.rank() != who) {
      EXPECT_THROW(scan(), onepass::distributed_error);
    } else {
      try {
        scan();
      } catch (const onepass::distributed_error&) {
      }
    }
    EXPECT_THROW(scan(), onepass::distributed_error);
    const auto took = std::chrono::steady_clock::now() - started;
    EXPECT_LT(took, deadline + std::chrono::seconds(3));
    if (comm.rank() != who) {
      EXPECT_GE(took, deadline / 2);  // it has waited
    }
    onepass::inclusive_scan(policy, x.data(), x.data() + 1, y.data());
    EXPECT_EQ(on_host(y), std::vector<int>{1});
  }
};

}  // namespace test
