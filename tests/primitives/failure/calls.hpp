// SPDX-License-Identifier: Apache-2.0
// Every public call, for tests of what is left when one fails: with the memory that it works on and what it may have changed
// by then.
#pragma once

#include <onepass/onepass.hpp>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "throwing_functors.hpp"

namespace test {

// What a call may have changed when it has failed.
enum class changes {
  outputs,         // and nothing else
  nothing,         // works in place, by way of other memory
  place_of_items,  // works in place: what is kept is all still there
  items,           // works in place, and items may be lost
};

// visit(name, changes, call) for each, with call(policy, memory). Memory has n items, keys in runs, numbers in no order,
// records, flags, offsets; outputs and counts.
template <class Visit>
void each_scan(Visit visit) {
  const plus_or_throw plus{};
  const same_or_throw same{};
  using c = changes;
  visit("inclusive_scan", c::outputs,
        [=](const auto& p, auto& m) { onepass::inclusive_scan(p, m.items, m.items + m.n, m.out, plus); });
  visit("inclusive_scan in place", c::items,
        [=](const auto& p, auto& m) { onepass::inclusive_scan(p, m.items, m.items + m.n, m.items, plus); });
  visit("inclusive_scan with init", c::outputs,
        [=](const auto& p, auto& m) { onepass::inclusive_scan(p, m.items, m.items + m.n, m.out, m.item(5), plus); });
  visit("exclusive_scan", c::outputs,
        [=](const auto& p, auto& m) { onepass::exclusive_scan(p, m.items, m.items + m.n, m.out, m.item(5), plus); });
  visit("transform_inclusive_scan", c::outputs, [=](const auto& p, auto& m) {
    onepass::transform_inclusive_scan(p, m.items, m.items + m.n, m.out, twice_or_throw{}, plus);
  });
  visit("transform_exclusive_scan", c::outputs, [=](const auto& p, auto& m) {
    onepass::transform_exclusive_scan(p, m.items, m.items + m.n, m.out, twice_or_throw{}, m.item(5), plus);
  });
  visit("inclusive_scan_by_key", c::outputs, [=](const auto& p, auto& m) {
    onepass::inclusive_scan_by_key(p, m.keys, m.keys + m.n, m.items, m.out, same, plus);
  });
  visit("exclusive_scan_by_key", c::outputs, [=](const auto& p, auto& m) {
    onepass::exclusive_scan_by_key(p, m.keys, m.keys + m.n, m.items, m.out, m.item(5), same, plus);
  });
  visit("inclusive_segmented_scan", c::outputs, [=](const auto& p, auto& m) {
    onepass::inclusive_segmented_scan(p, m.items, m.items + m.n, m.flags, m.out, plus);
  });
  visit("exclusive_segmented_scan by offsets", c::outputs, [=](const auto& p, auto& m) {
    onepass::exclusive_segmented_scan(p, m.items, m.items + m.n, onepass::offsets(m.offsets, m.offsets + m.segments),
                                      m.out, m.item(5), plus);
  });
  visit("inclusive_segmented_scan by rows", c::outputs, [=](const auto& p, auto& m) {
    onepass::inclusive_segmented_scan(p, m.items, m.items + m.n, onepass::rows(7), m.out, plus);
  });
  visit("exclusive_segmented_scan of columns", c::outputs, [=](const auto& p, auto& m) {
    onepass::exclusive_segmented_scan(p, m.items, m.items + m.n, onepass::columns(7, 50), m.out, m.item(5), plus);
  });
  visit("reduce_by_key", c::outputs, [=](const auto& p, auto& m) {
    onepass::reduce_by_key(p, m.keys, m.keys + m.n, m.items, m.out_keys, m.out, same, plus);
  });
  visit("reduce_by_key_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::reduce_by_key_async(p, m.keys, m.keys + m.n, m.items, m.out_keys, m.out, same, plus, m.counts);
  });
  visit("segmented_reduce", c::outputs,
        [=](const auto& p, auto& m) { onepass::segmented_reduce(p, m.items, m.items + m.n, m.flags, m.out, plus); });
  visit("segmented_reduce_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_reduce_async(p, m.items, m.items + m.n, m.flags, m.out, plus, m.counts);
  });
  visit("segmented_reduce by offsets", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_reduce(p, m.items, m.items + m.n, onepass::offsets(m.offsets, m.offsets + m.segments), m.out,
                              m.item(5), plus);
  });
  visit("segmented_reduce by rows", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_reduce(p, m.items, m.items + m.n, onepass::rows(7), m.out, m.item(5), plus);
  });
  visit("segmented_reduce of columns", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_reduce(p, m.items, m.items + m.n, onepass::columns(7), m.out, m.item(5), plus);
  });
  visit("run_length_encode", c::outputs, [=](const auto& p, auto& m) {
    onepass::run_length_encode(p, m.keys, m.keys + m.n, m.out_keys, m.out_numbers);
  });
  visit("run_length_encode_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::run_length_encode_async(p, m.keys, m.keys + m.n, m.out_keys, m.out_numbers, m.counts);
  });
}

// With results where the keys are. On the host.
template <class Visit>
void each_call_over_its_keys(Visit visit) {
  const plus_or_throw plus{};
  const same_or_throw same{};
  const thrust::counting_iterator<std::int64_t> values(1);
  using c = changes;
  visit("inclusive_scan_by_key", c::nothing, [=](const auto& p, auto& m) {
    onepass::inclusive_scan_by_key(p, m.keys, m.keys + m.n, values, m.keys, same, plus);
  });
  visit("exclusive_scan_by_key", c::nothing, [=](const auto& p, auto& m) {
    onepass::exclusive_scan_by_key(p, m.keys, m.keys + m.n, values, m.keys, std::int64_t{5}, same, plus);
  });
  visit("reduce_by_key", c::nothing, [=](const auto& p, auto& m) {
    onepass::reduce_by_key(p, m.keys, m.keys + m.n, values, m.keys, m.out_numbers, same, plus);
  });
}

template <class Visit>
void each_compaction(Visit visit) {
  const odd_or_throw odd{};
  const set_or_throw set{};
  const same_or_throw same{};
  using c = changes;
  visit("copy_if", c::outputs,
        [=](const auto& p, auto& m) { onepass::copy_if(p, m.items, m.items + m.n, m.out, odd); });
  visit("copy_if_async by stencil", c::outputs, [=](const auto& p, auto& m) {
    onepass::copy_if_async(p, m.items, m.items + m.n, m.flags, m.out, set, m.counts);
  });
  visit("compact", c::outputs,
        [=](const auto& p, auto& m) { onepass::compact(p, m.items, m.items + m.n, onepass::flags(m.flags), m.out); });
  visit("positions", c::outputs,
        [=](const auto& p, auto& m) { onepass::positions(p, m.flags, m.flags + m.n, m.out_numbers, set); });
  visit("positions_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::positions_async(p, m.flags, m.flags + m.n, m.out_numbers, set, m.counts);
  });
  visit("histogram", c::outputs, [=](const auto& p, auto& m) {
    const auto first = thrust::make_transform_iterator(m.flags, set);
    onepass::histogram(p, first, first + m.n, onepass::value_bins(0, 2), m.out_numbers);
  });
  visit("weighted_histogram", c::outputs, [=](const auto& p, auto& m) {
    onepass::weighted_histogram(p, m.flags, m.flags + m.n, m.numbers, onepass::value_bins(0, 5), m.out_numbers);
  });
  visit("remove_if", c::place_of_items,
        [=](const auto& p, auto& m) { onepass::remove_if(p, m.items, m.items + m.n, odd); });
  visit("remove_if_async by stencil", c::place_of_items,
        [=](const auto& p, auto& m) { onepass::remove_if_async(p, m.items, m.items + m.n, m.flags, set, m.counts); });
  visit("remove_copy_if", c::outputs,
        [=](const auto& p, auto& m) { onepass::remove_copy_if(p, m.items, m.items + m.n, m.out, odd); });
  visit("stable_partition", c::nothing,
        [=](const auto& p, auto& m) { onepass::stable_partition(p, m.items, m.items + m.n, odd); });
  visit("partition_async by stencil", c::nothing,
        [=](const auto& p, auto& m) { onepass::partition_async(p, m.items, m.items + m.n, m.flags, set, m.counts); });
  visit("partition_copy", c::outputs,
        [=](const auto& p, auto& m) { onepass::partition_copy(p, m.items, m.items + m.n, m.out, m.out2, odd); });
  visit("stable_partition_copy_async by stencil", c::outputs, [=](const auto& p, auto& m) {
    onepass::stable_partition_copy_async(p, m.items, m.items + m.n, m.flags, m.out, m.out2, set, m.counts);
  });
  visit("three_way_partition_copy", c::outputs, [=](const auto& p, auto& m) {
    onepass::three_way_partition_copy(p, m.items, m.items + m.n, m.out, m.out2, m.out3, odd, odd);
  });
  visit("three_way_partition_copy_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::three_way_partition_copy_async(p, m.items, m.items + m.n, m.out, m.out2, m.out3, odd, odd, m.counts);
  });
  visit("unique", c::place_of_items, [=](const auto& p, auto& m) { onepass::unique(p, m.items, m.items + m.n, same); });
  visit("unique_copy_async", c::outputs,
        [=](const auto& p, auto& m) { onepass::unique_copy_async(p, m.items, m.items + m.n, m.out, same, m.counts); });
  visit("unique_count", c::nothing,
        [=](const auto& p, auto& m) { onepass::unique_count(p, m.items, m.items + m.n, same); });
  visit("unique_by_key_async", c::place_of_items, [=](const auto& p, auto& m) {
    onepass::unique_by_key_async(p, m.keys, m.keys + m.n, m.items, same, m.counts);
  });
  visit("unique_by_key_copy", c::outputs, [=](const auto& p, auto& m) {
    onepass::unique_by_key_copy(p, m.keys, m.keys + m.n, m.items, m.out_keys, m.out, same);
  });
}

template <class Visit>
void each_sort(Visit visit) {
  const second_or_throw second{};
  const auto segments_of = [](auto& m) { return onepass::offsets(m.offsets, m.offsets + m.segments); };
  using c = changes;
  visit("radix_sort", c::items, [=](const auto& p, auto& m) { onepass::radix_sort(p, m.numbers, m.numbers + m.n); });
  visit("radix_sort_by_key", c::items,
        [=](const auto& p, auto& m) { onepass::radix_sort_by_key(p, m.numbers, m.numbers + m.n, m.items); });
  visit("radix_sort by fields", c::items,
        [=](const auto& p, auto& m) { onepass::radix_sort(p, m.records, m.records + m.n, second); });
  visit("radix_sort_by_key by fields", c::items,
        [=](const auto& p, auto& m) { onepass::radix_sort_by_key(p, m.records, m.records + m.n, m.items, second); });
  visit("radix_sort_copy", c::outputs,
        [=](const auto& p, auto& m) { onepass::radix_sort_copy(p, m.numbers, m.numbers + m.n, m.out_numbers); });
  visit("radix_sort_copy by fields", c::outputs, [=](const auto& p, auto& m) {
    onepass::radix_sort_copy(p, m.records, m.records + m.n, m.out_records, second);
  });
  visit("radix_sort_by_key_copy", c::outputs, [=](const auto& p, auto& m) {
    onepass::radix_sort_by_key_copy(p, m.numbers, m.numbers + m.n, m.items, m.out_numbers, m.out);
  });
  visit("radix_sort with two buffers", c::items, [=](const auto& p, auto& m) {
    onepass::double_buffer<std::int64_t> keys(m.numbers, m.out_numbers);
    onepass::radix_sort(p, keys, m.n);
  });
  visit("radix_argsort", c::outputs,
        [=](const auto& p, auto& m) { onepass::radix_argsort(p, m.numbers, m.numbers + m.n, m.out_numbers); });
  visit("radix_sort in little memory", c::items, [=](const auto& p, auto& m) {
    onepass::radix_sort(p, m.numbers, m.numbers + m.n, onepass::in_little_memory());
  });
  visit("radix_sort_by_key in little memory", c::items, [=](const auto& p, auto& m) {
    onepass::radix_sort_by_key(p, m.numbers, m.numbers + m.n, m.flags, onepass::in_little_memory());
  });
  visit("split", c::outputs,
        [=](const auto& p, auto& m) { onepass::split(p, m.items, m.items + m.n, m.out, odd_or_throw{}); });
  visit("split_async", c::outputs, [=](const auto& p, auto& m) {
    onepass::split_async(p, m.items, m.items + m.n, m.out, odd_or_throw{}, m.counts);
  });
  visit("split by a digit", c::outputs, [=](const auto& p, auto& m) {
    onepass::split(p, m.numbers, m.numbers + m.n, m.out_numbers, onepass::digit{4, 5});
  });
  visit("sort", c::items,
        [=](const auto& p, auto& m) { onepass::sort(p, m.numbers, m.numbers + m.n, thrust::greater<std::int64_t>()); });
  visit("stable_sort_by_key", c::items,
        [=](const auto& p, auto& m) { onepass::stable_sort_by_key(p, m.numbers, m.numbers + m.n, m.items); });
  visit("segmented_sort", c::items,
        [=](const auto& p, auto& m) { onepass::segmented_sort(p, m.numbers, m.numbers + m.n, segments_of(m)); });
  visit("segmented_sort by rows", c::items,
        [=](const auto& p, auto& m) { onepass::segmented_sort(p, m.numbers, m.numbers + m.n, onepass::rows(7)); });
  visit("segmented_sort by fields", c::items, [=](const auto& p, auto& m) {
    onepass::segmented_sort(p, m.records, m.records + m.n, segments_of(m), second);
  });
  visit("segmented_sort_by_key", c::items, [=](const auto& p, auto& m) {
    onepass::segmented_sort_by_key(p, m.numbers, m.numbers + m.n, m.items, segments_of(m));
  });
  visit("segmented_sort_copy", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_sort_copy(p, m.numbers, m.numbers + m.n, m.out_numbers, segments_of(m));
  });
  visit("segmented_sort_by_key_copy", c::outputs, [=](const auto& p, auto& m) {
    onepass::segmented_sort_by_key_copy(p, m.numbers, m.numbers + m.n, m.items, m.out_numbers, m.out, segments_of(m));
  });
}

template <class Visit>
void each_selection(Visit visit) {
  const auto segments_of = [](auto& m) { return onepass::offsets(m.offsets, m.offsets + m.segments); };
  const auto thrown_from = [](auto first) { return thrust::make_transform_iterator(first, twice_or_throw{}); };
  using c = changes;
  visit("top_k of few", c::outputs,
        [=](const auto& p, auto& m) { onepass::top_k(p, m.numbers, m.numbers + m.n, 3, m.out_numbers); });
  visit("top_k of many", c::outputs, [=](const auto& p, auto& m) {
    onepass::top_k(p, m.numbers, m.numbers + m.n, m.n / 3, m.out_numbers, onepass::in_input_order());
  });
  visit("top_k by rows", c::outputs, [=](const auto& p, auto& m) {
    onepass::top_k(p, m.numbers, m.numbers + m.n, onepass::rows(11), 2, m.out_numbers, onepass::smallest());
  });
  visit("top_k by a throwing iterator", c::outputs, [=](const auto& p, auto& m) {
    const auto first = thrown_from(m.keys);
    onepass::top_k(p, first, first + m.n, 5, m.out_numbers);
  });
  visit("top_k_by_key", c::outputs, [=](const auto& p, auto& m) {
    onepass::top_k_by_key(p, m.numbers, m.numbers + m.n, m.items, m.n / 5, m.out_numbers, m.out);
  });
  visit("top_k_by_key by offsets, by a throwing iterator of values", c::outputs, [=](const auto& p, auto& m) {
    onepass::top_k_by_key(p, m.numbers, m.numbers + m.n, thrown_from(m.items), segments_of(m), 6, m.out_numbers, m.out);
  });
  visit("nth_element", c::outputs,
        [=](const auto& p, auto& m) { onepass::nth_element(p, m.numbers, m.numbers + m.n, m.n / 2, m.out_numbers); });
  visit("nth_element by rows, by a throwing iterator", c::outputs, [=](const auto& p, auto& m) {
    const auto first = thrown_from(m.keys);
    onepass::nth_element(p, first, first + m.n, onepass::rows(m.n / 2), 4, m.out_numbers);
  });
}

}  // namespace test
