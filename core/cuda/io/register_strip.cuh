// SPDX-License-Identifier: Apache-2.0
// A lane's strip of consecutive items in registers, and a flag for each of them. `Shape` says how many rows of how many
// items a strip has (strip_shape, core/cuda/pipeline/staged_tile.cuh).
#pragma once

#include <cstring>

#include "../../support/bits.hpp"
#include "vector_access.cuh"

namespace onepass::detail {

// A row of items in registers. Small items stay packed in words; without this the compiler would unpack each item into
// a register of its own.
template <class T, int V, class = void>
class register_row {
 public:
  __device__ void set(const T (&items)[V]) {
#pragma unroll
    for (int j = 0; j < V; ++j) items_[j] = items[j];
  }
  __device__ const T& item(int j) const { return items_[j]; }

 private:
  T items_[V];
};
template <class T, int V>
class register_row<T, V, std::enable_if_t<(sizeof(T) < 4 && V * sizeof(T) == sizeof(uint4))>> {
 public:
  __device__ void set(const T (&items)[V]) {
    memcpy(words_, static_cast<const void*>(items), sizeof words_);
#pragma unroll
    for (unsigned& w : words_) asm volatile("" : "+r"(w));  // hides from the compiler which items are in the word
  }
  __device__ T item(int j) const {
    constexpr int per_word = 4 / sizeof(T);
    const unsigned word = words_[j / per_word] >> (8 * sizeof(T) * (j % per_word));
    T item;
    memcpy(static_cast<void*>(object_address(item)), &word, sizeof item);
    return item;
  }

 private:
  unsigned words_[4];
};

// A bit for each item of a strip. A row's bits lie in one word.
template <class Shape>
struct strip_flags {
  unsigned words[divide_up(Shape::strip_items, 32)] = {};
  __device__ void put_row(int row, unsigned bits) {
    words[row * Shape::vector / 32] |= bits << (row * Shape::vector % 32);
  }
  __device__ bool at(int row, int j) const {
    return words[row * Shape::vector / 32] >> (row * Shape::vector % 32 + j) & 1;
  }
  __device__ unsigned count() const {
    unsigned all = 0;
#pragma unroll
    for (const unsigned word : words) all += __popc(word);
    return all;
  }
};

// A strip in registers.
template <class Item, class Shape>
class register_strip {
  static constexpr int V = Shape::vector;

 public:
  // Loads the items from `begin` on, as far as there are any before `end`. Calls see_row(row, items) for each row where
  // the strip is whole, and see_item(row, j, item) for each item where it is not.
  template <class It, class SeeRow, class SeeItem>
  __device__ void load(const It& it, int begin, int end, SeeRow see_row, SeeItem see_item) {
    const bool is_whole = begin + Shape::strip_items <= end;
    if (is_whole) {
#pragma unroll
      for (int r = 0; r < Shape::vectors; ++r) {
        Item x[V];
        detail::load_row(it, begin + r * V, x);
        see_row(r, x);
        rows_[r].set(x);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Shape::vectors; ++r) {
        Item x[V];
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (begin + r * V + j >= end) continue;
          x[j] = it[begin + r * V + j];
          see_item(r, j, x[j]);
        }
        rows_[r].set(x);
      }
    }
  }
  __device__ decltype(auto) item(int row, int j) const { return rows_[row].item(j); }

 private:
  register_row<Item, V> rows_[Shape::vectors];
};

}  // namespace onepass::detail
