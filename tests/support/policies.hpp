// SPDX-License-Identifier: Apache-2.0
// Every execution policy with which a backend can be asked for.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include "backend.hpp"
#if ONEPASS_HAS_TBB
#include <thrust/system/tbb/execution_policy.h>
#endif
#if ONEPASS_HAS_CUDA
#include <thrust/system/cuda/execution_policy.h>
#endif

namespace test {

// Calls `body(policy, name)` for each.
template <class Body>
void for_each_policy(const cpu_backend&, Body body) {
  body(onepass::cpu(), "onepass::cpu()");
  body(onepass::cpu(3), "onepass::cpu(3)");
  body(thrust::host, "thrust::host");
  body(thrust::seq, "thrust::seq");
  body(thrust::cpp::par, "thrust::cpp::par");
  body(thrust::omp::par, "thrust::omp::par");
#if ONEPASS_HAS_TBB
  body(thrust::tbb::par, "thrust::tbb::par");
#endif
#if !ONEPASS_HAS_CUDA
  body(thrust::device, "thrust::device");
#endif
}

#if ONEPASS_HAS_CUDA
template <class Body>
void for_each_policy(const cuda_backend&, Body body) {
  const stream own;
  body(onepass::cuda(), "onepass::cuda()");
  body(onepass::cuda(own.get()), "onepass::cuda(stream)");
  body(thrust::device, "thrust::device");
  body(thrust::cuda::par, "thrust::cuda::par");
  body(thrust::cuda::par.on(own.get()), "thrust::cuda::par.on(stream)");
  body(thrust::cuda::par_nosync, "thrust::cuda::par_nosync");
  body(thrust::cuda::par_nosync.on(own.get()), "thrust::cuda::par_nosync.on(stream)");
}
#endif

}  // namespace test
