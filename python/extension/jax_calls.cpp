// SPDX-License-Identifier: Apache-2.0
// What onepass.jax calls through XLA: handlers over onepass/library.hpp, each for the CPU and for CUDA. An array may have axes in
// front of those that a call is for, which jax.vmap puts there: all calls run over them. None waits. The package's Python code
// (_jax_calls.py) says what arrays and numbers each one is given, and has checked them.
//
// 64-bit integers cross as pairs of 32-bit ones (words), the lower first, since JAX has none unless it is told to.
#include "jax_calls.hpp"

#include "jax_call.hpp"

#include <cstring>

namespace onepass::python {

namespace {

using xla::call;

library::op operator_in(const call& of) { return operator_of(static_cast<int>(of.number("op"))); }

// The initial value, whose bits are the number's lower ones.
template <class T>
T initial_in(const call& of) {
  const std::int64_t bits = of.number("init");
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

// Calls f(row) for each row of `length` items of the first array.
template <class F>
void for_each_row(const call& of, std::size_t length, F f) {
  const std::size_t rows = length == 0 ? 0 : of.in(0).items() / length;
  for (std::size_t row = 0; row < rows; ++row) f(row);
}

// ---- scans ----------------------------------------------------------------------------------------------------------
// x -> out, along an axis: width, height, op, exclusive, init; reverse: inclusive sums from the end of each row.
void scan(const call& of) {
  const std::size_t n = of.in(0).items();
  const std::int64_t width = of.number("width"), height = of.number("height");
  const library::op by = operator_in(of);
  const bool exclusive = of.number("exclusive") != 0;
  with_number(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const T* x = of.in(0).of<T>();
    T* out = of.out(0).of<T>();
    const T init = initial_in<T>(of);
    const auto along = [&](const auto& segments) {
      if (exclusive) library::exclusive_segmented_scan(of.on(), x, n, segments, out, init, by);
      else library::inclusive_segmented_scan(of.on(), x, n, segments, out, by);
    };
    if (of.number("reverse") != 0) library::reverse_sum(of.on(), x, n, library::rows{height}, out);
    else if (width != 1) along(library::columns{width, height});
    else if (static_cast<std::size_t>(height) != n) along(library::rows{height});
    else if (exclusive) library::exclusive_scan(of.on(), x, n, out, init, by);
    else library::inclusive_scan(of.on(), x, n, out, by);
  });
}
// x, head flags -> out: op, exclusive, init.
void scan_by_flags(const call& of) {
  const std::size_t n = of.in(0).items();
  const library::op by = operator_in(of);
  const auto* flags = of.in(1).of<const std::uint8_t>();
  with_number(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const T* x = of.in(0).of<T>();
    T* out = of.out(0).of<T>();
    if (of.number("exclusive") != 0)
      library::exclusive_segmented_scan(of.on(), x, n, flags, out, initial_in<T>(of), by);
    else library::inclusive_segmented_scan(of.on(), x, n, flags, out, by);
  });
}
// a, b -> h, along an axis: width, height, reverse, next_factor.
void linear_recurrence(const call& of) {
  const library::columns along{of.number("width"), of.number("height")};
  const library::recurrence_options options{of.number("reverse") != 0, of.number("next_factor") != 0};
  with_float(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    library::linear_recurrence(of.on(), of.in(0).of<const T>(), of.in(1).of<const T>(), of.in(0).items(), along,
                               of.out(0).of<T>(), options);
  });
}

// ---- sorts ----------------------------------------------------------------------------------------------------------
// Calls f(offsets) with where the rows start and the last one ends, from their lengths, which are uint32. Only here it is known
// how many rows there are.
template <class F>
void with_row_offsets(const call& of, const xla::array& lengths, F f) {
  const std::size_t rows = lengths.items();
  if (rows == 0) return;
  const xla::scratch memory(of, (rows + 1) * sizeof(std::int64_t));
  auto* first = memory.of<std::int64_t>();
  const auto* each = lengths.of<const std::uint32_t>();
  library::exclusive_wide_sum(of.on(), each, 1, first);
  library::inclusive_wide_sum(of.on(), each, rows, first + 1);
  f(library::offsets{first, rows + 1});
}
// keys, which are the output, too, and the rows' lengths: descending.
void sort(const call& of) {
  const std::size_t n = of.in(0).items();
  const library::radix_options options{of.number("descending") != 0};
  with_number(of.in(0).type(), [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    K* keys = of.out(0).of<K>();
    if (of.in(1).items() == 1) library::radix_sort(of.on(), keys, n, options);
    else
      with_row_offsets(of, of.in(1),
                       [&](const auto& rows) { library::segmented_sort(of.on(), keys, n, rows, options); });
  });
}
// keys and values of 4 bytes, which are the outputs, too, and the rows' lengths: descending.
void sort_by_key(const call& of) {
  const std::size_t n = of.in(0).items();
  const library::radix_options options{of.number("descending") != 0};
  with_number(of.in(0).type(), [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    K* keys = of.out(0).of<K>();
    auto* values = of.out(1).of<std::uint32_t>();
    if (of.in(2).items() == 1) library::radix_sort_by_key(of.on(), keys, n, values, options);
    else
      with_row_offsets(of, of.in(2), [&](const auto& rows) {
        library::segmented_sort_by_key(of.on(), keys, n, values, rows, options);
      });
  });
}

// ---- selection ------------------------------------------------------------------------------------------------------
// x, flags -> kept items, their number (words): length of a row, bytes of an item.
void compact(const call& of) {
  const std::size_t length = of.number("length");
  const auto* flags = of.in(1).of<const std::uint8_t>();
  auto* counts = of.out(1).of<std::int64_t>();
  with_size(static_cast<int>(of.number("bytes")), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    for_each_row(of, length, [&](std::size_t row) {
      const std::size_t first = row * length;
      library::compact_async(of.on(), of.in(0).of<const T>() + first, length, flags + first, of.out(0).of<T>() + first,
                             counts + row);
    });
  });
}
// x, flags -> items whose flag is set, the others, the number of the first (words): length of a row, bytes of an item.
void partition(const call& of) {
  const std::size_t length = of.number("length");
  const auto* flags = of.in(1).of<const std::uint8_t>();
  auto* counts = of.out(2).of<std::int64_t>();
  with_size(static_cast<int>(of.number("bytes")), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    for_each_row(of, length, [&](std::size_t row) {
      const std::size_t first = row * length;
      library::stable_partition_copy_async(of.on(), of.in(0).of<const T>() + first, length, flags + first,
                                           of.out(0).of<T>() + first, of.out(1).of<T>() + first, counts + row);
    });
  });
}
// flags -> indices as int32, their number (words): length of a row.
template <class Index>
void positions_as(const call& of) {
  const std::size_t length = of.number("length");
  for_each_row(of, length, [&](std::size_t row) {
    const std::size_t first = row * length;
    library::positions_async(of.on(), of.in(0).of<const std::uint8_t>() + first, length, of.out(0).of<Index>() + first,
                             of.out(1).of<std::int64_t>() + row);
  });
}
void positions(const call& of) {
  if (of.out(0).type() == 4) positions_as<std::int32_t>(of);
  else positions_as<std::int64_t>(of);
}

// keys -> the k first of each row, their indices: length of a row, k, smallest, input_order.
void top_k(const call& of) {
  const library::rows rows{of.number("length")};
  const std::size_t n = of.in(0).items(), k = of.number("k");
  const library::top_k_options options{of.number("smallest") != 0, of.number("input_order") != 0};
  with_number(of.in(0).type(), [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    const K* keys = of.in(0).of<const K>();
    K* items = of.out(0).of<K>();
    if (of.out(1).type() == 4) library::top_k(of.on(), keys, n, rows, k, items, of.out(1).of<std::int32_t>(), options);
    else library::top_k(of.on(), keys, n, rows, k, items, of.out(1).of<std::int64_t>(), options);
  });
}
// keys -> the item of a rank of each row: length of a row, rank.
void nth_element(const call& of) {
  with_number(of.in(0).type(), [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    library::nth_element(of.on(), of.in(0).of<const K>(), of.in(0).items(), library::rows{of.number("length")},
                         of.number("rank"), of.out(0).of<K>());
  });
}

// ---- reductions, histograms -----------------------------------------------------------------------------------------
// x, offsets (words) -> results: length of a row of x, how many offsets it has, op, init.
void segmented_reduce(const call& of) {
  const std::size_t length = of.number("length"), count = of.number("offsets");
  const std::size_t rows = of.in(1).items() / (2 * count);
  const library::op by = operator_in(of);
  with_number(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    for (std::size_t row = 0; row < rows; ++row) {
      const library::offsets segments{of.in(1).of<const std::int64_t>() + row * count, count};
      library::segmented_reduce(of.on(), of.in(0).of<const T>() + row * length, length, segments,
                                of.out(0).of<T>() + row * (count - 1), initial_in<T>(of), by);
    }
  });
}
// integers -> counts (words): length of a row, lower, upper.
void histogram_of_values(const call& of) {
  const std::size_t length = of.number("length");
  const library::value_bins bins{of.number("lower"), of.number("upper")};
  with_integer(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    for_each_row(of, length, [&](std::size_t row) {
      library::histogram(of.on(), of.in(0).of<const T>() + row * length, length, bins,
                         of.out(0).of<std::int64_t>() + row * (bins.upper - bins.lower));
    });
  });
}
// floats, edges -> counts (words): length of a row of floats, edges of a row.
void histogram_between_edges(const call& of) {
  const std::size_t length = of.number("length"), edges = of.number("edges");
  with_float(of.in(0).type(), [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    for_each_row(of, length, [&](std::size_t row) {
      library::histogram(of.on(), of.in(0).of<const T>() + row * length, length, of.in(1).of<const T>() + row * edges,
                         edges, of.out(0).of<std::int64_t>() + row * (edges - 1));
    });
  });
}

template <void (*f)(const call&)>
void add(nb::dict& handlers, const char* name) {
  const auto capsule = [](xla::XLA_FFI_Handler* handler) { return nb::capsule(reinterpret_cast<void*>(handler)); };
  handlers[name] = nb::make_tuple(capsule(&xla::handler<f, false>), capsule(&xla::handler<f, true>));
}

}  // namespace

nb::dict jax_handlers() {
  nb::dict handlers;
  add<scan>(handlers, "scan");
  add<scan_by_flags>(handlers, "scan_by_flags");
  add<linear_recurrence>(handlers, "linear_recurrence");
  add<sort>(handlers, "sort");
  add<sort_by_key>(handlers, "sort_by_key");
  add<compact>(handlers, "compact");
  add<partition>(handlers, "partition");
  add<positions>(handlers, "positions");
  add<top_k>(handlers, "top_k");
  add<nth_element>(handlers, "nth_element");
  add<segmented_reduce>(handlers, "segmented_reduce");
  add<histogram_of_values>(handlers, "histogram_of_values");
  add<histogram_between_edges>(handlers, "histogram_between_edges");
  return handlers;
}

}  // namespace onepass::python
