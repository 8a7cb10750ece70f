// SPDX-License-Identifier: Apache-2.0
// Filters on one backend, beside the serial loop. The only door to the code that is compiled for the GPU.
#pragma once

#include <string>
#include <vector>

#include "../common/backend.hpp"
#include "../common/comparison.hpp"
#include "filter.hpp"

namespace recurrence {

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<double> y;
  bool overflows = false;  // the serial loop's result
  apps::comparison row;
};

// Throws apps::user_error as apps::chosen_backend does.
run_report filter_and_compare(const filter& any, const std::vector<double>& x, apps::backend_kind asked, int threads,
                              int repeat);

}  // namespace recurrence
