// SPDX-License-Identifier: Apache-2.0
// Calls drawn at random: which one, type, size, alignment, in place or not, operator, segments, order of keys. A few at a
// time go to one stream without a wait between them; then each is compared with its reference.
// ONEPASS_TEST_ROUNDS=N in the environment makes N rounds instead of 30 (3 where tests are kept small): a long one looks for
// what no other test has thought of. This file is over 300 lines because each call has a function here.
#include <cstdlib>
#include <functional>

#include "library/draw.hpp"

namespace {

using test::counted;
using test::dice;
using test::output;
using test::placed;

struct call {
  std::function<void()> launch;
  std::function<void()> compare;  // its results
};
constexpr int calls_a_round = 6;

// Keys of a call by key: integers have some of their own type.
template <class T, class Else>
using key_beside = std::conditional_t<std::is_integral_v<T>, T, Else>;

template <class T>
call scan(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size();
  const library::op by = draw.op(std::is_integral_v<T>);
  const std::vector<T> values = test::operands<T>(n, draw.bits(), by);
  const placed<T> in(where, draw, values);
  const output<T> out(where, draw, in, n);
  const test::applied<T> op{by};
  const T init = by == library::op::product ? T(-1) : T(5);
  const std::size_t form = draw.below(3);
  const std::vector<T> expected = form == 0   ? test::inclusive_reference<T>(values, op)
                                  : form == 1 ? test::inclusive_reference<T>(values, op, init)
                                              : test::exclusive_reference<T>(values, op, init);
  const auto launch = [=] {
    if (form == 0) library::inclusive_scan<T>(where, in.data(), n, out.data(), by);
    if (form == 1) library::inclusive_scan<T>(where, in.data(), n, out.data(), init, by);
    if (form == 2) library::exclusive_scan<T>(where, in.data(), n, out.data(), init, by);
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message()
                         << "scan, n " << n << ", form " << form << ", operator " << static_cast<int>(by));
            out.expect(expected);
          }};
}

template <class T>
call segmented_scan(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size(), means[] = {0, 1, 3, 60, 5000}, mean = means[draw.below(5)];
  const library::op by = draw.op(std::is_integral_v<T>);
  const std::vector<T> values = test::operands<T>(n, draw.bits(), by);
  const std::vector<std::int64_t> starts = test::segment_starts(n, draw.bits(), mean);
  using K = key_beside<T, std::int8_t>;
  const std::vector<K> all_keys = test::keys_of<K>(starts, n, draw.bits());
  const std::size_t form = draw.below(3);
  const std::vector<std::uint8_t> heads = form == 2 ? test::heads_of_keys(all_keys) : test::flags_at(starts, n);
  const placed<T> in(where, draw, values);
  const output<T> out(where, draw, in, n);
  const placed<std::uint8_t> flags(where, draw, heads);
  const placed<std::int64_t> first(where, draw, starts);
  const placed<K> keys(where, draw, all_keys);
  const test::applied<T> op{by};
  const T init = by == library::op::product ? T(-1) : T(5);
  const bool inclusive = draw.coin();
  const std::vector<T> expected = inclusive ? test::inclusive_segmented_reference(values, heads, op)
                                            : test::exclusive_segmented_reference(values, heads, init, op);
  const auto by_heads = [=](const auto& of) {
    if (inclusive) library::inclusive_segmented_scan<T>(where, in.data(), n, of, out.data(), by);
    else library::exclusive_segmented_scan<T>(where, in.data(), n, of, out.data(), init, by);
  };
  const auto launch = [=] {
    if (form == 0) by_heads(static_cast<const std::uint8_t*>(flags.data()));
    else if (form == 1) by_heads(library::offsets{first.data(), starts.size()});
    else if (inclusive) library::inclusive_scan_by_key<K, T>(where, keys.data(), n, in.data(), out.data(), by);
    else library::exclusive_scan_by_key<K, T>(where, keys.data(), n, in.data(), out.data(), init, by);
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message() << "segmented scan, n " << n << ", mean " << mean << ", inclusive "
                                            << inclusive << ", form " << form << ", operator " << static_cast<int>(by));
            out.expect(expected);
          }};
}

template <class T>
call compact(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size();
  const double shares[] = {0, 0.01, 0.5, 0.99, 1}, share = shares[draw.below(5)];
  const std::vector<T> values = test::random_values<T>(n, draw.bits());
  const std::vector<std::uint8_t> keep = test::random_flags(n, draw.bits(), share);
  const std::vector<T> expected = test::kept(values, keep), others = test::kept(values, keep, false);
  const placed<T> in(where, draw, values);
  const output<T> out(where, draw, in, n);
  const placed<T> rest(where, draw, others.size()), chosen(where, draw, expected.size());
  const placed<std::uint8_t> flags(where, draw, keep);
  const placed<std::int64_t> count(where, draw, std::size_t{1});
  const bool partitions = draw.coin();
  const auto launch = [=] {
    if (partitions) {
      library::stable_partition_copy_async<T>(where, in.data(), n, flags.data(), chosen.data(), rest.data(),
                                              count.data());
    } else {
      library::compact_async<T>(where, in.data(), n, flags.data(), out.data(), count.data());
    }
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message()
                         << "compact, n " << n << ", share " << share << ", partitions " << partitions);
            count.expect({static_cast<std::int64_t>(expected.size())});
            if (!partitions) return out.expect(expected);
            chosen.expect(expected);
            rest.expect(others);
          }};
}

template <class T>
call unique(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size(), means[] = {0, 1, 3, 60}, mean = means[draw.below(4)];
  const std::vector<T> keys = test::keys_of<T>(test::segment_starts(n, draw.bits(), mean), n, draw.bits());
  const std::vector<std::uint8_t> is_first = test::heads_of_keys(keys);
  const std::vector<std::uint32_t> index = counted<std::uint32_t>(n);
  const std::vector<T> expected = test::kept(keys, is_first);
  const std::vector<std::uint32_t> expected_index = test::kept(index, is_first);
  const placed<T> in(where, draw, keys);
  const placed<std::uint32_t> values(where, draw, index), out_values(where, draw, n);
  const placed<T> out(where, draw, n);
  const placed<std::int64_t> count(where, draw, std::size_t{1});
  const std::size_t form = draw.below(4);
  const auto launch = [=] {
    using V = std::uint32_t;
    if (form == 0) library::unique_copy_async<T>(where, in.data(), n, out.data(), count.data());
    if (form == 1) library::unique_async<T>(where, in.data(), n, count.data());
    if (form == 2)
      library::unique_by_key_copy_async<T, V>(where, in.data(), n, values.data(), out.data(), out_values.data(),
                                              count.data());
    if (form == 3) library::unique_by_key_async<T, V>(where, in.data(), n, values.data(), count.data());
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message() << "unique, n " << n << ", mean " << mean << ", form " << form);
            count.expect({static_cast<std::int64_t>(expected.size())});
            if (form % 2 == 0) out.expect(expected);
            else in.expect_begin(expected);
            if (form == 2) out_values.expect(expected_index);
            if (form == 3) values.expect_begin(expected_index);
          }};
}

// Keys alone or with values of 4 or 8 bytes.
template <class T>
call sort(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size(), form = draw.below(3);
  const test::pattern pattern = test::all_patterns[draw.below(6)];
  library::radix_options options{draw.coin(), 0, 8 * sizeof(T)};
  if (draw.coin()) {
    options.begin_bit = draw.between(0, options.end_bit);
    options.end_bit = draw.between(options.begin_bit, options.end_bit);
  }
  const std::vector<T> all = test::keys<T>(n, draw.bits(), pattern);
  const std::vector<std::size_t> order =
      test::sorted_order(all, options.descending, options.begin_bit, options.end_bit);
  const std::vector<std::uint32_t> narrow(order.begin(), order.end());
  const std::vector<double> wide(order.begin(), order.end());
  const placed<T> keys(where, draw, all);
  const placed<std::uint32_t> narrow_values(where, draw, counted<std::uint32_t>(n));
  const placed<double> wide_values(where, draw, counted<double>(n));
  const auto launch = [=] {
    if (form == 0) library::radix_sort<T>(where, keys.data(), n, options);
    if (form == 1) library::radix_sort_by_key(where, keys.data(), n, narrow_values.data(), options);
    if (form == 2) library::radix_sort_by_key(where, keys.data(), n, wide_values.data(), options);
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message()
                         << "sort, n " << n << ", " << test::name_of(pattern) << ", bits " << options.begin_bit
                         << " to " << options.end_bit << ", descending " << options.descending << ", form " << form);
            keys.expect_begin(test::arranged(all, order));
            if (form == 1) narrow_values.expect_begin(narrow);
            if (form == 2) wide_values.expect_begin(wide);
          }};
}

template <class T>
call split(const library::execution& where, dice& draw) {
  if constexpr (!std::is_integral_v<T>) return scan<T>(where, draw);
  else {
    const std::size_t n = draw.size();
    const library::digit by{draw.between(0, 8 * sizeof(T) - 8), draw.between(1, 8)};
    const std::vector<T> values = test::keys<T>(n, draw.bits(), test::all_patterns[draw.below(6)]);
    const std::vector<std::make_unsigned_t<T>> as_unsigned(values.begin(), values.end());
    const std::vector<T> expected =
        test::arranged(values, test::sorted_order(as_unsigned, false, by.shift, by.shift + by.bits));
    const placed<T> in(where, draw, values), out(where, draw, n);
    return {[=] { library::split<T>(where, in.data(), n, out.data(), by); },
            [=] {
              SCOPED_TRACE(testing::Message() << "split, n " << n << ", bit " << by.shift << ", bits " << by.bits);
              out.expect(expected);
            }};
  }
}

template <class T>
call argsort(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size();
  const bool descending = draw.coin(), is_narrow = draw.coin();
  const std::vector<T> all = test::keys<T>(n, draw.bits(), test::all_patterns[draw.below(6)]);
  const std::vector<std::size_t> order = test::sorted_order(all, descending);
  const placed<T> keys(where, draw, all);
  const placed<std::uint32_t> narrow(where, draw, n);
  const placed<std::int64_t> wide(where, draw, n);
  const auto launch = [=] {
    if (is_narrow) library::argsort(where, keys.data(), n, narrow.data(), {descending});
    else library::argsort(where, keys.data(), n, wide.data(), {descending});
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message() << "argsort, n " << n << ", descending " << descending);
            keys.expect_begin(all);
            if (is_narrow) narrow.expect({order.begin(), order.end()});
            else wide.expect({order.begin(), order.end()});
          }};
}

template <class T>
call reduce(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size(), means[] = {0, 1, 3, 60, 5000}, mean = means[draw.below(5)];
  const library::op by = draw.op(std::is_integral_v<T>);
  const std::vector<T> values = test::operands<T>(n, draw.bits(), by);
  const std::vector<std::int64_t> starts = test::segment_starts(n, draw.bits(), mean);
  using K = key_beside<T, std::uint64_t>;
  const std::vector<K> all_keys = test::keys_of<K>(starts, n, draw.bits());
  const std::vector<std::uint8_t> heads = test::heads_of_keys(all_keys);
  const std::vector<T> expected =
      test::ends_of(test::inclusive_segmented_reference(values, heads, test::applied<T>{by}), heads);
  const std::vector<K> expected_keys = test::kept(all_keys, heads);
  const placed<T> in(where, draw, values), out(where, draw, expected.size());
  const placed<K> keys(where, draw, all_keys), out_keys(where, draw, expected.size());
  const placed<std::int64_t> count(where, draw, std::size_t{1});
  const auto launch = [=] {
    library::reduce_by_key_async<K, T>(where, keys.data(), n, in.data(), out_keys.data(), out.data(), count.data(), by);
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message()
                         << "reduce by key, n " << n << ", mean " << mean << ", operator " << static_cast<int>(by));
            count.expect({static_cast<std::int64_t>(expected.size())});
            out_keys.expect(expected_keys);
            out.expect(expected);
          }};
}

// Of all items, or of rows.
template <class T>
call top_k(const library::execution& where, dice& draw) {
  const std::size_t n = draw.size(), length = n == 0 || draw.coin() ? n : 1 + draw.below(n),
                    rows = n / std::max<std::size_t>(length, 1);
  const std::size_t k = draw.below(length + 1) / (draw.coin() ? 1 : 100);
  const bool smallest = draw.coin();
  const std::vector<T> all = test::keys<T>(rows * length, draw.bits(), test::all_patterns[draw.below(6)]);
  std::vector<T> expected;
  std::vector<std::uint32_t> expected_indices;
  for (std::size_t begin = 0; begin < all.size(); begin += length) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<T> row(first, first + static_cast<std::ptrdiff_t>(length));
    const std::vector<std::size_t> order = test::sorted_order(row, !smallest);
    for (std::size_t i = 0; i < k; ++i) {
      expected.push_back(row[order[i]]);
      expected_indices.push_back(static_cast<std::uint32_t>(order[i]));
    }
  }
  const placed<T> keys(where, draw, all), out(where, draw, rows * k);
  const placed<std::uint32_t> indices(where, draw, rows * k);
  const auto launch = [=] {
    const library::rows of{static_cast<std::int64_t>(std::max<std::size_t>(length, 1))};
    library::top_k(where, static_cast<const T*>(keys.data()), all.size(), of, k, out.data(), indices.data(),
                   {smallest});
  };
  return {launch, [=] {
            SCOPED_TRACE(testing::Message() << "top_k, " << rows << " rows of " << length << ", k " << k);
            out.expect(expected);
            indices.expect(expected_indices);
          }};
}

template <class T>
call one_of_all(const library::execution& where, dice& draw) {
  switch (draw.below(9)) {
    case 0: return scan<T>(where, draw);
    case 1: return segmented_scan<T>(where, draw);
    case 2: return compact<T>(where, draw);
    case 3: return unique<T>(where, draw);
    case 4: return split<T>(where, draw);
    case 5: return argsort<T>(where, draw);
    case 6: return reduce<T>(where, draw);
    case 7: return top_k<T>(where, draw);
    default: return sort<T>(where, draw);
  }
}

std::uint64_t rounds() {
  const char* value = std::getenv("ONEPASS_TEST_ROUNDS");
  return value != nullptr ? std::strtoull(value, nullptr, 10) : test::small_only() ? 3 : 30;
}

}  // namespace

LIBRARY_TEST(library, random_calls) {
  constexpr call (*of_type[])(const library::execution&, dice&) = {
      one_of_all<std::int8_t>,  one_of_all<std::uint8_t>,  one_of_all<std::int16_t>, one_of_all<std::uint16_t>,
      one_of_all<std::int32_t>, one_of_all<std::uint32_t>, one_of_all<std::int64_t>, one_of_all<std::uint64_t>,
      one_of_all<float>,        one_of_all<double>};
  for (std::uint64_t round = 0; round < rounds() && !testing::Test::HasFailure(); ++round) {
    dice draw(round);
    std::vector<call> calls;
    for (int i = 0; i < calls_a_round; ++i) calls.push_back(of_type[draw.below(std::size(of_type))](where, draw));
    for (const call& c : calls) c.launch();
    for (int i = 0; i < calls_a_round; ++i) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", call " << i);
      calls[static_cast<std::size_t>(i)].compare();
    }
  }
}
