// SPDX-License-Identifier: Apache-2.0
// Scans across ranks that are peers, by one kernel (primitives/distributed/cuda/peer_scan.cuh). A rank that is alone is
// a peer, too; so one GPU runs most of this.
#include <onepass/scan.hpp>

#include "on_gpus.hpp"
#include "primitives/distributed/scan_checks.hpp"

namespace test {

// A rank a GPU; and one rank.
template <class Check>
void by_peers(const Check& check) {
  const time_limit limit;
  for (const int ranks : {1, device_count()}) {
    SCOPED_TRACE(std::to_string(ranks) + " peers");
    onepass::distributed::run_cuda_ranks(
        devices_for(ranks, ranks), [&](onepass::distributed::cuda_thread_communicator& comm) { check(comm); },
        within(std::chrono::seconds(20)));
  }
}

// Up to 64 blocks with four tiles of 16,384 small items each are one kernel. Ranks with more take a reduction and a scan,
// beside them.
constexpr index_t tile = 16384, blocks = 64, most = 4 * blocks * tile;
constexpr index_t rank_parts[] = {0,
                                  1,
                                  31,
                                  tile - 1,
                                  tile,
                                  tile + 1,
                                  2 * tile,
                                  blocks* tile - 1,
                                  blocks* tile,
                                  blocks* tile + 1,
                                  5 * blocks* tile / 2 + 77,
                                  most - 1,
                                  most,
                                  most + 1};

// Sizes that differ from rank to rank, one call behind the other without a wait.
template <class T, class Op>
struct scans_of_all_sizes {
  template <class Comm>
  void operator()(Comm& comm) const {
    constexpr int calls = static_cast<int>(std::size(rank_parts));
    std::vector<rank_sizes> of_calls;
    std::vector<device_array<T>> inputs, outputs;
    std::vector<std::vector<T>> expected;
    for (int c = 0; c < calls; ++c) {
      rank_sizes of;
      for (int r = 0; r < comm.size(); ++r) of.push_back(rank_parts[(c + 5 * r) % calls] / (index_t{sizeof(T)} / 4));
      const auto whole = random_values<T>(static_cast<std::size_t>(total_of(of)), static_cast<unsigned>(c));
      inputs.push_back(array_on(comm, part_of(whole, of, comm.rank())));
      outputs.push_back(array_on<T>(comm, inputs.back().size()));
      const T init = random_values<T>(1, 9)[0];
      expected.push_back(
          part_of(c % 2 == 0 ? inclusive_reference<T>(whole, Op{}) : exclusive_reference<T>(whole, Op{}, init), of,
                  comm.rank()));
      of_calls.push_back(of);
    }
    for (int c = 0; c < calls; ++c) {
      const auto i = static_cast<std::size_t>(c);
      if (c % 2 == 0) {
        od::inclusive_scan(comm, policy_on(comm, 1), inputs[i].begin(), inputs[i].end(), outputs[i].begin(), Op{});
      } else {
        od::exclusive_scan(comm, policy_on(comm, 1), inputs[i].begin(), inputs[i].end(), outputs[i].begin(),
                           random_values<T>(1, 9)[0], Op{});
      }
    }
    for (int c = 0; c < calls; ++c) {
      const auto i = static_cast<std::size_t>(c);
      EXPECT_TRUE(on_host(outputs[i]) == expected[i]) << text_of(of_calls[i], comm.rank());
      if (c % 2 != 0) continue;
      od::inclusive_scan(comm, policy_on(comm, 1), inputs[i].begin(), inputs[i].end(), inputs[i].begin(), Op{});
      EXPECT_TRUE(on_host(inputs[i]) == expected[i]) << "in place, " << text_of(of_calls[i], comm.rank());
    }
  }
};
ONEPASS_GPU_TEST(peer_scan, sums) { by_peers(scans_of_all_sizes<std::uint32_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(peer_scan, sums_of_64_bits) { by_peers(scans_of_all_sizes<std::int64_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(peer_scan, not_commutative) { by_peers(scans_of_all_sizes<matrix, matrix_product>{}); }

// The number of items stands in memory.
struct sized_scans {
  index_t most;
  std::vector<index_t> sizes;
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const index_t n : sizes) {
      const auto x = array_on(comm, std::vector<std::uint32_t>(static_cast<std::size_t>(most), 1));
      auto y = array_on<std::uint32_t>(comm, x.size());
      const auto size = array_on(comm, std::vector<index_t>{n});
      od::inclusive_scan(comm, policy_on(comm, 1).sized_by(size.data()), x.begin(), x.end(), y.begin());
      std::vector<std::uint32_t> expected(x.size(), 0);
      std::iota(expected.begin(), expected.begin() + n, static_cast<std::uint32_t>(n * comm.rank() + 1));
      EXPECT_TRUE(on_host(y) == expected) << n;
    }
  }
};
ONEPASS_GPU_TEST(peer_scan, size_in_memory) { by_peers(sized_scans{most, {0, 5, tile + 3, 40 * tile, 70 * tile + 9}}); }

// About as many items as half of L2 holds, and more; also where memory says that there are fewer.
template <class T, class Op>
struct scans_of_half_of_l2 {
  template <class Comm>
  void operator()(Comm& comm) const {
    int device = 0, bytes = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    const index_t half = bytes / 2 / static_cast<int>(sizeof(T));
    for (const index_t n : {half, half + 1, half + 4099, 5 * half / 2}) {
      const rank_sizes of(static_cast<std::size_t>(comm.size()), n);
      const auto whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 3);
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      auto y = array_on<T>(comm, x.size());
      od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), Op{});
      EXPECT_TRUE(on_host(y) == part_of(inclusive_reference<T>(whole, Op{}), of, comm.rank())) << n;
    }
    sized_scans{3 * half, {0, 5, half / 2, 2 * half}}(comm);
  }
};
ONEPASS_GPU_TEST(peer_scan, long_parts) {
  if (small_only()) GTEST_SKIP() << "long";
  by_peers(scans_of_half_of_l2<std::uint32_t, onepass::sum>{});
  by_peers(scans_of_half_of_l2<matrix, matrix_product>{});
}

// Calls f(rank, communicators, streams) by a thread a GPU, with so many communicators of the same GPUs, each with a stream of
// its own.
template <class F>
void with_communicators(std::size_t count, F f) {
  const time_limit limit;
  const int ranks = device_count();
  std::vector<od::cuda_thread_ranks> all;
  for (std::size_t c = 0; c < count; ++c) all.emplace_back(devices_for(ranks, ranks), within(std::chrono::seconds(20)));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      check_cuda(cudaSetDevice(rank), "cudaSetDevice");
      std::vector<od::cuda_thread_communicator> comms;
      std::vector<std::unique_ptr<stream>> streams;
      for (const od::cuda_thread_ranks& ranks_of : all) {
        comms.push_back(ranks_of.communicator(rank));
        streams.push_back(std::make_unique<stream>());
      }
      f(rank, comms, streams);
    });
  }
  for (std::thread& t : threads) t.join();
}

template <class T>
std::vector<device_array<T>> arrays_of(std::size_t count, std::size_t items) {
  std::vector<device_array<T>> arrays;
  for (std::size_t c = 0; c < count; ++c) arrays.emplace_back(std::vector<T>(items));
  return arrays;
}

// Two of four communicators may let all blocks of a kernel wait; the others take two kernels, with the same bits.
ONEPASS_GPU_TEST(peer_scan, many_communicators) {
  constexpr std::size_t communicators = 4, rounds = 20, n = 1'500'000;
  with_communicators(communicators, [](int rank, auto& comms, const auto& streams) {
    const auto x = random_fractions<float>(n, static_cast<std::uint64_t>(rank));
    const device_array<float> input(x);
    auto outputs = arrays_of<float>(communicators, n);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t c = 0; c < communicators; ++c) {
        od::inclusive_scan(comms[c], onepass::cuda(streams[c]->get()), input.begin(), input.end(), outputs[c].begin());
      }
    }
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::vector<float> first = on_host(outputs[0]);
    for (std::size_t c = 1; c < communicators; ++c) EXPECT_TRUE(on_host(outputs[c]) == first) << c;
  });
}

// Two communicators whose kernels may wait with all blocks. On each GPU one of the streams is held, on the next GPU the
// other one, so they begin the two scans in different orders. Behind each scan stands a long one of the rank's own. It must
// not stand by where the other communicator's scan needs room.
ONEPASS_GPU_TEST(peer_scan, communicators_in_opposite_orders) {
  if (device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  constexpr std::size_t communicators = 2, rounds = 5, n = std::size_t{1} << 20, n_of_own = std::size_t{1} << 26;
  with_communicators(communicators, [](int rank, auto& comms, const auto& streams) {
    using array = device_array<std::uint32_t>;
    const array input(std::vector<std::uint32_t>(n, 1));
    auto outputs = arrays_of<std::uint32_t>(communicators, n), own = arrays_of<std::uint32_t>(communicators, n_of_own);
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto hold = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
      const std::size_t held = (static_cast<std::size_t>(rank) + round) % communicators;
      check_cuda(cudaLaunchHostFunc(streams[held]->get(), hold, nullptr), "cudaLaunchHostFunc");
      for (std::size_t c = 0; c < communicators; ++c) {
        const auto policy = onepass::cuda(streams[c]->get());
        od::inclusive_scan(comms[c], policy, input.begin(), input.end(), outputs[c].begin());
        onepass::inclusive_scan(policy, own[c].begin(), own[c].end(), own[c].begin());
      }
      check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(rank) + 1);
    for (const array& output : outputs) EXPECT_TRUE(on_host(output) == expected);
  });
}

}  // namespace test
