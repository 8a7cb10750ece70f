// SPDX-License-Identifier: Apache-2.0
// What the program tells.
#pragma once

#include <iosfwd>

#include "options.hpp"
#include "run.hpp"

namespace collisions {

bool all_agree(const run_report& report);

void print_report(std::ostream& out, const options& wanted, const run_report& report);

}  // namespace collisions
