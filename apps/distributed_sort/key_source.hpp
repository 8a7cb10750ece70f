// SPDX-License-Identifier: Apache-2.0
// Where a rank's keys come from, and how they get into a backend's memory and back.
#pragma once

#include <cstdint>
#include <numeric>
#include <type_traits>

#include "../common/cpu_backend.hpp"
#include "../common/vectors.hpp"
#include "job.hpp"
#include "key_file.hpp"
#include "keys.hpp"

namespace distributed_sort {

template <class T>
using host_vector = apps::cpu_backend::vector<T>;

template <class Key>
class key_source {
 public:
  key_source(const job& what, step_bar& bar) : what_(what), bar_(bar) {}

  // Keys [begin, begin + size) of all.
  host_vector<Key> keys(std::uint64_t begin, std::uint64_t size) const {
    const options& o = what_.wanted;
    host_vector<Key> result(size);
    if (!o.input.empty()) {
      const std::size_t bytes = size * sizeof(Key);
      read_part(o.input, begin * sizeof(Key), result.data(), bytes, [&](std::size_t done) { bar_.part(done, bytes); });
      return result;
    }
    Key* const to = result.data();
    const key_maker<Key> make(o.kind, o.seed, what_.total);
    apps::cpu_backend(what_.threads).for_each(static_cast<std::int64_t>(size), [=](std::int64_t i) {
      to[i] = make(begin + static_cast<std::uint64_t>(i));
    });
    return result;
  }
  // What they carry; nothing where they carry nothing.
  host_vector<std::uint64_t> indices(std::uint64_t begin, std::uint64_t size) const {
    host_vector<std::uint64_t> result(what_.wanted.values ? size : 0);
    std::iota(result.begin(), result.end(), begin);
    return result;
  }

 private:
  const job& what_;
  step_bar& bar_;
};

// To a backend's memory. No copy on the CPU.
template <class Vector, class T>
void move_to(Vector& to, host_vector<T>& from) {
  if constexpr (std::is_same_v<Vector, host_vector<T>>) to.swap(from);
  else to = from;
}

// What `items` has, where the host can read it: there, or in `copy`.
template <class Vector, class T>
const T* on_host(Vector& items, host_vector<T>& copy) {
  if constexpr (std::is_same_v<Vector, host_vector<T>>) return items.data();
  else return copy = items, copy.data();
}

}  // namespace distributed_sort
