// SPDX-License-Identifier: Apache-2.0
// As every_call.hpp, for calls across ranks.
#pragma once

#include <onepass/distributed.hpp>

#include "every_call.hpp"

namespace every_call {

template <class T, class Comm, class... Policy>
void across_ranks(Comm& comm, const Policy&... policy) {
  namespace od = onepass::distributed;
  arrays<T> a;
  const auto first = a.in.begin(), last = a.in.end();
  const auto values = a.numbers.begin(), values_out = a.more_numbers.begin();
  const auto out = a.out.begin();
  const onepass::index_t n = last - first;
  const auto starts = onepass::offsets(a.begins.begin(), a.begins.end());
  od::inclusive_scan(comm, policy..., first, last, out);
  od::inclusive_scan(comm, policy..., first, last, out, T(1), onepass::sum{});
  od::exclusive_scan(comm, policy..., first, last, out);
  od::exclusive_scan(comm, policy..., first, last, out, T(1), onepass::maximum{});
  od::rank_carry<T> carry{false, T(0)};
  od::inclusive_scan_local(comm, policy..., first, last, out, &carry);
  od::inclusive_scan_local(comm, policy..., first, last, out, &carry, T(1), onepass::maximum{});
  od::exclusive_scan_local(comm, policy..., first, last, out, &carry);
  od::exclusive_scan_local(comm, policy..., first, last, out, &carry, T(0), onepass::sum{});
  od::inclusive_scan_by_key(comm, policy..., first, last, values, values_out);
  od::exclusive_scan_by_key(comm, policy..., first, last, values, values_out, 1, std::equal_to<T>{}, onepass::sum{});
  od::inclusive_segmented_scan(comm, policy..., first, last, values, out);
  od::exclusive_segmented_scan(comm, policy..., first, last, starts, out, T(1));
  od::copy_if(comm, policy..., first, last, out, is_odd{});
  od::copy_if(comm, policy..., first, last, values, out, is_odd{});
  od::compact(comm, policy..., first, last, onepass::flags(values), out);
  od::rebalance(comm, policy..., first, last, out, n);
  od::reduce_by_key(comm, policy..., first, last, values, out, values_out);
  od::reduce_by_key(comm, policy..., first, last, values, out, values_out, std::equal_to<T>{}, onepass::maximum{});
  od::unique_copy(comm, policy..., first, last, out);
  od::radix_sort(comm, policy..., first, last, out, n);
  od::radix_sort_by_key(comm, policy..., first, last, values, out, values_out, n, onepass::descending(),
                        od::shares::even);
  const auto cuts = od::splitters(comm, policy..., first, last);
  const auto own = onepass::cpu(1);
  const auto counts = od::partition_for(own, first, last, cuts, a.out.data());
  od::partition_for(own, first, last, values, cuts, a.out.data(), a.more_numbers.data());
  od::merge_runs(own, first, counts, a.out.data());
  od::merge_runs(own, first, values, counts, a.out.data(), a.more_numbers.data());
}

}  // namespace every_call
