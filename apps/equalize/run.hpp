// SPDX-License-Identifier: Apache-2.0
// Equalises on one backend, beside peers. The only door to the code that is compiled for the GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "options.hpp"
#include "picture.hpp"

namespace equalize {

struct run_report {
  std::string backend;  // "cpu, 2 threads", "cuda, <name of the GPU>"
  picture result;
  std::vector<std::uint32_t> lit;  // indices of pixels that are not black, in rising order
  // Of all steps, the picture and the result in the backend's memory: the median of some runs.
  double milliseconds = 0;
  std::vector<apps::comparison> rows;
};

// Throws apps::user_error as apps::chosen_backend does, and for more tiles than pixels along a side.
run_report equalize_and_compare(const picture& what, const options& wanted);

}  // namespace equalize
