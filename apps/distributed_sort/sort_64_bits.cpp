// SPDX-License-Identifier: Apache-2.0
// Sorts of keys of 8 bytes. A CUDA build compiles this file with nvcc.
#include "sort_on_backend.hpp"

namespace distributed_sort {

template report sort_on_cpu<std::uint64_t>(const job&, host_communicator&);
template report sort_on_cpu<std::int64_t>(const job&, host_communicator&);
template report sort_on_cpu<double>(const job&, host_communicator&);

#if ONEPASS_HAS_CUDA
template report sort_on_cuda<std::uint64_t>(const job&, device_communicator&);
template report sort_on_cuda<std::int64_t>(const job&, device_communicator&);
template report sort_on_cuda<double>(const job&, device_communicator&);
#endif

}  // namespace distributed_sort
