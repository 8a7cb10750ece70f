// SPDX-License-Identifier: Apache-2.0
// A sort in little memory on CUDA without the call around it, which takes pages only for many items.
#pragma once

#include <onepass/little_memory_sort.hpp>

#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace test {

// With so many items of scratch in all (0: as few as can be).
template <class K, class V, class Ranking = onepass::detail::atomic_ranking>
void sort_in_pages(const cuda_backend& backend, K* keys, V* values, onepass::detail::item_count size,
                   const onepass::radix_options& options, onepass::index_t scratch_items) {
  namespace od = onepass::detail;
  const auto digits = od::digits_for<onepass::cuda_policy, K>("test", od::whole_key(), options);
  using digits_type = std::decay_t<decltype(digits)>;
  using stored = typename digits_type::key;
  od::layout layout;
  const od::paged_sorter<digits_type, V> sorter("test", size, digits, scratch_items, layout);
  const buffer<unsigned char> scratch(backend, layout.bytes());
  const buffer<od::control> head(backend, std::vector<od::control>(1));
  sorter.template run<Ranking>(reinterpret_cast<stored*>(keys), values, {scratch.data(), head.data()}, backend.stream);
  check_cuda(cudaStreamSynchronize(backend.stream), "cudaStreamSynchronize");
}

}  // namespace test
#endif
