// SPDX-License-Identifier: Apache-2.0
// Draws scans and reductions of columns: of one array and of several, with the last row and the last array cut off or whole.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include "families.hpp"
#include "refusal.hpp"

namespace fuzz {
namespace {

// Arrays of `height` rows of `width` items, one behind another: item i + width follows item i.
struct arrays {
  std::int64_t n, width, height;
  bool one;  // the call is given no height

  explicit arrays(test_case& c, std::size_t item_bytes, std::int64_t least = 0) : n(least + c.d.size("n", item_bytes)) {
    width = 1 + (c.d.coin("narrow") ? c.d.below("few", 5) : c.d.magnitude("width", 100000));
    one = !c.d.coin("several");
    height = one ? std::numeric_limits<std::int64_t>::max() : 1 + c.d.magnitude("height", 20000);
    if (c.d.coin("whole") && n > least) n = std::max(least, n / width * width);
  }
  bool is_first(std::int64_t i) const { return i / width % height == 0; }
  // The number of an item's column, in the order of the columns' first items.
  std::size_t column(std::int64_t i) const { return static_cast<std::size_t>(i / width / height * width + i % width); }
  std::size_t columns() const {
    std::size_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += is_first(i);
    return count;
  }
  auto argument() const { return one ? onepass::columns(width) : onepass::columns(width, height); }
  std::string text() const { return "onepass::columns(" + number(width) + (one ? "" : ", " + number(height)) + ")"; }
};

// Of the items that are there: some of the arrays' n, where the policy has a size.
template <class T, class Op>
std::vector<T> scanned(const arrays& a, const std::vector<T>& items, const T* init, Op op) {
  std::vector<T> results = items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_first = a.is_first(static_cast<std::int64_t>(i));
    const std::size_t above = i - (is_first ? 0 : static_cast<std::size_t>(a.width));
    if (init != nullptr) results[i] = is_first ? *init : static_cast<T>(op(results[above], items[above]));
    else if (!is_first) results[i] = static_cast<T>(op(results[above], items[i]));
  }
  return results;
}
template <class T, class Op>
std::vector<T> reduced(const arrays& a, const std::vector<T>& items, const T& init, Op op) {
  const std::vector<T> inclusive = scanned<T>(a, items, nullptr, op);
  std::vector<T> results(a.columns(), init);
  for (std::size_t i = 0; i < items.size(); ++i)  // a column's last item comes last
    results[a.column(static_cast<std::int64_t>(i))] = static_cast<T>(op(init, inclusive[i]));
  return results;
}

template <class T, class Op>
T initial_for() {
  return value_of_bits<T>(described<Op>.items == domain::ones && !is_struct<T> ? ~std::uint64_t{0} : 5);
}
template <class T>
std::string text_of_initial(const T& init) {
  return name_of<T>() + (is_struct<T> || is_word<T> ? text_of(init) : "(" + text_of(init) + ")");
}

template <class T, class In, class Out, class Op>
void scan(test_case& c) {
  const arrays a(c, sizeof(T));
  const bool exclusive = c.d.coin("exclusive");
  const execution<in_all_ways<T, In, Out>> e(c, a.n);
  data<T> items = values_for<T>(c.d, "x_", a.n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const T init = initial_for<T, Op>();
  c.define(described<Op>.definition);
  const auto call = [&](const auto& first, const auto& out, const std::string& out_text) {
    texts arguments{x.text(), x.text() + " + " + number(a.n), a.text(), out_text};
    if (exclusive) arguments.push_back(text_of_initial(init));
    arguments.push_back(described<Op>.name);
    c.says(exclusive ? "exclusive_segmented_scan" : "inclusive_segmented_scan", arguments);
    std::int64_t end = 0;
    e.run([&](const auto&... policy) {
      if (exclusive)
        end = onepass::exclusive_segmented_scan(policy..., first, first + a.n, a.argument(), out, init, Op()) - out;
      else end = onepass::inclusive_segmented_scan(policy..., first, first + a.n, a.argument(), out, Op()) - out;
    });
    expect_end(end, static_cast<std::size_t>(a.n));
  };
  const std::vector<T> expected = scanned(a, items.items, exclusive ? &init : nullptr, Op());
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      call(x.begin(), x.begin(), x.text());
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", a.n);
  call(x.begin(), y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class In, class Out, class Op>
void reduce(test_case& c) {
  const arrays a(c, sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, a.n);
  data<T> items = values_for<T>(c.d, "x_", a.n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const T init = initial_for<T, Op>();
  const std::vector<T> expected = reduced(a, items.items, init, Op());
  range<Out, T> y(c, "y", static_cast<std::int64_t>(expected.size()));
  c.define(described<Op>.definition);
  c.says("segmented_reduce",
         {x.text(), x.text() + " + " + number(a.n), a.text(), y.text(), text_of_initial(init), described<Op>.name});
  const auto first = x.begin();
  const auto out = y.begin();
  std::int64_t end = 0;
  e.run([&](const auto&... policy) {
    end = onepass::segmented_reduce(policy..., first, first + a.n, a.argument(), out, init, Op()) - out;
  });
  expect_end(end, expected.size());
  y.expect(expected);
  x.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
template <class T>
void throwing(test_case& c) {
  const arrays a(c, sizeof(T), 2);
  std::int64_t at = c.d.below("at", a.n);
  while (at < a.n && a.is_first(at)) ++at;  // with the first item of a column the functor may not be called
  const bool reduces = c.d.coin("reduce");
  const execution e(c, a.n);
  data<T> items = values_for<T>(c.d, "x_", a.n, domain::small);
  refuse(items, at);
  const T init = 5;
  const std::vector<T> expected =
      reduces ? reduced(a, items.items, init, my_sum()) : scanned<T>(a, items.items, nullptr, my_sum());
  range<pointer, T> x(c, "x", items), y(c, "y", static_cast<std::int64_t>(expected.size()));
  texts arguments{x.text(), x.text() + " + " + number(a.n), a.text(), y.text(), refusing_text("my_sum{}")};
  if (reduces) arguments.insert(arguments.begin() + 4, text_of_initial(init));
  c.says(reduces ? "segmented_reduce" : "inclusive_segmented_scan", arguments);
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<my_sum> op{refuses};
      const auto first = x.begin();
      if (reduces) onepass::segmented_reduce(policy..., first, first + a.n, a.argument(), y.begin(), init, op);
      else onepass::inclusive_segmented_scan(policy..., first, first + a.n, a.argument(), y.begin(), op);
    });
  };
  expect_refusal(at < a.n, call, [&] { x.expect_unchanged(); });
  y.expect_begin(expected);
}
#endif

}  // namespace

const std::vector<shape>& columns_shapes() {
  using onepass::sum;
  static const std::vector<shape> all = {
    {"int32", scan<std::int32_t, pointer, pointer, sum>},
    {"int32 reduced", reduce<std::int32_t, pointer, pointer, sum>},
    {"uint8", scan<std::uint8_t, pointer, pointer, sum>},
    {"b24", scan<b24, pointer, pointer, my_product>},
    {"b3", scan<b3, pointer, pointer, my_product>},
    {"int64 my_sum reduced", reduce<std::int64_t, pointer, pointer, my_sum>},
    {"b12 reduced", reduce<b12, pointer, pointer, my_product>},
    {"int32 reverse", scan<std::int32_t, reverse, reverse, sum>},
    {"int64 transformed to permuted", scan<std::int64_t, transformed, permuted, sum>},
    {"uint32 permuted to reverse reduced", reduce<std::uint32_t, permuted, reverse, onepass::maximum>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", scan<std::int32_t, deque, deque, sum>},
    {"word", scan<word, live, live, my_product>},
    {"word reduced", reduce<word, live, live, my_product>},
    {"int64 throwing", throwing<std::int64_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"float max", scan<float, pointer, pointer, onepass::maximum>},
    {"int16 my_sum", scan<std::int16_t, pointer, pointer, my_sum>},
    {"double", scan<double, pointer, pointer, sum>},
    {"uint64 xor", scan<std::uint64_t, pointer, pointer, onepass::bit_xor>},
    {"uint32 counting to discard", scan<std::uint32_t, counting, discard, sum>},
    {"uint8 reduced", reduce<std::uint8_t, pointer, pointer, sum>},
    {"float reduced", reduce<float, pointer, pointer, sum>},
    {"double min reduced", reduce<double, pointer, pointer, onepass::minimum>},
#endif
  };
  return all;
}

}  // namespace fuzz
