// SPDX-License-Identifier: Apache-2.0
// onepass/top_k_options.hpp: which items a selection takes, and in which order it writes them.
#pragma once

namespace onepass {

// The options of top_k. largest(), smallest() and in_input_order() make them.
struct top_k_options {
  bool smallest = false;
  bool input_order = false;  // results stand in the order of the input, not of the keys
};

// Selects the largest items, largest first; the smallest, smallest first; or either in the order of the input.
//
//   std::vector<int> x = {3, 9, 4, 9, 1}, y(3);
//   onepass::top_k(x.begin(), x.end(), 3, y.begin(), onepass::smallest());                          // y = 1 3 4
//   onepass::top_k(x.begin(), x.end(), 3, y.begin(), onepass::in_input_order(onepass::largest()));  // y = 9 4 9
constexpr top_k_options largest() { return {}; }
constexpr top_k_options smallest() { return {true, false}; }
constexpr top_k_options in_input_order(const top_k_options& options = {}) { return {options.smallest, true}; }

}  // namespace onepass
