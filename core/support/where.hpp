// SPDX-License-Identifier: Apache-2.0
// Where tiles are worked on, and so the scope in which a descriptor has to be visible.
#pragma once

#include <cuda/atomic>

#include <onepass/config.hpp>

namespace onepass::detail {

struct on_device {
  static constexpr auto scope = ::cuda::thread_scope_device;
  static constexpr bool has_wide_words = true;  // 16-byte atomic accesses
};
struct on_host {
  static constexpr auto scope = ::cuda::thread_scope_system;
  static constexpr bool has_wide_words = false;
};

}  // namespace onepass::detail
