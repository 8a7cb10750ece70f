// SPDX-License-Identifier: Apache-2.0
// Counts that a call returns to the host, which has to wait for them: the only place in onepass where it does.
#pragma once

#include "memory.cuh"

namespace onepass::detail {

inline index_t fetch_count(const char* call, const index_t* count, stream_t stream) {
  index_t value = 0;
  check_cuda(call, cudaMemcpyAsync(&value, count, sizeof value, cudaMemcpyDeviceToHost, stream));
  check_cuda(call, cudaStreamSynchronize(stream));
  return value;
}

// Before anything is launched.
inline void check_may_wait(const char* call, stream_t stream) {
  if (is_capturing(call, stream)) {
    throw invalid_argument(call,
                           "its result is waited for, which a captured stream cannot do; use the form with _async");
  }
}

}  // namespace onepass::detail
