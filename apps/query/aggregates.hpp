// SPDX-License-Identifier: Apache-2.0
// What is known of a part of a group's values, and how two parts become one.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>

#include "plan.hpp"
#include "sort_keys.hpp"
#include "values.hpp"

namespace query {

// T: std::int64_t or double. A text is its index.
template <class T>
struct partial {
  T value;
  std::int64_t count;  // of values that are not missing
};

// A value as it lies in memory, for the reduction: in the type of the aggregate.
template <class T, class From>
struct partial_of {
  ONEPASS_HOST_DEVICE partial<T> operator()(From value) const {
    if (is_missing(value)) return {T{}, 0};
    return {static_cast<T>(value), 1};
  }
};

template <class T>
struct combine {
  aggregate_kind kind;

  ONEPASS_HOST_DEVICE partial<T> operator()(const partial<T>& a, const partial<T>& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    T value = a.value;
    if (kind == aggregate_kind::least) value = b.value < a.value ? b.value : a.value;
    else if (kind == aggregate_kind::greatest) value = a.value < b.value ? b.value : a.value;
    else value = a.value + b.value;
    return {value, a.count + b.count};
  }
};

// Writes a group's result to its column: missing where no value is there.
template <class T>
struct finish {
  aggregate_kind kind;
  column_type type;  // of the result
  const partial<T>* from;
  void* out;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t group) const {
    const partial<T> all = from[group];
    const bool none = all.count == 0;
    if (type == column_type::real) {
      const auto value = static_cast<double>(all.value);
      const double mean = kind == aggregate_kind::mean ? value / static_cast<double>(all.count) : value;
      static_cast<double*>(out)[group] = none ? missing_real : mean;
    } else if (type == column_type::integer) {
      static_cast<std::int64_t*>(out)[group] = none ? missing_integer : static_cast<std::int64_t>(all.value);
    } else {
      static_cast<std::uint32_t*>(out)[group] = none ? missing_text : static_cast<std::uint32_t>(all.value);
    }
  }
};

}  // namespace query
