// SPDX-License-Identifier: Apache-2.0
// What the program tells.
#pragma once

#include <iosfwd>

#include "options.hpp"
#include "run.hpp"

namespace rays {

void print_report(std::ostream& out, const options& wanted, const scene& what, const run_report& report);

// Whether everything that was compared had the same bits.
bool all_agree(const run_report& report);

}  // namespace rays
