// SPDX-License-Identifier: Apache-2.0
// What rank 0 tells.
#pragma once

#include <iosfwd>

#include "job.hpp"

namespace distributed_sort {

void print_report(std::ostream& out, const job& what, const report& found);

}  // namespace distributed_sort
