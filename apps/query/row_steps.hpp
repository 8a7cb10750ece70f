// SPDX-License-Identifier: Apache-2.0
// A table's columns in a backend's memory, and what is done to each row, item or group of them.
#pragma once

#include <onepass/policy.hpp>

#include <cstdint>

#include "../common/vectors.hpp"
#include "condition_machine.hpp"
#include "sort_keys.hpp"
#include "values.hpp"

namespace query {

// A column in a backend's memory. One of the three is filled.
template <class Backend>
struct backend_column {
  template <class T>
  using vector = typename Backend::template vector<T>;

  column_type type = column_type::integer;
  vector<std::int64_t> integers;
  vector<double> reals;
  vector<std::uint32_t> texts;

  column_view view() {
    if (type == column_type::integer) return {apps::pointer_to(integers), type};
    if (type == column_type::real) return {apps::pointer_to(reals), type};
    return {apps::pointer_to(texts), type};
  }
};

// Steps that a backend takes for every item up to a count in its memory.
struct make_keys {
  const key_word* word;
  const row_index* items;
  const onepass::index_t* count;
  std::uint64_t* keys;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < *count) keys[i] = (*word)(items[i]);
  }
};

template <class Function>
struct for_each_below {
  Function function;
  const onepass::index_t* count;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < *count) function(i);
  }
};

struct truth_at {
  const truth_value* truths;
  ONEPASS_HOST_DEVICE bool operator()(row_index row) const { return truths[row] == is_true; }
};

struct number_rows {
  row_index* rows;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { rows[i] = static_cast<row_index>(i); }
};

template <class T>
struct gather {
  const T* from;
  const row_index *rows, *items;  // rows: none where items are rows
  T* out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    out[i] = from[rows == nullptr ? items[i] : rows[items[i]]];
  }
};

}  // namespace query
