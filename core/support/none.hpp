// SPDX-License-Identifier: Apache-2.0
// The type that stands for nothing: no initial value, no values beside the keys, no driver, no second output.
#pragma once

namespace onepass::detail {

struct none {};

}  // namespace onepass::detail
