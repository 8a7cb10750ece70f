// SPDX-License-Identifier: Apache-2.0
// What the command line asks for.
#pragma once

#include <onepass/shares.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "../common/backend.hpp"
#include "keys.hpp"

namespace distributed_sort {

constexpr std::uint64_t keys_of_a_rank = 10000000;

struct options {
  std::string input;                      // a file of keys; empty: keys are generated
  std::optional<std::uint64_t> generate;  // how many; nothing: keys_of_a_rank for each rank
  distribution kind = distribution::uniform;
  std::uint64_t seed = 1;
  key_type type = key_type::u32;
  bool values = false;          // whether each key carries its index
  std::string out, values_out;  // files for the sorted keys and their indices; empty: none
  bool descending = false;
  onepass::distributed::shares shares = onepass::distributed::shares::as_given;
  int ranks = 1;  // threads of this process, where it is the only one
  bool ranks_given = false;
  bool compare = true;    // with one rank alone
  int repeat = 3;         // sorts that are timed
  bool progress = false;  // also where standard error is no terminal
  apps::backend_kind backend = apps::backend_kind::automatic;
  int threads = 0;  // of each rank; 0: the machine's cores divided by its ranks
};

// Nothing when help was asked for and printed. Throws apps::user_error for anything that it can't make sense of.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace distributed_sort
