// SPDX-License-Identifier: Apache-2.0
// A type that stands for nothing: no initial value, no values beside the keys, no second output.
#pragma once

namespace onepass::detail {

struct none {};

}  // namespace onepass::detail
