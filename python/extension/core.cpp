// SPDX-License-Identifier: Apache-2.0
// onepass._core: the calls of onepass/library.hpp for Python. Arrays come as addresses or buffers, types and operators as
// numbers (arguments.hpp).
#include "checks.hpp"
#include "jax_calls.hpp"
#include "scans.hpp"

namespace onepass::python {

namespace {

// ---- selection ------------------------------------------------------------------------------------------------------
// These write the count to `count`, or return it where that is None.
std::size_t compact(nb::handle where, nb::handle x, std::size_t n, nb::handle flags, nb::handle out, int bytes,
                    nb::handle count) {
  const input from(x), keep(flags);
  const output to(out), number(count.is_none() ? nb::handle(nb::int_(0)) : count);
  return with_size(bytes, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    return run(where, [&](const auto& on) -> std::size_t {
      const auto* set = keep.of<const std::uint8_t>();
      if (number.is_null()) return library::compact(on, from.of<T>(), n, set, to.of<T>());
      library::compact_async(on, from.of<T>(), n, set, to.of<T>(), number.of<std::int64_t>());
      return 0;
    });
  });
}
std::size_t positions(nb::handle where, nb::handle flags, std::size_t n, nb::handle out, nb::handle count) {
  const input set(flags);
  const output to(out), number(count.is_none() ? nb::handle(nb::int_(0)) : count);
  return run(where, [&](const auto& on) -> std::size_t {
    if (number.is_null()) return library::positions(on, set.of<std::uint8_t>(), n, to.of<std::int64_t>());
    library::positions_async(on, set.of<std::uint8_t>(), n, to.of<std::int64_t>(), number.of<std::int64_t>());
    return 0;
  });
}
std::size_t count_flags(nb::handle where, nb::handle flags, std::size_t n) {
  const input set(flags);
  return run(where, [&](const auto& on) { return library::count_flags(on, set.of<std::uint8_t>(), n); });
}
std::size_t partition(nb::handle where, nb::handle x, std::size_t n, nb::handle flags, nb::handle out_true,
                      nb::handle out_false, int bytes) {
  const input from(x), set(flags);
  const output kept(out_true), others(out_false);
  return with_size(bytes, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    return run(where, [&](const auto& on) {
      return library::stable_partition_copy(on, from.of<T>(), n, set.of<const std::uint8_t>(), kept.of<T>(),
                                            others.of<T>());
    });
  });
}
std::size_t unique(nb::handle where, nb::handle x, std::size_t n, nb::handle out, int type) {
  const input from(x);
  const output to(out);
  return with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    return run(where, [&](const auto& on) { return library::unique_copy(on, from.of<T>(), n, to.of<T>()); });
  });
}

// ---- sorts ----------------------------------------------------------------------------------------------------------
void sort(nb::handle where, nb::handle keys, std::size_t n, int type, bool descending) {
  const output of(keys);
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) { library::radix_sort(on, of.of<K>(), n, {descending}); });
  });
}
void sort_by_key(nb::handle where, nb::handle keys, std::size_t n, nb::handle values, int type, int value_bytes,
                 bool descending) {
  const output of(keys), with(values);
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      if (value_bytes == 4) library::radix_sort_by_key(on, of.of<K>(), n, with.of<std::uint32_t>(), {descending});
      else library::radix_sort_by_key(on, of.of<K>(), n, with.of<std::uint64_t>(), {descending});
    });
  });
}
void argsort(nb::handle where, nb::handle keys, std::size_t n, nb::handle out, int type, int index_bytes,
             bool descending) {
  const input of(keys);
  const output to(out);
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      if (index_bytes == 4) library::argsort(on, of.of<K>(), n, to.of<std::int32_t>(), {descending});
      else library::argsort(on, of.of<K>(), n, to.of<std::int64_t>(), {descending});
    });
  });
}
void segmented_sort(nb::handle where, nb::handle keys, std::size_t n, nb::handle offsets, std::size_t count, int type,
                    bool descending) {
  const output of(keys);
  const input starts(offsets);
  const library::offsets segments{starts.of<const std::int64_t>(), count};
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) { library::segmented_sort(on, of.of<K>(), n, segments, {descending}); });
  });
}
void segmented_sort_by_key(nb::handle where, nb::handle keys, std::size_t n, nb::handle values, nb::handle offsets,
                           std::size_t count, int type, bool descending) {
  const output of(keys), with(values);
  const input starts(offsets);
  const library::offsets segments{starts.of<const std::int64_t>(), count};
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      library::segmented_sort_by_key(on, of.of<K>(), n, with.of<std::uint32_t>(), segments, {descending});
    });
  });
}

// ---- reductions -----------------------------------------------------------------------------------------------------
std::size_t run_length_encode(nb::handle where, nb::handle x, std::size_t n, nb::handle out, nb::handle lengths,
                              int type) {
  const input from(x);
  const output to(out), counts(lengths);
  return with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    return run(where, [&](const auto& on) {
      return library::run_length_encode(on, from.of<T>(), n, to.of<T>(), counts.of<std::int64_t>());
    });
  });
}
std::size_t reduce_by_key(nb::handle where, nb::handle keys, std::size_t n, nb::handle values, nb::handle out_keys,
                          nb::handle out_values, int key_type, int type, int op) {
  const input of(keys), from(values);
  const output to_keys(out_keys), to(out_values);
  const library::op by = operator_of(op);
  return with_unsigned(key_type, [&](auto* key) {
    using K = type_of<decltype(key)>;
    return with_number(type, [&](auto* tag) {
      using T = type_of<decltype(tag)>;
      return run(where, [&](const auto& on) {
        return library::reduce_by_key(on, of.of<K>(), n, from.of<T>(), to_keys.of<K>(), to.of<T>(), by);
      });
    });
  });
}
void segmented_reduce(nb::handle where, nb::handle x, std::size_t n, nb::handle offsets, std::size_t count,
                      nb::handle out, int type, int op, nb::handle init) {
  const input from(x), starts(offsets);
  const output to(out);
  const library::offsets segments{starts.of<const std::int64_t>(), count};
  const library::op by = operator_of(op);
  with_number(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    const T start = initial<T>(init);
    run(where,
        [&](const auto& on) { library::segmented_reduce(on, from.of<T>(), n, segments, to.of<T>(), start, by); });
  });
}

// ---- the k first ----------------------------------------------------------------------------------------------------
void top_k(nb::handle where, nb::handle x, std::size_t n, std::int64_t length, std::size_t k, nb::handle out,
           nb::handle indices, int type, bool smallest, bool input_order) {
  const input from(x);
  const output to(out), beside(indices);
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      library::top_k(on, from.of<K>(), n, library::rows{length}, k, to.of<K>(), beside.of<std::int64_t>(),
                     {smallest, input_order});
    });
  });
}
void nth_element(nb::handle where, nb::handle x, std::size_t n, std::int64_t length, std::size_t rank, nb::handle out,
                 int type) {
  const input from(x);
  const output to(out);
  with_number(type, [&](auto* tag) {
    using K = type_of<decltype(tag)>;
    run(where,
        [&](const auto& on) { library::nth_element(on, from.of<K>(), n, library::rows{length}, rank, to.of<K>()); });
  });
}

// ---- histograms -----------------------------------------------------------------------------------------------------
void histogram_of_values(nb::handle where, nb::handle x, std::size_t n, std::int64_t lower, std::int64_t upper,
                         nb::handle counts, int type) {
  const input from(x);
  const output to(counts);
  with_integer(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      library::histogram(on, from.of<T>(), n, library::value_bins{lower, upper}, to.of<std::int64_t>());
    });
  });
}
void histogram_between_edges(nb::handle where, nb::handle x, std::size_t n, nb::handle edges, std::size_t edge_count,
                             nb::handle counts, int type) {
  const input from(x), between(edges);
  const output to(counts);
  with_float_or_wide(type, [&](auto* tag) {
    using T = type_of<decltype(tag)>;
    run(where, [&](const auto& on) {
      library::histogram(on, from.of<T>(), n, between.of<const T>(), edge_count, to.of<std::int64_t>());
    });
  });
}

template <std::size_t size>
nb::tuple tuple_of(const char* const (&names)[size]) {
  nb::list list;
  for (const char* name : names) list.append(name);
  return nb::tuple(list);
}

}  // namespace

NB_MODULE(_core, m) {
  using nb::arg;
  nb::set_leak_warnings(false);  // objects that the package keeps until the process ends, such as streams, are no leaks
  m.doc() = "The calls of onepass/library.hpp; for the package alone.";
  m.attr("TYPES") = tuple_of(type_names);
  m.attr("OPERATORS") = tuple_of(operator_names);
  m.attr("VERSION") = ONEPASS_PYTHON_VERSION;
  m.attr("BUILT_WITH_CUDA") = bool(ONEPASS_PYTHON_HAS_CUDA);
  nb::exception<onepass::cuda_error>(m, "CudaError", PyExc_RuntimeError).attr("__doc__") =
      "An error of the CUDA runtime, as a call found it: there is no device, or an earlier kernel failed.";
  nb::class_<cuda_stream>(m, "CudaStream")
      .def(nb::new_([](std::uintptr_t stream, int device, nb::object exchange_device, nb::object allocate,
                       nb::object release) {
             return cuda_stream{stream, device, std::move(exchange_device), std::move(allocate), std::move(release)};
           }),
           arg("stream"), arg("device"), arg("exchange_device"), arg("allocate"), arg("release"));
  m.def("has_cuda", &library::has_cuda);
  m.def("jax_handlers", &jax_handlers);
  m.def("release_workspace", &library::release_workspace, nb::call_guard<gil_released>());

  m.def("scan", &scan, arg("where").none(), arg("x"), arg("n"), arg("out"), arg("type"), arg("op"), arg("exclusive"),
        arg("init").none());
  m.def("wide_sum", &wide_sum, arg("where").none(), arg("x"), arg("n"), arg("out"), arg("type"), arg("exclusive"),
        arg("init"));
  m.def("scan_by_flags", &scan_by_flags, arg("where").none(), arg("x"), arg("n"), arg("flags"), arg("out"), arg("type"),
        arg("op"), arg("exclusive"), arg("init").none());
  m.def("scan_by_offsets", &scan_by_offsets, arg("where").none(), arg("x"), arg("n"), arg("offsets"), arg("count"),
        arg("out"), arg("type"), arg("op"), arg("exclusive"), arg("init").none());
  m.def("scan_by_key", &scan_by_key, arg("where").none(), arg("keys"), arg("n"), arg("x"), arg("out"), arg("key_type"),
        arg("type"), arg("op"), arg("exclusive"), arg("init").none());
  m.def("scan_by_columns", &scan_by_columns, arg("where").none(), arg("x"), arg("n"), arg("width"), arg("height"),
        arg("out"), arg("type"), arg("op"), arg("exclusive"), arg("init").none());
  m.def("reverse_sum", &reverse_sum, arg("where").none(), arg("x"), arg("n"), arg("length"), arg("out"), arg("type"));
  m.def("linear_recurrence", &linear_recurrence, arg("where").none(), arg("a"), arg("b"), arg("n"), arg("width"),
        arg("height"), arg("out"), arg("type"), arg("reverse"), arg("next_factor"));
  m.def("count_flags", &count_flags, arg("where").none(), arg("flags"), arg("n"));
  m.def("are_bools", &are_bools, arg("x"), arg("n"));
  m.def("has_nan", &has_nan, arg("x"), arg("n"), arg("type"));
  m.def("are_offsets", &are_offsets, arg("offsets"), arg("count"), arg("n"));
  m.def("compact", &compact, arg("where").none(), arg("x"), arg("n"), arg("flags"), arg("out"), arg("bytes"),
        arg("count").none());
  m.def("positions", &positions, arg("where").none(), arg("flags"), arg("n"), arg("out"), arg("count").none());
  m.def("partition", &partition, arg("where").none(), arg("x"), arg("n"), arg("flags"), arg("out_true"),
        arg("out_false"), arg("bytes"));
  m.def("unique", &unique, arg("where").none(), arg("x"), arg("n"), arg("out"), arg("type"));
  m.def("sort", &sort, arg("where").none(), arg("keys"), arg("n"), arg("type"), arg("descending"));
  m.def("sort_by_key", &sort_by_key, arg("where").none(), arg("keys"), arg("n"), arg("values"), arg("type"),
        arg("value_bytes"), arg("descending"));
  m.def("argsort", &argsort, arg("where").none(), arg("keys"), arg("n"), arg("out"), arg("type"), arg("index_bytes"),
        arg("descending"));
  m.def("segmented_sort", &segmented_sort, arg("where").none(), arg("keys"), arg("n"), arg("offsets"), arg("count"),
        arg("type"), arg("descending"));
  m.def("segmented_sort_by_key", &segmented_sort_by_key, arg("where").none(), arg("keys"), arg("n"), arg("values"),
        arg("offsets"), arg("count"), arg("type"), arg("descending"));
  m.def("run_length_encode", &run_length_encode, arg("where").none(), arg("x"), arg("n"), arg("out"), arg("lengths"),
        arg("type"));
  m.def("reduce_by_key", &reduce_by_key, arg("where").none(), arg("keys"), arg("n"), arg("values"), arg("out_keys"),
        arg("out_values"), arg("key_type"), arg("type"), arg("op"));
  m.def("segmented_reduce", &segmented_reduce, arg("where").none(), arg("x"), arg("n"), arg("offsets"), arg("count"),
        arg("out"), arg("type"), arg("op"), arg("init"));
  m.def("top_k", &top_k, arg("where").none(), arg("x"), arg("n"), arg("length"), arg("k"), arg("out"), arg("indices"),
        arg("type"), arg("smallest"), arg("input_order"));
  m.def("nth_element", &nth_element, arg("where").none(), arg("x"), arg("n"), arg("length"), arg("rank"), arg("out"),
        arg("type"));
  m.def("histogram_of_values", &histogram_of_values, arg("where").none(), arg("x"), arg("n"), arg("lower"),
        arg("upper"), arg("counts"), arg("type"));
  m.def("histogram_between_edges", &histogram_between_edges, arg("where").none(), arg("x"), arg("n"), arg("edges"),
        arg("edge_count"), arg("counts"), arg("type"));
}

}  // namespace onepass::python
