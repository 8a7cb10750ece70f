// SPDX-License-Identifier: Apache-2.0
// Draws scans: inclusive, exclusive, transformed.
#include <onepass/scan.hpp>

#include <cuda/std/functional>

#include "../support/references.hpp"
#include "families.hpp"
#include "zip.hpp"
#include "ranges.hpp"
#include "refusal.hpp"

namespace fuzz {

// The standard's is not for devices.
#if ONEPASS_HAS_CUDA
using plus = ::cuda::std::plus<>;
template <>
struct about_operator<plus> {
  static constexpr named_operator value{"::cuda::std::plus<>{}", "", domain::small};
};
#else
using plus = std::plus<>;
#endif

namespace {

struct twice {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& x) const {
    if constexpr (is_struct<T>) return x * x;
    else return static_cast<T>(x + x);
  }
  static constexpr const char* text =
      "struct twice { template <class T> HD T operator()(T x) const { return T(x + x); } };\n";
};

template <class T, class Op>
T initial_for() {
  return value_of_bits<T>(described<Op>.items == domain::ones && !is_struct<T> ? ~std::uint64_t{0} : 5);
}

template <class T, class Op>
std::vector<T> reference(int form, const std::vector<T>& items, Op op, T init) {
  if (form == 0 || form == 3) return test::inclusive_reference<T>(items, op);
  if (form == 1) return test::inclusive_reference<T>(items, op, init);
  return test::exclusive_reference<T>(items, op, init);
}

// The call's forms: 0 inclusive, 1 with an initial value, 2 exclusive; for sums without an operator: 3 inclusive, 4 exclusive,
// 5 from 0.
template <class Execution, class In, class Out, class T, class Op>
void call_form(const Execution& e, int form, In first, std::int64_t n, Out out, T init, Op op) {
  std::int64_t end = 0;
  e.run([&](const auto&... policy) {
    if (form == 0) end = onepass::inclusive_scan(policy..., first, first + n, out, op) - out;
    if (form == 1) end = onepass::inclusive_scan(policy..., first, first + n, out, init, op) - out;
    if (form == 2) end = onepass::exclusive_scan(policy..., first, first + n, out, init, op) - out;
    if constexpr (std::is_same_v<Op, onepass::sum>) {
      if (form == 3) end = onepass::inclusive_scan(policy..., first, first + n, out) - out;
      if (form == 4) end = onepass::exclusive_scan(policy..., first, first + n, out, init) - out;
      if (form == 5) end = onepass::exclusive_scan(policy..., first, first + n, out) - out;
    }
  });
  expect_end(end, static_cast<std::size_t>(n));
}

template <class T, class In, class Out, class Op>
void plain(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const int form = static_cast<int>(c.d.below("form", std::is_same_v<Op, onepass::sum> ? 6 : 3));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const Op op{};
  const T init = form == 5 ? T() : initial_for<T, Op>();
  const auto says = [&](const std::string& out) {
    c.define(described<Op>.definition);
    texts arguments{x.text(), x.text() + " + " + number(n), out};
    if (form == 1 || form == 2 || form == 4)
      arguments.push_back(name_of<T>() + (is_struct<T> ? text_of(init) : "(" + text_of(init) + ")"));
    if (form < 3) arguments.push_back(described<Op>.name);
    c.says(form == 2 || form > 3 ? "exclusive_scan" : "inclusive_scan", arguments);
  };
  const std::vector<T> expected = reference(form, items.items, op, init);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      says(x.text());
      call_form(e, form, x.begin(), n, x.begin(), init, op);
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", n);
  says(y.text());
  call_form(e, form, x.begin(), n, y.begin(), init, op);
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class In, class Out, class Op>
void transformed_items(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const int form = static_cast<int>(c.d.below("form", 3));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  range<Out, T> y(c, "y", n);
  const Op op;
  const T init = initial_for<T, Op>();
  std::vector<T> unary;
  for (const T item : items.items) unary.push_back(twice{}(item));
  c.define(twice::text);
  c.define(described<Op>.definition);
  if (form == 0)
    c.says("transform_inclusive_scan",
           {x.text(), x.text() + " + " + number(n), y.text(), "twice{}", described<Op>.name});
  else
    c.says(form == 1 ? "transform_inclusive_scan" : "transform_exclusive_scan",
           {x.text(), x.text() + " + " + number(n), y.text(), "twice{}", name_of<T>() + "(" + text_of(init) + ")",
            described<Op>.name});
  std::int64_t end = 0;
  const auto first = x.begin();
  const auto out = y.begin();
  e.run([&](const auto&... policy) {
    if (form == 0) end = onepass::transform_inclusive_scan(policy..., first, first + n, out, twice{}, op) - out;
    if (form == 1) end = onepass::transform_inclusive_scan(policy..., first, first + n, out, twice{}, init, op) - out;
    if (form == 2) end = onepass::transform_exclusive_scan(policy..., first, first + n, out, twice{}, init, op) - out;
  });
  expect_end(end, static_cast<std::size_t>(n));
  y.expect(reference(form, unary, op, init));
  x.expect_unchanged();
}

// Fractions, whose sums are rounded: close to what double gives, and the same bits with any number of threads.
template <class T>
void rounded(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const std::uint64_t seed = c.d.seed("seed");
  execution e(c, n);
  data<T> items{{}, "(h(" + number(static_cast<std::int64_t>(seed)) + ", i) >> 11) * 0x1p-53"};
  for (std::int64_t i = 0; i < n; ++i)
    items.items.push_back(
        static_cast<T>(static_cast<double>(hash(seed, static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53));
  range<pointer, T> x(c, "x", items), y(c, "y", n), z(c, "z", n);
  for (const auto* out : {&y, &z}) {
    c.says("inclusive_scan", {x.text(), x.text() + " + " + number(n), out->text()});
    e.run([&](const auto&... policy) { onepass::inclusive_scan(policy..., x.begin(), x.begin() + n, out->begin()); });
    e.take_other_threads();
  }
  const std::vector<T> sums = y.now();
  z.expect(sums);
  double sum = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sum += static_cast<double>(items.items[i]);
    expect_about("y", i, sums[i], sum, static_cast<double>(i) + 1);
  }
}

#if !ONEPASS_HAS_CUDA
// The operator throws, or what is applied to each item before.
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const bool unary = c.d.coin("unary");
  const execution e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::small);
  refuse(items, at);
  range<pointer, T> x(c, "x", items), y(c, "y", n);
  const std::string last = x.text() + " + " + number(n);
  if (unary) c.says("transform_inclusive_scan", {x.text(), last, y.text(), refusing_text("twice{}"), "my_sum{}"});
  else c.says("inclusive_scan", {x.text(), last, y.text(), refusing_text("my_sum{}")});
  const auto first = x.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      if (unary)
        onepass::transform_inclusive_scan(policy..., first, first + n, y.begin(), refusing<twice>{refuses}, my_sum());
      else onepass::inclusive_scan(policy..., first, first + n, y.begin(), refusing<my_sum>{refuses});
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(); });
  std::vector<T> read = items.items;
  if (unary) std::transform(read.begin(), read.end(), read.begin(), twice());
  y.expect_begin(test::inclusive_reference<T>(read, my_sum()));
}
#endif

}  // namespace

const std::vector<shape>& scan_shapes() {
  static const std::vector<shape> all = {
    {"int32 sum", plain<std::int32_t, pointer, pointer, onepass::sum>},
    {"int32 my_sum", plain<std::int32_t, pointer, pointer, my_sum>},
    {"uint8 sum", plain<std::uint8_t, pointer, pointer, onepass::sum>},
    {"uint32 plus", plain<std::uint32_t, pointer, pointer, plus>},
    {"double sum", plain<double, pointer, pointer, onepass::sum>},
    {"b12", plain<b12, pointer, pointer, my_product>},
    {"b24", plain<b24, pointer, pointer, my_product>},
    {"int32 reverse", plain<std::int32_t, reverse, reverse, onepass::sum>},
    {"int64 permuted", plain<std::int64_t, permuted, permuted, onepass::sum>},
    {"int32 transformed", plain<std::int32_t, transformed, pointer, onepass::sum>},
    {"float discard", plain<float, pointer, discard, onepass::sum>},
    {"zipped", plain<b8_b8, zipped, zipped, sum_of_both>},
    {"int32 twice", transformed_items<std::int32_t, pointer, pointer, onepass::sum>},
    {"float rounded", rounded<float>},
#if !ONEPASS_HAS_CUDA
    {"int64 deque", plain<std::int64_t, deque, deque, onepass::sum>},
    {"word", plain<word, live, live, my_product>},
    {"int64 throwing", throwing<std::int64_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"int8 max", plain<std::int8_t, pointer, pointer, onepass::maximum>},
    {"int16 sum", plain<std::int16_t, pointer, pointer, onepass::sum>},
    {"uint32 latter", plain<std::uint32_t, pointer, pointer, latter>},
    {"uint32 xor", plain<std::uint32_t, pointer, pointer, onepass::bit_xor>},
    {"int64 sum", plain<std::int64_t, pointer, pointer, onepass::sum>},
    {"uint64 product", plain<std::uint64_t, pointer, pointer, onepass::product>},
    {"float sum", plain<float, pointer, pointer, onepass::sum>},
    {"bool or", plain<bool, pointer, pointer, onepass::logical_or>},
    {"b3", plain<b3, pointer, pointer, my_product>},
    {"b8", plain<b8, pointer, pointer, onepass::product>},
    {"b16", plain<b16, pointer, pointer, my_product>},
    {"b32", plain<b32, pointer, pointer, my_product>},
    {"b12 reverse", plain<b12, reverse, pointer, my_product>},
    {"uint32 counting", plain<std::uint32_t, counting, pointer, onepass::sum>},
    {"int64 constant", plain<std::int64_t, constant, reverse, my_sum>},
    {"uint8 twice", transformed_items<std::uint8_t, pointer, pointer, my_sum>},
    {"double twice", transformed_items<double, reverse, pointer, onepass::sum>},
    {"double rounded", rounded<double>},
#endif
  };
  return all;
}

}  // namespace fuzz
