// SPDX-License-Identifier: Apache-2.0
// One rank that sorts all keys alone, to compare times and results with.
#pragma once

#include <onepass/radix_sort.hpp>

#include <vector>

#include "../common/comparison.hpp"
#include "checks.hpp"
#include "free_memory.hpp"
#include "key_source.hpp"
#include "phase_times.hpp"
#include "sort_in_parts.hpp"

namespace distributed_sort {

struct lone_result {
  double seconds = 0;
  std::uint64_t sum = 0;    // sum_in_order of the result
  bool has_memory = false;  // for all keys; otherwise nothing was done
};

template <class Backend, class Key>
lone_result sort_alone(const Backend& backend, const job& what, const key_source<Key>& source,
                       const onepass::radix_options& order) {
  lone_result found;
  const std::uint64_t n = what.total;
  const bool with_values = what.wanted.values;
  if (!fits(backend, n * (sizeof(Key) + (with_values ? sizeof(std::uint64_t) : 0)))) return found;
  host_vector<Key> host_keys = source.keys(0, n);
  host_vector<std::uint64_t> host_values = source.indices(0, n);
  sort_items<Backend, Key> in, out;
  out.resize(n, with_values);
  move_to(in.keys, host_keys);
  move_to(in.values, host_values);
  const Key* const first = apps::pointer_to(in.keys);
  const auto sort = [&] {
    if (with_values) {
      onepass::radix_sort_by_key_copy(backend.policy(), first, first + n, apps::pointer_to(in.values),
                                      apps::pointer_to(out.keys), apps::pointer_to(out.values), order);
    } else {
      onepass::radix_sort_copy(backend.policy(), first, first + n, apps::pointer_to(out.keys), order);
    }
    backend.wait();
  };
  sort();  // the first one touches memory
  std::vector<double> seconds;
  for (int call = 0; call < what.wanted.repeat; ++call) {
    const auto begin = clock::now();
    sort();
    seconds.push_back(seconds_between(begin, clock::now()));
  }
  found.seconds = apps::median(seconds);
  const Key* const keys = on_host(out.keys, host_keys);
  const std::uint64_t* const values = on_host(out.values, host_values);
  found.sum = sum_in_order<Key>(what.threads, {keys, with_values ? values : nullptr, n}, 0);
  found.has_memory = true;
  return found;
}

}  // namespace distributed_sort
