// SPDX-License-Identifier: Apache-2.0
// The scans of onepass._core.
#pragma once

#include "arguments.hpp"

namespace onepass::python {

inline void scan(nb::handle where, nb::handle x, std::size_t n, nb::handle out, int type, int op, bool exclusive,
                 nb::handle init) {
  const input from(x);
  const output to(out);
  const library::op by = operator_of(op);
  with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const T start = initial<T>(init);
    const bool has_init = !init.is_none();
    run(where, [&](const auto& on) {
      if (exclusive) library::exclusive_scan(on, from.of<T>(), n, to.of<T>(), start, by);
      else if (has_init) library::inclusive_scan(on, from.of<T>(), n, to.of<T>(), start, by);
      else library::inclusive_scan(on, from.of<T>(), n, to.of<T>(), by);
    });
  });
}

// Sums in 64 bits of narrower integers.
inline void wide_sum(nb::handle where, nb::handle x, std::size_t n, nb::handle out, int type, bool exclusive,
                     std::uint64_t init) {
  const input from(x);
  const output to(out);
  with_narrow(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const auto start = static_cast<std::int64_t>(init);
    run(where, [&](const auto& on) {
      if (exclusive) library::exclusive_wide_sum(on, from.of<T>(), n, to.of<std::int64_t>(), start);
      else library::inclusive_wide_sum(on, from.of<T>(), n, to.of<std::int64_t>(), start);
    });
  });
}

// With head flags, or offsets. `init` is for exclusive scans alone.
template <class Heads>
void scan_with_heads(nb::handle where, nb::handle x, std::size_t n, const Heads& heads, nb::handle out, int type,
                     int op, bool exclusive, nb::handle init) {
  const input from(x);
  const output to(out);
  const library::op by = operator_of(op);
  with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const T start = initial<T>(init);
    run(where, [&](const auto& on) {
      if (exclusive) library::exclusive_segmented_scan(on, from.of<T>(), n, heads, to.of<T>(), start, by);
      else library::inclusive_segmented_scan(on, from.of<T>(), n, heads, to.of<T>(), by);
    });
  });
}
inline void scan_by_flags(nb::handle where, nb::handle x, std::size_t n, nb::handle flags, nb::handle out, int type,
                          int op, bool exclusive, nb::handle init) {
  const input heads(flags);
  scan_with_heads(where, x, n, heads.of<const std::uint8_t>(), out, type, op, exclusive, init);
}
inline void scan_by_offsets(nb::handle where, nb::handle x, std::size_t n, nb::handle offsets, std::size_t count,
                            nb::handle out, int type, int op, bool exclusive, nb::handle init) {
  const input starts(offsets);
  const library::offsets heads{starts.of<const std::int64_t>(), count};
  scan_with_heads(where, x, n, heads, out, type, op, exclusive, init);
}
// Along an axis of a dense array: `width` is the product of the extents behind the axis, `height` is the axis's.
inline void scan_by_columns(nb::handle where, nb::handle x, std::size_t n, std::int64_t width, std::int64_t height,
                            nb::handle out, int type, int op, bool exclusive, nb::handle init) {
  if (width == 1) scan_with_heads(where, x, n, library::rows{height}, out, type, op, exclusive, init);
  else scan_with_heads(where, x, n, library::columns{width, height}, out, type, op, exclusive, init);
}
// Sums from the end of each row.
inline void reverse_sum(nb::handle where, nb::handle x, std::size_t n, std::int64_t length, nb::handle out, int type) {
  const input from(x);
  const output to(out);
  with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    run(where, [&](const auto& on) { library::reverse_sum(on, from.of<T>(), n, library::rows{length}, to.of<T>()); });
  });
}
// Along an axis in the same way. next_factor: library::recurrence_options says what that is.
inline void linear_recurrence(nb::handle where, nb::handle a, nb::handle b, std::size_t n, std::int64_t width,
                              std::int64_t height, nb::handle out, int type, bool reverse, bool next_factor) {
  const input factors(a), terms(b);
  const output to(out);
  with_float(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      library::linear_recurrence(on, factors.of<T>(), terms.of<T>(), n, library::columns{width, height}, to.of<T>(),
                                 {reverse, next_factor});
    });
  });
}
inline void scan_by_key(nb::handle where, nb::handle keys, std::size_t n, nb::handle x, nb::handle out, int key_type,
                        int type, int op, bool exclusive, nb::handle init) {
  const input of(keys), from(x);
  const output to(out);
  const library::op by = operator_of(op);
  with_unsigned(key_type, [&](auto* key) {
    using K = type_of<decltype(key)>;
    with_number(type, [&](auto* tag) {
      using T = type_of<decltype(tag)>;
      const T start = initial<T>(init);
      run(where, [&](const auto& on) {
        if (exclusive) library::exclusive_scan_by_key(on, of.of<K>(), n, from.of<T>(), to.of<T>(), start, by);
        else library::inclusive_scan_by_key(on, of.of<K>(), n, from.of<T>(), to.of<T>(), by);
      });
    });
  });
}

}  // namespace onepass::python
