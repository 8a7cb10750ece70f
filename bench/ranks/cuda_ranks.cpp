// SPDX-License-Identifier: Apache-2.0
// Times calls across ranks with GPUs: a thread a rank, each with a GPU of its own (or several on one, to try it out).
// Beside each call stand the rank's own call on as many items, on all GPUs at once, and a copy of as many bytes.
//
//   build/bench/bin/bench_cuda_ranks [--exchange nccl|threads] [--ranks N] [--sizes 20,24,28] [--samples 5] [--out FILE]
//
// Sizes are log2 of the items of each rank. A time is that of all GPUs together: all threads start from one barrier, make
// so many calls one after another that it takes milliseconds, and end when all devices are idle; the median of the
// samples is printed, for one call. Each result is checked before it is timed. FILE gets the times as JSON, for
// docs/results.
#include <onepass/cuda_thread_ranks.hpp>
#include <onepass/distributed.hpp>
#include <onepass/nccl.hpp>
#include <onepass/onepass.hpp>

#include "ranks/cuda_rank_bench.hpp"

namespace {

using namespace bench;

template <class Comm>
class cases {
 public:
  cases(Comm& comm, rank_bench& bench, int log2_items) : comm_(comm), bench_(bench), n_(index_t{1} << log2_items) {}

  void run() {
    latencies();
    scans();
    compactions();
    sorts<std::uint32_t>("radix_sort/u32");
    sorts<std::uint64_t>("radix_sort/u64");
    pairs();
  }

 private:
  onepass::cuda_policy policy() const { return onepass::cuda(bench_.stream()); }
  template <class F, class G>
  void report(const char* call, F all, G own, double bytes) {
    const double own_us = bench_.time(own);
    bench_.report(call, n_, bench_.time(all), own_us, bench_.copy_time(bytes / 2));
  }

  void latencies() {
    device_array<char> mine(64), all(64 * static_cast<std::size_t>(comm_.size()));
    const double us = bench_.time([&] { comm_.all_gather("latency", bench_.stream(), mine.data(), all.data(), 16); });
    bench_.report("all_gather/16_bytes", 1, us, 0, 0);
    const std::size_t bytes = static_cast<std::size_t>(n_) * 4;
    device_array<char> from(bytes + 16), to(bytes + 16);
    std::vector<std::size_t> send(static_cast<std::size_t>(comm_.size()), 0), receive = send;
    send[static_cast<std::size_t>((comm_.rank() + 1) % comm_.size())] = bytes;
    receive[static_cast<std::size_t>((comm_.rank() + comm_.size() - 1) % comm_.size())] = bytes;
    const auto ring = [&](std::size_t shift_from, std::size_t shift_to) {
      return bench_.time([&] {
        comm_.all_to_all("ring", bench_.stream(), from.data() + shift_from, send.data(), to.data() + shift_to,
                         receive.data());
      });
    };
    const double copy = bench_.copy_time(static_cast<double>(bytes));
    bench_.report("ring_of_copies", n_, ring(0, 0), 0, copy);
    bench_.report("ring_of_copies/both_shifted", n_, ring(4, 4), 0, copy);
    bench_.report("ring_of_copies/unaligned", n_, ring(4, 8), 0, copy);
  }

  void scans() {
    device_array<std::uint32_t> x(size()), y(size()), keys(size());
    bench_.fill(x, constant_items{1});
    const auto scan = [&] { od::inclusive_scan(comm_, policy(), x.data(), x.data() + n_, y.data()); };
    scan();
    bench_.expect(y, rising_items{static_cast<std::uint32_t>(n_ * comm_.rank() + 1)}, "inclusive_scan");
    report(
        "inclusive_scan/i32", scan, [&] { onepass::inclusive_scan(policy(), x.data(), x.data() + n_, y.data()); },
        8.0 * static_cast<double>(n_));
    device_array<od::rank_carry<std::uint32_t>> carry(1);
    const auto local = [&] {
      od::inclusive_scan_local(comm_, policy(), x.data(), x.data() + n_, y.data(), carry.data());
    };
    local();
    bench_.expect(y, rising_items{1}, "inclusive_scan_local");
    report(
        "inclusive_scan_local/i32", local,
        [&] { onepass::inclusive_scan(policy(), x.data(), x.data() + n_, y.data()); }, 8.0 * static_cast<double>(n_));
    bench_.fill(keys, runs_of_100{});
    const auto by_key = [&] {
      od::inclusive_scan_by_key(comm_, policy(), keys.data(), keys.data() + n_, x.data(), y.data());
    };
    by_key();
    // Runs do not end at the ranks' borders, but keys begin anew there.
    bench_.expect(y, ranks_of_100{}, "inclusive_scan_by_key");
    report(
        "inclusive_scan_by_key/i32", by_key,
        [&] { onepass::inclusive_scan_by_key(policy(), keys.data(), keys.data() + n_, x.data(), y.data()); },
        12.0 * static_cast<double>(n_));
  }

  void compactions() {
    device_array<std::uint32_t> x(size()), y(size());
    device_array<index_t> count(1);
    bench_.fill(x, rising_items{0});
    const auto all = [&] { return od::copy_if(comm_, policy(), x.data(), x.data() + n_, y.data(), is_odd{}); };
    const od::slice kept = all();
    bench_.expect(kept.size == n_ / 2 && kept.total == n_ / 2 * comm_.size(), "copy_if");
    report(
        "copy_if/i32", [&] { all(); },
        [&] { onepass::copy_if_async(policy(), x.data(), x.data() + n_, y.data(), is_odd{}, count.data()); },
        6.0 * static_cast<double>(n_));
  }

  template <class K>
  void sorts(const char* name) {
    device_array<K> x(size()), y(size());
    bench_.fill(x, random_items<K>{static_cast<std::uint64_t>(comm_.rank())});
    const auto sort = [&] { od::radix_sort(comm_, policy(), x.data(), x.data() + n_, y.data(), n_); };
    sort();
    expect_sorted(y, name);
    report(
        name, sort, [&] { onepass::radix_sort_copy(policy(), x.data(), x.data() + n_, y.data()); },
        2.0 * sizeof(K) * static_cast<double>(n_));
  }
  void pairs() {
    device_array<std::uint32_t> x(size()), v(size()), y(size()), w(size());
    bench_.fill(x, random_items<std::uint32_t>{static_cast<std::uint64_t>(comm_.rank())});
    bench_.fill(v, random_items<std::uint32_t>{static_cast<std::uint64_t>(comm_.rank())});
    const auto sort = [&] {
      od::radix_sort_by_key(comm_, policy(), x.data(), x.data() + n_, v.data(), y.data(), w.data(), n_);
    };
    sort();
    expect_sorted(y, "radix_sort_by_key");
    bench_.expect(y, same_items<std::uint32_t>{w.data()}, "radix_sort_by_key");  // values are copies of the keys
    report(
        "radix_sort_by_key/u32+u32", sort,
        [&] { onepass::radix_sort_by_key_copy(policy(), x.data(), x.data() + n_, v.data(), y.data(), w.data()); },
        16.0 * static_cast<double>(n_));
  }
  // In order on each rank, and from rank to rank.
  template <class K>
  void expect_sorted(const device_array<K>& y, const char* what) {
    bench_.expect(y, not_below_last<K>{y.data()}, what);
    K ends[2];
    bench_.read(y, 0, ends[0]);
    bench_.read(y, n_ - 1, ends[1]);
    std::vector<K> all(2 * static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(what, ends, all.data(), sizeof ends);
    bench_.expect(std::is_sorted(all.begin(), all.end()), what);
  }
  std::size_t size() const { return static_cast<std::size_t>(n_); }

  Comm& comm_;
  rank_bench& bench_;
  index_t n_;
};

// Runs body(bench, rank) on a thread for each rank.
template <class Body>
void on_each_gpu(const options& o, results& shared, Body body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < o.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        check(cudaSetDevice(rank % o.devices), "cudaSetDevice");
        rank_bench bench(o, shared, rank);
        body(bench, rank);
      } catch (const std::exception& e) {
        give_up(rank, e.what());
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

template <class Comm>
void run_cases(Comm& comm, rank_bench& bench, const options& o) {
  for (const int size : o.sizes) cases<Comm>(comm, bench, size).run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bench::options o = bench::read_options(argc, argv);
    bench::results shared(o);
    onepass::communicator_options limits;
    limits.deadline = std::chrono::seconds(20);
    if (o.exchange == "nccl") {
      setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0);  // not every machine lets a program use NVLink's multicast
      const bench::od::nccl_id id = bench::od::make_nccl_id();
      on_each_gpu(o, shared, [&](bench::rank_bench& bench, int rank) {
        bench::od::nccl_communicator comm(id, o.ranks, rank, limits);
        run_cases(comm, bench, o);
        shared.barrier.wait();  // all have done with NCCL
      });
    } else {
      std::vector<int> devices;
      for (int rank = 0; rank < o.ranks; ++rank) devices.push_back(rank % o.devices);
      const bench::od::cuda_thread_ranks ranks(devices, limits);
      on_each_gpu(o, shared, [&](bench::rank_bench& bench, int rank) {
        auto comm = ranks.communicator(rank);
        run_cases(comm, bench, o);
      });
    }
    shared.write();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_cuda_ranks: %s\n", e.what());
    return 1;
  }
}
