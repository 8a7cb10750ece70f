// SPDX-License-Identifier: Apache-2.0
// onepass/histogram.hpp: how many items are in each bin, or the sum of their weights.
//
//   std::vector<std::uint8_t> x = {1, 3, 1, 200};
//   std::vector<int> counts(256);
//   onepass::histogram(x.begin(), x.end(), onepass::all_value_bins<std::uint8_t>(), counts.begin());  // counts[1] = 2
//
// What all calls share:
//   Bins       onepass/bins.hpp: value_bins and all_value_bins for integers, even_bins and edge_bins for integers and
//              floats; 1 to 2^24 of them. An item outside all bins is not counted.
//   Ranges     items of any random-access iterator: integers or floats of up to 64 bits, bool, on CUDA also __half and
//              __nv_bfloat16. counts is an array (a pointer, or a vector's iterator) of integers of 4 or 8 bytes, with
//              room for a count a bin. All of them are overwritten, those of empty bins with zero. The calls return the
//              end of the counts. Where the policy has a size in memory (policy.sized_by), that many items are counted.
//   Rows       with onepass::rows(length) each row of the items has counts of its own, those of row i from
//              counts + i * bins on. The last row may be shorter. Rows behind a size in memory have counts of zero.
//   Overlap    counts must not overlap the items, the weights or the edges.
//   Order      results are the same in every run, on every backend, with any number of threads: integers are added up.
//   Cost       Items, and weights, are read once. On CUDA (sm_90) up to about 58,000 bins are counted in shared memory;
//              without weights up to twice as many, but those at half the speed. Items that are all equal take about as
//              long as others. With more bins each item is an addition in L2, which takes ten times as long as reading
//              it.
//   Memory     On CUDA up to a table of the bins for each block that runs at once; none with more bins than that. On
//              the CPU up to four tables for each thread.
//   Errors     invalid_argument for a null range that is not empty, ranges that overlap, a row of less than one item,
//              no bins or more than 2^24, bounds that bins cannot have, and if more items stand in a row than a count
//              can hold, or on CUDA 2^32 in a block's share of it; on CUDA onepass::cuda_error and onepass::bad_alloc;
//              on the CPU std::bad_alloc, and what an iterator throws, after which the counts mean nothing.
//   Source     counters in shared memory for each block: V. Podlozhnyuk, Histogram calculation in CUDA (2007); several
//              counters a bin: J. Gomez-Luna et al., An optimized approach to histogram computation on GPU (2013).
#pragma once

#include "../../histogram/histogram_dispatch.hpp"

namespace onepass {

// counts[i] = how many items of [first, last) are in bin i.
template <class Policy, class In, class Bins, class Counts, detail::if_policy<Policy> = 0>
Counts histogram(const Policy& policy, In first, In last, const Bins& bins, Counts counts) {
  return detail::count_bins("histogram", policy, first, last, detail::none{}, detail::none{}, bins, counts);
}
template <class In, class Bins, class Counts, detail::if_not_policy<In> = 0>
Counts histogram(In first, In last, const Bins& bins, Counts counts) {
  return onepass::histogram(detail::default_policy<In, Bins, Counts>(), first, last, bins, counts);
}

// The same for each row: counts[r * bins + i] = how many items of row r are in bin i.
//
//   std::vector<int> x = {0, 1, 1, 2, 2, 2}, counts(6);  // two rows of three
//   onepass::histogram(x.begin(), x.end(), onepass::rows(3), onepass::value_bins(0, 3), counts.begin());
//   // counts = 1 2 0 0 0 3
template <class Policy, class In, class Bins, class Counts, detail::if_policy<Policy> = 0>
Counts histogram(const Policy& policy, In first, In last, row_segments rows, const Bins& bins, Counts counts) {
  return detail::count_bins("histogram", policy, first, last, detail::none{}, rows, bins, counts);
}
template <class In, class Bins, class Counts, detail::if_not_policy<In> = 0>
Counts histogram(In first, In last, row_segments rows, const Bins& bins, Counts counts) {
  return onepass::histogram(detail::default_policy<In, Bins, Counts>(), first, last, rows, bins, counts);
}

// sums[i] = the sum of the weights of the items that are in bin i; item j has the weight weights[j]. Weights are
// integers of up to 64 bits, of any random-access iterator, and sums are what counts are above. Each weight is
// converted to the sums' type, and sums wrap as unsigned integers do. Float weights are refused when the call is
// compiled, as the sums would depend on the order of the additions: scale them to integers, or sort by bin and call
// reduce_by_key.
//
//   std::vector<int> x = {0, 1, 1, 2}, weights = {5, 10, -20, 7}, sums(3);
//   onepass::weighted_histogram(x.begin(), x.end(), weights.begin(), onepass::value_bins(0, 3), sums.begin());
//   // sums = 5 -10 7
template <class Policy, class In, class Weights, class Bins, class Sums, detail::if_policy<Policy> = 0>
Sums weighted_histogram(const Policy& policy, In first, In last, Weights weights, const Bins& bins, Sums sums) {
  return detail::count_bins("weighted_histogram", policy, first, last, weights, detail::none{}, bins, sums);
}
template <class In, class Weights, class Bins, class Sums, detail::if_not_policy<In> = 0>
Sums weighted_histogram(In first, In last, Weights weights, const Bins& bins, Sums sums) {
  return onepass::weighted_histogram(detail::default_policy<In, Weights, Bins, Sums>(), first, last, weights, bins,
                                     sums);
}

// The same for each row: sums[r * bins + i] = the sum of the weights of the items of row r that are in bin i.
template <class Policy, class In, class Weights, class Bins, class Sums, detail::if_policy<Policy> = 0>
Sums weighted_histogram(const Policy& policy, In first, In last, Weights weights, row_segments rows, const Bins& bins,
                        Sums sums) {
  return detail::count_bins("weighted_histogram", policy, first, last, weights, rows, bins, sums);
}
template <class In, class Weights, class Bins, class Sums, detail::if_not_policy<In> = 0>
Sums weighted_histogram(In first, In last, Weights weights, row_segments rows, const Bins& bins, Sums sums) {
  return onepass::weighted_histogram(detail::default_policy<In, Weights, Bins, Sums>(), first, last, weights, rows,
                                     bins, sums);
}

}  // namespace onepass
