// SPDX-License-Identifier: Apache-2.0
// Where tiles are worked on, and so which words can be accessed at once.
#pragma once

namespace onepass::detail {

struct on_device {
  static constexpr bool has_wide_words = true;  // 16-byte atomic accesses
};
struct on_host {
  static constexpr bool has_wide_words = false;
};

}  // namespace onepass::detail
