// SPDX-License-Identifier: Apache-2.0
// Draws histograms: by value, with even bins or edges; of items, of weights; of all items, or of rows.
#include <onepass/histogram.hpp>

#include "drawn_bins.hpp"
#include "families.hpp"
#include "refusal.hpp"

namespace fuzz {
namespace {

constexpr std::int64_t most_counts = 1 << 21;  // of all rows

// ---- rows, or all items as one -----------------------------------------------------------------------------------------
struct drawn_rows {
  bool several;
  std::int64_t length, count;

  drawn_rows(dice& d, std::int64_t n, std::int64_t bins) : several(d.coin("rows")), length(n), count(1) {
    if (!several) return;
    const std::int64_t least = n * bins / most_counts + 1;
    length = std::max(least, 1 + d.magnitude("row", 100000));
    count = n / length + (n % length != 0);
  }
  std::int64_t of(std::int64_t i) const { return several ? i / length : 0; }
  // f(what calls take for them...).
  template <class F>
  void pass(const F& f) const {
    if (several) f(onepass::rows(length));
    else f();
  }
  void add(texts& arguments) const {
    if (several) arguments.push_back("onepass::rows(" + number(length) + ")");
  }
};

// The sum of weight(i) over the items i of each bin, row by row.
template <class C, class T, class Bins, class Weight>
std::vector<C> tallied(const Bins& bins, const drawn_rows& rows, const std::vector<T>& items, const Weight& weight) {
  using sum = std::make_unsigned_t<C>;
  std::vector<C> sums(static_cast<std::size_t>(rows.count * bins.count()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t bin = bins.bin_of(items[i]), row = rows.of(static_cast<std::int64_t>(i));
    if (bin < 0) continue;
    C& at = sums[static_cast<std::size_t>(row * bins.count() + bin)];
    at = static_cast<C>(static_cast<sum>(at) + static_cast<sum>(weight(i)));
  }
  return sums;
}

template <class T, class In, template <class> class Bins, class C, class Out>
void counts(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In>> e(c, n);
  const Bins<T> bins(c);
  const drawn_rows rows(c.d, n, bins.count());
  data<T> items = bins.items(c, n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const std::vector<C> expected = tallied<C>(bins, rows, items.items, [](std::size_t) { return 1; });
  range<Out, C> y(c, "y", static_cast<std::int64_t>(expected.size()));
  texts arguments{x.text(), x.text() + " + " + number(n)};
  rows.add(arguments);
  arguments.push_back(bins.text()), arguments.push_back(y.text());
  c.says("histogram", arguments);
  const auto first = x.begin();
  const auto out = y.begin();
  const auto of = bins.argument();
  std::int64_t end = 0;
  rows.pass([&](auto... segments) {
    e.run([&](const auto&... policy) {
      end = onepass::histogram(policy..., first, first + n, segments..., of, out) - out;
    });
  });
  expect_end(end, expected.size());
  y.expect(expected);
  x.expect_unchanged(), bins.expect_unchanged();
}

template <class T, class In, template <class> class Bins, class W, class WeightsIn, class S>
void sums(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T) > sizeof(W) ? sizeof(T) : sizeof(W));
  const execution<in_all_ways<T, In, WeightsIn>> e(c, n);
  const Bins<T> bins(c);
  const drawn_rows rows(c.d, n, bins.count());
  data<T> items = bins.items(c, n);
  data<W> weights = values_for<W>(c.d, "w_", n, domain::any);
  range<In, T> x(c, "x", items);
  range<WeightsIn, W> w(c, "w", weights);
  e.cut(items.items);
  const std::vector<S> expected = tallied<S>(bins, rows, items.items, [&](std::size_t i) { return weights.items[i]; });
  range<pointer, S> y(c, "y", static_cast<std::int64_t>(expected.size()));
  texts arguments{x.text(), x.text() + " + " + number(n), w.text()};
  rows.add(arguments);
  arguments.push_back(bins.text()), arguments.push_back(y.text());
  c.says("weighted_histogram", arguments);
  const auto first = x.begin();
  const auto out = y.begin();
  const auto of = bins.argument();
  std::int64_t end = 0;
  rows.pass([&](auto... segments) {
    e.run([&](const auto&... policy) {
      end = onepass::weighted_histogram(policy..., first, first + n, w.begin(), segments..., of, out) - out;
    });
  });
  expect_end(end, expected.size());
  y.expect(expected);
  x.expect_unchanged(), w.expect_unchanged(), bins.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
struct itself {
  template <class T>
  T operator()(const T& x) const {
    return x;
  }
};
// The iterator of the items; then counts mean nothing.
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const execution e(c, n);
  const by_value<T> bins(c);
  const drawn_rows rows(c.d, n, bins.count());
  data<T> items = bins.items(c, n);
  refuse(items, at);
  range<pointer, T> x(c, "x", items);
  const auto expected = tallied<std::int64_t>(bins, rows, items.items, [](std::size_t) { return 1; });
  range<pointer, std::int64_t> y(c, "y", static_cast<std::int64_t>(expected.size()));
  texts arguments{"thrust::make_transform_iterator(" + x.text() + ", " + refusing_text("itself{}") + ")", number(n)};
  rows.add(arguments);
  arguments.push_back(bins.text()), arguments.push_back(y.text());
  c.says("histogram", arguments);
  const auto call = [&](bool refuses) {
    const auto first = thrust::make_transform_iterator(x.begin(), refusing<itself>{refuses});
    rows.pass([&](auto... segments) {
      e.run([&](const auto&... policy) {
        onepass::histogram(policy..., first, first + n, segments..., bins.argument(), y.begin());
      });
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(); });
  y.expect(expected);
}
#endif

template <class T>
using edges = edges_in<pointer>::bins<T>;
template <class T>
using permuted_edges = edges_in<permuted>::bins<T>;

}  // namespace

const std::vector<shape>& histogram_shapes() {
  static const std::vector<shape> all = {
    {"int32", counts<std::int32_t, pointer, by_value, std::int32_t, pointer>},
    {"uint8", counts<std::uint8_t, pointer, by_value, std::uint32_t, pointer>},
    {"float even", counts<float, pointer, even, std::int32_t, pointer>},
    {"int32 even", counts<std::int32_t, pointer, even, std::int32_t, pointer>},
    {"int32 by edges", counts<std::int32_t, pointer, edges, std::int64_t, pointer>},
    {"int32 weighed by int32", sums<std::int32_t, pointer, by_value, std::int32_t, pointer, std::int32_t>},
    {"uint16 weighed by int8", sums<std::uint16_t, pointer, by_value, std::int8_t, pointer, std::int64_t>},
    {"int64 transformed", counts<std::int64_t, transformed, by_value, std::int32_t, pointer>},
    {"double reverse by edges weighed by uint64 permuted",
     sums<double, reverse, edges, std::uint64_t, permuted, std::uint64_t>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", counts<std::int32_t, deque, by_value, std::int64_t, live>},
    {"int32 throwing", throwing<std::int32_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"bool", counts<bool, pointer, by_value, std::int32_t, pointer>},
    {"int16", counts<std::int16_t, pointer, by_value, std::uint64_t, pointer>},
    {"uint64 permuted", counts<std::uint64_t, permuted, by_value, std::int64_t, pointer>},
    {"uint32 counting", counts<std::uint32_t, counting, by_value, std::int32_t, pointer>},
    {"double even", counts<double, pointer, even, std::int64_t, pointer>},
    {"uint8 even", counts<std::uint8_t, pointer, even, std::int64_t, pointer>},
    {"uint64 even permuted", counts<std::uint64_t, permuted, even, std::int64_t, pointer>},
    {"float by permuted edges", counts<float, pointer, permuted_edges, std::int32_t, pointer>},
    {"int8 by edges", counts<std::int8_t, pointer, edges, std::int32_t, pointer>},
    {"float even weighed by uint32 constant", sums<float, pointer, even, std::uint32_t, constant, std::uint32_t>},
#endif
  };
  return all;
}

}  // namespace fuzz
