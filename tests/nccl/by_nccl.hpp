// SPDX-License-Identifier: Apache-2.0
// Runs the checks of tests/primitives/distributed over NCCL.
#pragma once

#include <onepass/distributed.hpp>
#include <onepass/nccl.hpp>

#include <cstdlib>

#include "../primitives/cuda_ranks/on_gpus.hpp"

namespace test {

namespace od = onepass::distributed;
using od::nccl_communicator;
using std::chrono::milliseconds;

// Runs check(communicator) on `ranks` threads, each with a GPU of its own.
template <class Check>
void with_nccl_ranks(int ranks, const Check& check, milliseconds deadline) {
  SCOPED_TRACE(std::to_string(ranks) + " ranks");
  const od::nccl_id id = od::make_nccl_id();
  od::run_ranks(
      ranks,
      [&](od::thread_communicator& thread) {
        check_cuda(cudaSetDevice(thread.rank()), "cudaSetDevice");
        nccl_communicator comm(id, ranks, thread.rank(), within(deadline));
        check(comm);
        char mine = 0;
        std::vector<char> all(static_cast<std::size_t>(ranks));
        thread.all_gather("end", &mine, all.data(), 1);  // no rank destroys its end while another one works
      },
      within(std::chrono::seconds(60)));
}
// Why NCCL cannot be tested here. NVLink's multicast is left off: not every machine lets a program use it.
inline std::string missing_nccl() {
  setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0);
  return od::missing_nccl();
}
template <class Check>
void by_nccl(const Check& check, milliseconds deadline = milliseconds(20000)) {
  if (const std::string missing = missing_nccl(); !missing.empty()) GTEST_SKIP() << missing;
  const time_limit limit;
  with_nccl_ranks(1, check, deadline);
  if (const int devices = device_count(); devices > 1) with_nccl_ranks(devices, check, deadline);
}

}  // namespace test
