// SPDX-License-Identifier: Apache-2.0
// Multiplies on one backend, beside its peers. The only door to the code that is compiled for the GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "csr_matrix.hpp"
#include "options.hpp"

namespace spmv {

// After each step v is the vector of length 1 before it.
struct power_result {
  std::vector<double> eigenvalues;  // v . A v
  std::vector<double> residuals;    // |A v - (v . A v) v| / |A v|: 0 for an eigenvector, at most 1
  bool vanished = false;            // A v became 0, and the iteration ended there
};

struct run_report {
  std::string backend;    // "cpu, 2 threads", "cuda, <name of the GPU>"
  std::vector<double> y;  // A x
  std::vector<apps::comparison> rows;
  std::string no_cusparse;  // why the GPU's time isn't beside cuSPARSE's; empty where it is, and on the CPU
  power_result power;       // empty where no iteration was asked for
};

// A vector of `size` values from 0.5 to 1.5, always the same.
std::vector<double> test_vector(std::size_t size);

// x must have as many values as the matrix has columns; `done` hears of each iteration. Throws apps::user_error as
// apps::chosen_backend does.
run_report multiply_and_compare(const csr_matrix& matrix, const std::vector<double>& x, const options& wanted,
                                const std::function<void(int iteration)>& done);

}  // namespace spmv
