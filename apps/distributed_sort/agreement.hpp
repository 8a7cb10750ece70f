// SPDX-License-Identifier: Apache-2.0
// Steps that all ranks take together: when one of them fails, all learn why, and end in the same way.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <vector>

#include "../common/user_error.hpp"
#include "communicators.hpp"

namespace distributed_sort {

// Exceptions that every rank throws, with the same text.
struct known_to_all {
  virtual ~known_to_all() = default;
};
struct agreed_user_error : apps::user_error, known_to_all {
  using apps::user_error::user_error;
};
struct agreed_failure : std::runtime_error, known_to_all {
  using std::runtime_error::runtime_error;
};

// What each rank gives, in rank order.
template <class T>
std::vector<T> gathered(host_communicator& ranks, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather("distributed_sort", &mine, all.data(), sizeof mine);
  return all;
}

// Tells the others what this rank has met, or null. If any has met something, all throw: agreed_user_error for what the
// user can mend, else agreed_failure; the text names the rank unless that is rank 0.
void agree(host_communicator& ranks, const std::exception_ptr& mine);

// Runs step() on every rank, then agrees. In a step either no rank waits for others, or all go through the same calls
// across ranks and nothing else in it can fail.
template <class Step>
void all_do(host_communicator& ranks, Step step) {
  std::exception_ptr failure;
  try {
    step();
  } catch (...) {
    failure = std::current_exception();
  }
  agree(ranks, failure);
}

}  // namespace distributed_sort
