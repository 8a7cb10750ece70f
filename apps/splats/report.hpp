// SPDX-License-Identifier: Apache-2.0
// What the program tells.
#pragma once

#include <iosfwd>

#include "run.hpp"

namespace splats {

bool all_agree(const run_report& report);

void print_report(std::ostream& out, const options& wanted, const scene& what, const run_report& report);

}  // namespace splats
