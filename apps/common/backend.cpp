// SPDX-License-Identifier: Apache-2.0
// Asks the CUDA runtime for a device. A CUDA build compiles this file with nvcc; there is no kernel in it.
#include "backend.hpp"

#include "user_error.hpp"

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

namespace apps {

std::string why_no_cuda() {
#ifdef __CUDACC__
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    cudaGetLastError();  // it would come up again in the next call
    return cudaGetErrorString(status);
  }
  return devices > 0 ? "" : "no CUDA device was found";
#else
  return "this program was built without CUDA";
#endif
}

backend_kind chosen_backend(backend_kind asked) {
  if (asked == backend_kind::cpu) return asked;
  const std::string reason = why_no_cuda();
  if (reason.empty()) return backend_kind::cuda;
  if (asked == backend_kind::cuda) throw user_error("--backend cuda: no GPU to run on (" + reason + ")");
  return backend_kind::cpu;
}

}  // namespace apps
