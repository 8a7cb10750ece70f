// SPDX-License-Identifier: Apache-2.0
// The sorts of job.hpp, for the files that compile them.
#pragma once

#include "../common/cpu_backend.hpp"
#include "../common/cuda_backend.hpp"
#include "sorter.hpp"

namespace distributed_sort {

template <class Key>
report sort_on_cpu(const job& what, host_communicator& carrier) {
  const apps::cpu_backend backend(what.threads);
  return sorter<apps::cpu_backend, host_communicator, Key>(backend, carrier, what).run();
}

#if ONEPASS_HAS_CUDA
template <class Key>
report sort_on_cuda(const job& what, device_communicator& carrier) {
  const apps::cuda_backend backend;
  return sorter<apps::cuda_backend, device_communicator, Key>(backend, carrier, what).run();
}
#endif

}  // namespace distributed_sort
