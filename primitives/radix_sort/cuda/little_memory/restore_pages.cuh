// SPDX-License-Identifier: Apache-2.0
// The end of a sort in pages (pages.cuh): moves each page of items to where it belongs in the caller's array.
//
// Where a page of the array is free, the items that belong there can be moved in; then their old page is free, and so
// on: a chain, which ends where the items come from scratch. A warp follows a chain. All chains are independent, but
// few of them are long. So before, as many pages as scratch has room for are moved there, spread over the array: each
// cuts a chain in two, or a cycle open. Cycles that are left are moved by the warp that finds their lowest page.
// Bytes moved: n items read and written once, and what is moved to scratch.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "pages.cuh"

namespace onepass::detail {

constexpr int restore_threads = 256;

template <class K, class V>
struct restore_job {
  page_items_of<K> keys;
  page_items_of<V> values;
  page_pool pool;
  unsigned* user;  // the number of the items' page that is in page p of the array, plus one; 0: none
  __device__ const unsigned* from() const { return pool.table[0]; }
  // No pass has moved anything.
  __device__ bool has_nothing_to_do() const { return pool.table[0][0] == 0; }
};

template <class K, class V>
__global__ void __launch_bounds__(restore_threads) find_users_kernel(restore_job<K, V> job) {
  wait_for_previous_kernel();
  if (job.has_nothing_to_do()) return;
  const index_t pages = job.pool.pages(), step = index_t{gridDim.x} * restore_threads;
  for (index_t i = index_t{blockIdx.x} * restore_threads + threadIdx.x; i < pages; i += step) {
    const unsigned page = job.from()[i] - 1;
    if (page < job.pool.first_spare) job.user[page] = static_cast<unsigned>(i) + 1;
  }
}

// A page as words that a warp moves, some for each lane at once.
template <class Word, class T>
struct page_words {
  static constexpr int words = static_cast<int>(page_items * sizeof(T) / sizeof(Word));
  static constexpr int at_once = [] {
    int most = std::min(words / warp_size, 8);
    while (words / warp_size % most != 0) --most;
    return most;
  }();
  Word word[at_once];
  __device__ void load(const T* page, int first) {
#pragma unroll
    for (int j = 0; j < at_once; ++j) word[j] = reinterpret_cast<const Word*>(page)[first + j * warp_size + lane_id()];
  }
  __device__ void store(T* page, int first) const {
#pragma unroll
    for (int j = 0; j < at_once; ++j) reinterpret_cast<Word*>(page)[first + j * warp_size + lane_id()] = word[j];
  }
};
template <class Word, class T>
__device__ void copy_page(T* to, const T* from) {
  using words = page_words<Word, T>;
  for (int first = 0; first < words::words; first += words::at_once * warp_size) {
    words w;
    w.load(from, first);
    w.store(to, first);
  }
}
// Calls f with the word that all pages can be moved by.
template <class T, class F>
__device__ void with_word(const page_items_of<T>& items, F f) {
  if (reinterpret_cast<std::uintptr_t>(items.own) % sizeof(uint4) == 0) f(uint4());
  else f(T());
}

// By a warp. The chain that ends in the free page `to`.
template <class Word, class T>
__device__ void move_chain(const page_items_of<T>& items, const page_pool& pool, const unsigned* table, unsigned to) {
  for (;;) {
    const unsigned from = table[to] - 1;
    T* const there = items.page(to);
    const T* const here = items.page(from);
    if (!pool.is_short(to)) {
      copy_page<Word>(there, here);
    } else {
      for (index_t i = lane_id(), n = pool.size.get() - (index_t{to} << page_bits); i < n; i += warp_size)
        there[i] = here[i];
    }
    __syncwarp();  // all lanes have read the page
    if (from >= pool.first_spare) return;
    to = from;
  }
}
// By a warp. The cycle of pages that `first` is in.
template <class Word, class T>
__device__ void move_cycle(const page_items_of<T>& items, const unsigned* table, unsigned first) {
  using words = page_words<Word, T>;
  for (int at = 0; at < words::words; at += words::at_once * warp_size) {
    words saved, w;
    saved.load(items.page(first), at);
    unsigned to = first;
    for (unsigned from; (from = table[to] - 1) != first; to = from) {
      w.load(items.page(from), at);
      w.store(items.page(to), at);
    }
    saved.store(items.page(to), at);
  }
}

template <class T, class F>
__device__ void for_items(const page_items_of<T>& items, F f) {
  if constexpr (!std::is_same_v<T, none>) detail::with_word(items, [&](auto word) { f(items, word); });
}

// Moves pages to free pages in scratch, so that chains are short.
template <class K, class V>
__global__ void __launch_bounds__(restore_threads) cut_chains_kernel(restore_job<K, V> job) {
  wait_for_previous_kernel();
  if (job.has_nothing_to_do()) return;
  const index_t pages = job.pool.pages(), free = job.pool.free_pages(),
                each = max(pages / max(free, index_t{1}), index_t{1});
  const index_t warps = index_t{gridDim.x} * (restore_threads / warp_size);
  for (index_t i = index_t{blockIdx.x} * (restore_threads / warp_size) + warp_id(); i < free; i += warps) {
    const unsigned to = job.pool.free_page(i);
    const index_t page = i * each + static_cast<unsigned>(i) * 2654435761u % each;
    if (to < job.pool.first_spare || page >= pages) continue;
    const unsigned user = job.user[page];
    if (user == 0 || user == page + 1) continue;
    const auto move = [&](const auto& items, auto word) {
      copy_page<decltype(word)>(items.page(to), items.page(static_cast<unsigned>(page)));
    };
    detail::for_items(job.keys, move);
    detail::for_items(job.values, move);
    __syncwarp();  // all lanes have read the number
    if (lane_id() == 0) {
      job.user[page] = 0;
      job.pool.table[0][user - 1] = to + 1;
    }
  }
}

// Whether a page is the lowest of a cycle, and not alone in it.
__device__ inline bool leads_cycle(const page_pool& pool, const unsigned* table, unsigned page) {
  unsigned at = table[page] - 1;
  if (at == page) return false;
  while (at > page && at < pool.first_spare) at = table[at] - 1;
  return at == page;
}

template <class T>
__global__ void __launch_bounds__(restore_threads)
    move_pages_kernel(page_items_of<T> items, page_pool pool, const unsigned* user) {
  wait_for_previous_kernel();
  const unsigned* const table = pool.table[0];
  if (table[0] == 0) return;
  const index_t pages = pool.pages(), step = index_t{gridDim.x} * restore_threads;
  for (index_t first = index_t{blockIdx.x} * restore_threads + warp_id() * warp_size; first < pages; first += step) {
    const auto mine = static_cast<unsigned>(first) + static_cast<unsigned>(lane_id());
    const bool is_there = mine < pages, is_free = is_there && user[mine] == 0;
    unsigned chains = __ballot_sync(all_lanes, is_free);
    unsigned cycles = __ballot_sync(all_lanes, is_there && !is_free && leads_cycle(pool, table, mine));
    detail::with_word(items, [&](auto word) {
      for (; chains != 0; chains &= chains - 1)
        move_chain<decltype(word)>(items, pool, table, static_cast<unsigned>(first) + __ffs(chains) - 1);
      for (; cycles != 0; cycles &= cycles - 1)
        move_cycle<decltype(word)>(items, table, static_cast<unsigned>(first) + __ffs(cycles) - 1);
    });
  }
}

// ---- the launches ---------------------------------------------------------------------------------------------------
template <class K, class V>
void launch_restore_pages(const char* call, const restore_job<K, V>& job, cudaStream_t stream) {
  const auto launch = [&](auto kernel, const auto&... args) {
    const resident_blocks resident(kernel, restore_threads, 0);
    kernel_launch::dependent(call, resident, kernel, dim3(resident.on_this_device(call)), restore_threads, 0, stream,
                             args...);
  };
  launch(find_users_kernel<K, V>, job);
  launch(cut_chains_kernel<K, V>, job);
  const unsigned* const user = job.user;
  launch(move_pages_kernel<K>, job.keys, job.pool, user);
  if constexpr (!std::is_same_v<V, none>) launch(move_pages_kernel<V>, job.values, job.pool, user);
}

}  // namespace onepass::detail
