// SPDX-License-Identifier: Apache-2.0
// An array of items in pages. A sort in little memory takes the caller's array for pages of 1,024 items, and has some
// more of them in scratch. A pass reads the items in order through a table that says which page has the items [1024 i,
// 1024 (i + 1)), and writes them through another table. It takes the pages that it writes to from the free ones, and
// frees the pages that it has read. So a pass needs few pages more than the items fill, whatever the keys are.
//
// Who takes a page: the block that stores its first item; where a page has items of several digits, the block that
// comes first. The others wait for the number in the table.
//
// How many more. A block that has read a tile writes its items, and then frees the tile's pages. The items of the tiles
// that blocks have read lie side by side in each digit's part of the output, as tiles are drawn in order; so they touch
// no more pages than they fill, and two more for each digit. No more of these tiles than there are blocks still keep
// their input, and each block keeps some free pages for itself. So with pages for that (least_spare_pages), a block
// that waits for a free page gets one.
#pragma once

#include <numeric>

#include "../../../../core/cuda/io/cached_access.cuh"
#include "../../../../core/support/atomic_words.hpp"
#include "../../page_shape.hpp"
#include "../onesweep/plan.cuh"

namespace onepass::detail {

// As many pages as a pass needs by so many blocks, each of which keeps up to `kept` free ones.
constexpr index_t least_spare_pages(index_t blocks, int tile_items, int kept) {
  return spare_pages_of_pass + blocks * (tile_items / page_items + kept);
}
constexpr int most_kept = 2 * warp_size;

// Counters of a sort. All zero before.
struct page_counters {
  unsigned long long taken, freed;
  unsigned tiles[max_positions];  // drawn by the pass at each position
};

// Pages are numbered: first those of the caller's array, from `first_spare` on those in scratch. In memory, 0 stands
// for no page, and a page's number is one more.
//
// Numbers need no release and acquire. Whoever frees a page has its items in shared memory, behind a barrier, so no
// read of them is under way; and a page is written only by those who have found its number. A release would wait for
// all stores of the multiprocessor, in each tile.
struct page_pool {
  page_counters* counters;
  unsigned* freed;     // pages in the order in which they were freed; 0: not yet
  unsigned* table[2];  // page i of the items is in page table[i] - 1; 0: not yet
  unsigned first_spare, spare;
  item_count size;

  // The free pages: first those in scratch, then those that were freed. Waits for that.
  __device__ unsigned take() const {
    const unsigned long long i = atomicAdd(&counters->taken, 1ull);
    if (i < spare) return static_cast<unsigned>(first_spare + i);
    unsigned page;
    spin_guard guard;
    while ((page = load_relaxed(freed + (i - spare))) == 0) guard.wait();
    return page - 1;
  }
  // By a warp: frees the pages of the lanes that have one. page: its number and one, or 0.
  __device__ void free(unsigned page) const {
    const unsigned there = __ballot_sync(all_lanes, page != 0);
    unsigned long long first = 0;
    if (lane_id() == 0 && there != 0)
      first = atomicAdd(&counters->freed, static_cast<unsigned long long>(__popc(there)));
    first = __shfl_sync(all_lanes, first, 0);
    if (page == 0) return;
    store_relaxed(freed + first + __popc(there & lanes_below()), page);
  }
  // When all have stopped: how many are free, and which.
  __device__ index_t free_pages() const { return static_cast<index_t>(spare + counters->freed - counters->taken); }
  __device__ unsigned free_page(index_t i) const {
    const unsigned long long at = counters->taken + static_cast<unsigned long long>(i);
    return at < spare ? static_cast<unsigned>(first_spare + at) : freed[at - spare] - 1;
  }
  __device__ index_t pages() const { return divide_up(size.get(), index_t{page_items}); }
  __device__ bool is_short(index_t page) const { return (page + 1) << page_bits > size.get() && page < first_spare; }
};

// The items of all pages. spare: the address that page 0 would have if scratch had all pages.
template <class T>
struct page_items_of {
  T *own, *spare;
  unsigned first_spare;
  __device__ T* page(unsigned p) const { return (p < first_spare ? own : spare) + (index_t{p} << page_bits); }
};

// ---- a block of a pass -----------------------------------------------------------------------------------------------
// What a block of a pass knows of pages, in shared memory.
struct block_pages {
  static constexpr unsigned none = ~0u;
  unsigned tile;                        // the next one; drawn while the one before it is stored
  unsigned turn;                        // of the two lists that follow: which one is of the tile in work, 0 or 1
  unsigned first_read[2];               // the number of a tile's first page among the items' pages
  unsigned read[2][warp_size + 1];      // a tile's pages, each its number and one
  unsigned first_of[digit_values + 1];  // the page of the output in which a digit begins, if it does not begin with it
  unsigned kept[most_kept];             // free pages that no other block takes
  int kept_count;                       // may fall below zero
  // The pages that a tile's items go to, digit after digit, with room for as many as a digit's items can touch; and a
  // tile has no more pages than a warp has lanes.
  unsigned listed[2 * digit_values + warp_size];

  static __device__ block_pages& here() {
    __shared__ block_pages pages;
    return pages;
  }
  // By all threads, before the first tile.
  __device__ void begin(const unsigned long long* starts, index_t n, unsigned* next_tile) {
    for (int d = static_cast<int>(threadIdx.x); d <= digit_values; d += static_cast<int>(blockDim.x)) {
      const index_t start = d < digit_values ? static_cast<index_t>(starts[d]) : n;
      first_of[d] = start % page_items == 0 ? none : static_cast<unsigned>(start >> page_bits);
    }
    if (threadIdx.x == 0) kept_count = 0, turn = 1, tile = atomicAdd(next_tile, 1u);
    if (threadIdx.x < warp_size) read[1][threadIdx.x] = 0;
    __syncthreads();  // all of this is written
  }
  // By a warp, when all threads have loaded the tile in work: finds the pages of the next one.
  __device__ void find_next(const page_pool& pool, pass_buffer from, int tile_items) {
    const unsigned next = 1 - turn, there = static_cast<unsigned>(tile_items / page_items), lane = lane_id();
    const unsigned first = tile * there, i = first + lane;
    const bool is_there = lane < there && i < pool.pages(), is_input = from == pass_buffer::input;
    read[next][lane] = !is_there ? 0 : is_input ? i + 1 : pool.table[from == pass_buffer::alternate][i];
    __syncwarp();  // all lanes have read the turn
    if (lane == 0) first_read[next] = first, turn = next;
  }
  // By a warp, afterwards: frees the pages of the tile before, and clears their entries in the table.
  __device__ void free_read(const page_pool& pool, pass_buffer from, int most) {
    const unsigned page = read[1 - turn][lane_id()], i = first_read[1 - turn] + lane_id();
    if (page != 0 && from != pass_buffer::input) pool.table[from == pass_buffer::alternate][i] = 0;
    free(pool, page != 0 && pool.is_short(page - 1) ? 0 : page, most);
  }
  __device__ unsigned take(const page_pool& pool) {
    const int i = atomicSub(&kept_count, 1) - 1;
    return i >= 0 ? kept[i] - 1 : pool.take();
  }
  // By a warp, when no thread takes any: keeps the lanes' pages, or frees them where it has enough.
  __device__ void free(const page_pool& pool, unsigned page, int most) {
    const int has = max(kept_count, 0);
    const unsigned there = __ballot_sync(all_lanes, page != 0);
    const int i = has + __popc(there & lanes_below());
    const bool keeps = page != 0 && i < most;
    if (keeps) kept[i] = page;
    pool.free(keeps ? 0 : page);
    __syncwarp();  // all lanes have read the count
    if (lane_id() == 0) kept_count = min(has + __popc(there), most);
    __syncwarp();  // the count is written
  }
  __device__ void free_all(const page_pool& pool) {
    for (int i = lane_id(); i - lane_id() < kept_count; i += warp_size) pool.free(i < kept_count ? kept[i] : 0);
  }
};

// ---- reading --------------------------------------------------------------------------------------------------------
// Whether the items of each warp of a tile, per_thread a lane, are in at most two pages: wherever they begin in the
// first one.
template <int per_thread, int items = per_thread* warp_size>
constexpr bool are_in_two_pages = page_items - std::gcd(items, page_items) + items <= 2 * page_items;
// Items from one on, in at most two pages: of a warp's items of a tile, those of one lane.
template <class T>
struct paged_row : takes_hints {
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;
  using iterator_category = std::random_access_iterator_tag;

  const T *here, *behind;
  int end;
  __device__ paged_row(const T* page, const T* next, int items) : here(page), behind(next), end(items) {}
  __device__ const T* operator+(index_t i) const { return (i < end ? here : behind) + i; }
  __device__ T load_with(index_t i, cache_hint hint) const { return detail::load_with(*this + i, 0, hint); }
};

template <class T>
struct paged_source {
  page_items_of<T> items;
  // Of the tile in work. Behind the last item, too, where the result is not read from.
  __device__ paged_row<T> operator+(index_t first) const {
    const block_pages& block = block_pages::here();
    const unsigned* const pages = block.read[block.turn] + ((first >> page_bits) - block.first_read[block.turn]);
    const int in_page = static_cast<int>(first & (page_items - 1)), end = page_items - in_page;
    return {items.page(pages[0] - 1) + in_page, items.page(pages[1] - 1) - end, end};
  }
};
template <class T>
__device__ bool numbers_itself(const paged_source<T>&) {
  return false;
}

// ---- writing --------------------------------------------------------------------------------------------------------
template <class T>
struct paged_target : takes_hints {
  page_items_of<T> items;
  unsigned* table;
  page_pool pool;
  unsigned* next_tile;
  __device__ void store_with(index_t i, const T& item, cache_hint hint) const {
    const auto at = static_cast<unsigned>(i);
    T* const page = items.page(block_pages::here().listed[at >> page_bits]);
    detail::store_with(page, at & (page_items - 1), item, hint);
  }
};

// By the thread of a digit, whose `count` items of a tile go to `at` on, and have ranks from `rank` on. Lists their
// pages, and returns what to add to a rank, so that it is an index in the list's pages. First takes the pages that it
// can, as another lane may wait for one of them. One thread draws the block's next tile: this one waits for no other
// tile any more, so no tile waits for long for that one to begin.
template <class T, class Word>
__device__ Word begin_run(const paged_target<T>& to, Word at, unsigned rank, unsigned count) {
  constexpr unsigned taken = ~0u;
  block_pages& block = block_pages::here();
  if (threadIdx.x == 0) block.tile = atomicAdd(to.next_tile, 1u);
  // The last tile is filled up with items behind the last one, which are not stored: a page for them would never come
  // back.
  const index_t end = to.pool.size.get(), begin = static_cast<index_t>(at);
  if (count == 0 || begin >= end) return 0;
  count = static_cast<unsigned>(min(index_t{count}, end - begin));
  const auto first = static_cast<unsigned>(at >> page_bits);
  const int there = static_cast<int>(static_cast<unsigned>((at + count - 1) >> page_bits) - first) + 1;
  const unsigned slot = (rank >> page_bits) + 2 * threadIdx.x;
  unsigned* const listed = block.listed + slot;
  for (int i = 0; i < there; ++i) {
    unsigned* const page = to.table + first + i;
    bool is_mine = i > 0 || at % page_items == 0;
    if (first + i == block.first_of[threadIdx.x] || first + i == block.first_of[threadIdx.x + 1])
      is_mine = atomicCAS(page, 0u, taken) == 0;
    listed[i] = is_mine ? block.take(to.pool) : block_pages::none;
    if (is_mine) store_relaxed(page, listed[i] + 1);
  }
  for (int i = 0; i < there; ++i) {
    if (listed[i] != block_pages::none) continue;
    unsigned number;
    spin_guard guard;
    while ((number = load_relaxed(to.table + first + i)) == 0 || number == taken) guard.wait();
    listed[i] = number - 1;
  }
  return (Word{slot} << page_bits) + (at & (page_items - 1)) - rank;
}

template <class T>
struct paged_route {
  using item = T;
  page_items_of<T> items;
  page_pool pool;
  int position;
  __device__ paged_source<T> source(pass_buffer) const { return {items}; }
  __device__ paged_target<T> target(bool to_alternate) const {
    return {{}, items, pool.table[to_alternate], pool, next_tile()};
  }
  __device__ unsigned* next_tile() const { return pool.counters->tiles + position; }
};

}  // namespace onepass::detail
