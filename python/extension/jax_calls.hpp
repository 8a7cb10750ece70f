// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace onepass::python {

// The handlers that onepass.jax registers with XLA, by name: capsules of the one for the CPU and of the one for CUDA.
nanobind::dict jax_handlers();

}  // namespace onepass::python
