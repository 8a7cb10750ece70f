// SPDX-License-Identifier: Apache-2.0
// Which types are floats of 16 bits. They come with the CUDA toolkit.
#pragma once

#include <onepass/config.hpp>

#if ONEPASS_HAS_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace onepass::detail {

template <class T>
constexpr bool is_half = false;
#if ONEPASS_HAS_CUDA
template <>
inline constexpr bool is_half<__half> = true;
template <>
inline constexpr bool is_half<__nv_bfloat16> = true;
#endif

}  // namespace onepass::detail
