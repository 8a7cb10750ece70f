// SPDX-License-Identifier: Apache-2.0
// Answers on one backend, beside peers. The only door to the code that is compiled for the GPU.
#pragma once

#include <string>
#include <vector>

#include "../common/backend.hpp"
#include "../common/comparison.hpp"
#include "plan.hpp"
#include "table.hpp"

namespace query {

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  table answer;
  double milliseconds = 0;  // from the table in the backend's memory to the answer in the host's
  std::vector<apps::comparison> stages;
};

// `compare`: beside peers, and checked against a serial program. Otherwise stages have times alone. `repeats`: the time is the
// median of so many. Throws as apps::chosen_backend does.
run_report answer_and_compare(const plan& what, const table& on, apps::backend_kind backend, int threads, bool compare,
                              int repeats);

}  // namespace query
