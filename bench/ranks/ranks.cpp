// SPDX-License-Identifier: Apache-2.0
// Times calls across ranks over MPI, each beside the rank's own call on as many items, and the sorts beside one rank
// that sorts all items. Every rank has one thread.
//
//   mpirun -n 8 build/bench/bin/bench_ranks [log2 of the items of all ranks: 24] [samples: 5]
//
// A time is that of the slowest rank, from a common start; the median of the samples is printed. Each result is
// compared with a plain loop's or with the order that it has to have, before it is timed.
#include <onepass/distributed.hpp>
#include <onepass/mpi.hpp>
#include <onepass/onepass.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

namespace od = onepass::distributed;
using onepass::index_t;

class bench {
 public:
  bench(od::mpi_communicator& comm, index_t items, int samples)
      : comm_(comm), n_(items / comm.size()), samples_(samples) {}

  void run() {
    std::mt19937_64 random(static_cast<std::uint64_t>(comm_.rank()) + 1);
    in_.resize(size());
    for (std::uint32_t& x : in_) x = static_cast<std::uint32_t>(random());
    out_.resize(size());
    values_ = in_;
    values_out_.resize(size());
    if (comm_.rank() == 0) {
      std::printf("%d ranks, %lld items of 4 bytes each; ms\n%-42s %10s %10s %8s\n", comm_.size(),
                  static_cast<long long>(n_), "call", "all ranks", "alone", "ratio");
    }
    scans();
    compactions();
    sorts();
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(n_); }
  static onepass::cpu_policy policy() { return onepass::cpu(1); }

  // The median time of a call on all ranks at once, in ms.
  template <class F>
  double time(F call) const {
    std::vector<double> samples;
    for (int i = 0; i < samples_ + 1; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      call();
      double mine = (MPI_Wtime() - start) * 1e3, slowest = 0;
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i > 0) samples.push_back(slowest);  // the first one touches memory
    }
    std::nth_element(samples.begin(), samples.begin() + samples_ / 2, samples.end());
    return samples[static_cast<std::size_t>(samples_ / 2)];
  }
  void report(const char* name, double all, double alone, const char* ratio_of) const {
    if (comm_.rank() == 0) std::printf("%-42s %10.3f %10.3f %8.2f  %s\n", name, all, alone, alone / all, ratio_of);
  }
  void expect(bool is_right, const char* what) const {
    if (!is_right) {
      std::fprintf(stderr, "rank %d: %s gives a wrong result\n", comm_.rank(), what);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

  void scans() {
    const auto scan = [&] { od::inclusive_scan(comm_, policy(), in_.begin(), in_.end(), out_.begin()); };
    scan();
    const std::uint32_t own = std::accumulate(in_.begin(), in_.end(), std::uint32_t{0});
    std::uint32_t before = 0;
    MPI_Exscan(&own, &before, 1, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    std::uint32_t sum = comm_.rank() == 0 ? 0 : before;
    bool is_right = true;
    for (std::size_t i = 0; i < size(); ++i) is_right &= out_[i] == (sum += in_[i]);
    expect(is_right, "inclusive_scan");
    const double local = time([&] { onepass::inclusive_scan(policy(), in_.begin(), in_.end(), out_.begin()); });
    report("inclusive_scan", time(scan), local, "of the rank's own scan");
    const index_t whole[] = {0, n_};
    const double reduced = time([&] {
      std::uint32_t total = 0;
      onepass::segmented_reduce(policy(), in_.begin(), in_.end(), onepass::offsets(whole, whole + 2), &total);
      volatile std::uint32_t used = total;
      (void)used;
    });
    report("the same, and its parts", time(scan), local + reduced, "of the rank's own reduction and scan");
    // Runs of 100, which end with the rank, too.
    std::vector<std::uint32_t> keys(size());
    const std::size_t odd = comm_.rank() % 2 == 1 ? 1 : 0;
    for (std::size_t i = 0; i < size(); ++i) keys[i] = static_cast<std::uint32_t>(i / 100 * 2 + odd);
    const auto scan_by_key = [&] {
      od::inclusive_scan_by_key(comm_, policy(), keys.begin(), keys.end(), in_.begin(), out_.begin());
    };
    scan_by_key();
    for (std::size_t i = 0; i < size(); ++i) is_right &= out_[i] == (sum = i % 100 == 0 ? in_[i] : sum + in_[i]);
    expect(is_right, "inclusive_scan_by_key");
    report("inclusive_scan_by_key, runs of 100", time(scan_by_key),
           time([&] { onepass::inclusive_scan_by_key(policy(), keys.begin(), keys.end(), in_.begin(), out_.begin()); }),
           "of the rank's own");
  }

  void compactions() {
    const auto is_even = [](std::uint32_t x) noexcept { return x % 2 == 0; };
    const auto copy_if = [&] { return od::copy_if(comm_, policy(), in_.begin(), in_.end(), out_.begin(), is_even); };
    const od::slice kept = copy_if();
    std::vector<std::uint32_t> expected;
    std::copy_if(in_.begin(), in_.end(), std::back_inserter(expected), is_even);
    expect(kept.size == static_cast<index_t>(expected.size()) &&
               std::equal(expected.begin(), expected.end(), out_.begin()),
           "copy_if");
    report("copy_if, half kept", time([&] { copy_if(); }),
           time([&] { onepass::copy_if(policy(), in_.begin(), in_.end(), out_.begin(), is_even); }),
           "of the rank's own");
  }

  // In order on each rank, and from rank to rank.
  void expect_sorted(const std::vector<std::uint32_t>& items, const char* what) const {
    std::uint32_t last = items.empty() ? 0 : items.back();
    std::vector<std::uint32_t> all(static_cast<std::size_t>(comm_.size()));
    MPI_Allgather(&last, 1, MPI_UINT32_T, all.data(), 1, MPI_UINT32_T, MPI_COMM_WORLD);
    bool is_right = std::is_sorted(items.begin(), items.end());
    if (comm_.rank() > 0) is_right &= items.empty() || all[static_cast<std::size_t>(comm_.rank()) - 1] <= items.front();
    expect(is_right, what);
  }

  void sorts() {
    const auto sort = [&] { od::radix_sort(comm_, policy(), in_.begin(), in_.end(), out_.data(), n_); };
    const auto sort_pairs = [&] {
      od::radix_sort_by_key(comm_, policy(), in_.begin(), in_.end(), values_.begin(), out_.data(), values_out_.data(),
                            n_);
    };
    sort();
    expect_sorted(out_, "radix_sort");
    sort_pairs();
    expect_sorted(out_, "radix_sort_by_key");
    expect(out_ == values_out_, "radix_sort_by_key");  // values are copies of the keys
    std::vector<std::uint32_t> all, all_values, sorted, sorted_values;
    if (comm_.rank() == 0) {
      std::mt19937_64 random(1);
      all.resize(size() * static_cast<std::size_t>(comm_.size()));
      for (std::uint32_t& x : all) x = static_cast<std::uint32_t>(random());
      all_values = sorted = sorted_values = all;
    }
    const double one = time([&] {
      if (comm_.rank() == 0) onepass::radix_sort_copy(policy(), all.begin(), all.end(), sorted.begin());
    });
    report("radix_sort", time(sort), one, "of one rank that sorts all");
    std::vector<std::uint32_t> room(size() + size() / 64 + 1);
    const auto sort_loosely = [&] {
      return od::radix_sort(comm_, policy(), in_.begin(), in_.end(), room.data(), static_cast<index_t>(room.size()), {},
                            od::shares::loose);
    };
    const od::slice share = sort_loosely();
    expect(share.total == n_ * comm_.size(), "radix_sort, loose shares");
    expect_sorted({room.begin(), room.begin() + share.size}, "radix_sort, loose shares");
    report("radix_sort, loose shares", time([&] { sort_loosely(); }), one, "of one rank that sorts all");
    const double one_pairs = time([&] {
      if (comm_.rank() == 0) {
        onepass::radix_sort_by_key_copy(policy(), all.begin(), all.end(), all_values.begin(), sorted.begin(),
                                        sorted_values.begin());
      }
    });
    report("radix_sort_by_key, values of 4 bytes", time(sort_pairs), one_pairs, "of one rank that sorts all");
  }

  od::mpi_communicator& comm_;
  index_t n_;
  int samples_;
  std::vector<std::uint32_t> in_, out_, values_, values_out_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int log2_items = argc > 1 ? std::atoi(argv[1]) : 24, samples = argc > 2 ? std::atoi(argv[2]) : 5;
  if (log2_items < 10 || log2_items > 36 || samples < 1) {
    std::fprintf(stderr, "usage: bench_ranks [log2 of the items of all ranks, 10 to 36] [samples]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    od::mpi_communicator comm(MPI_COMM_WORLD);
    bench(comm, index_t{1} << log2_items, samples).run();
  }
  MPI_Finalize();
}
