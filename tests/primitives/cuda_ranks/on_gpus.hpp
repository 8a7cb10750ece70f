// SPDX-License-Identifier: Apache-2.0
// Runs the checks of tests/primitives/distributed on ranks with GPUs: threads that share one GPU, and, where there are
// several, threads with one each. Every wait of a call has a deadline; and a test that still hangs, in a wait for a
// device, ends the program.
#pragma once

#include <unistd.h>

#include <onepass/cuda_thread_ranks.hpp>

#include "primitives/distributed/over_ranks.hpp"
#include "support/test.hpp"

namespace test {

inline onepass::communicator_options within(std::chrono::milliseconds deadline) {
  onepass::communicator_options options;
  options.deadline = deadline;
  return options;
}

// While it lives, the program has so many seconds.
class time_limit {
 public:
  explicit time_limit(unsigned seconds = 80) { alarm(seconds); }
  ~time_limit() { alarm(0); }
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;
};

// Ranks on these devices, in turn.
inline std::vector<int> devices_for(int ranks, int devices) {
  std::vector<int> of(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) of[static_cast<std::size_t>(r)] = r % devices;
  return of;
}
inline int device_count() {
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  return devices;
}

template <class Check>
void by_gpu_threads(const Check& check,
                    const onepass::communicator_options& options = within(std::chrono::seconds(20))) {
  using communicator = onepass::distributed::cuda_thread_communicator;
  const time_limit limit;
  const auto run = [&](int ranks, int devices, bool is_slow) {
    SCOPED_TRACE(std::to_string(ranks) + (is_slow ? " slow" : "") + " ranks on " + std::to_string(devices) + " GPUs");
    onepass::distributed::run_cuda_ranks(
        devices_for(ranks, devices),
        [&](communicator& comm) {
          delayed<communicator> own(comm, is_slow);
          check(own);
        },
        options);
  };
  for (const int ranks : rank_counts) run(ranks, 1, false);
  run(4, 1, true);
  if (const int devices = device_count(); devices > 1) {
    run(devices, devices, false);
    run(2 * devices, devices, true);
  }
}

// Runs a check on ranks that cannot read each other's memory.
template <class Comm>
struct no_lender : Comm {
  explicit no_lender(const Comm& comm) : Comm(comm) {}
  bool reach_each_other() const { return false; }
};
template <class Check>
struct without_lending {
  Check check;
  template <class Comm>
  void operator()(Comm& comm) const {
    no_lender<Comm> own(comm);
    check(own);
  }
};

}  // namespace test
