// SPDX-License-Identifier: Apache-2.0
// Thrust's vectors, of the host or of a device, as pointers and as the standard library's.
#pragma once

#include <thrust/copy.h>
#include <thrust/memory.h>

#include <vector>

namespace apps {

template <class Vector>
auto pointer_to(Vector& v) {
  return thrust::raw_pointer_cast(v.data());
}

template <class Vector>
auto to_host(const Vector& v) {
  std::vector<typename Vector::value_type> result(v.size());
  thrust::copy(v.begin(), v.end(), result.begin());
  return result;
}

}  // namespace apps
