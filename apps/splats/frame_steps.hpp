// SPDX-License-Identifier: Apache-2.0
// What a frame does with one splat or one tile, on any backend. Numbers of items stand in the backend's memory.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>
#include <cstring>

#include "blending.hpp"

namespace splats {

using onepass::index_t;

struct frame_counts {
  index_t visible = 0;  // splats
  index_t needed = 0;   // entries: a splat has one for each tile that it lies in
  index_t entries = 0;  // of these as many as there is room for
};

// The splats that something is seen of.
struct is_visible {
  const solid_splat* splats;
  camera view;

  ONEPASS_HOST_DEVICE bool operator()(std::uint32_t i) const {
    flat_splat flat;
    return flatten(splats[i], view, flat);
  }
};

// A float above 0 as an integer of the same order.
ONEPASS_HOST_DEVICE inline std::uint32_t ordered_bits(float depth) {
  std::uint32_t bits;
  std::memcpy(&bits, &depth, sizeof bits);
  return bits;
}

struct flatten_splat {
  const solid_splat* splats;
  const vec3* colours;
  int degree;
  camera view;
  const std::uint32_t* visible;
  const frame_counts* counts;
  flat_splat* flat;
  std::uint32_t *depths, *order;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t k) const {
    if (k >= counts->visible) return;
    const std::uint32_t i = visible[k];
    flat_splat one;
    flatten(splats[i], view, one);
    const vec3 direction = normalized(splats[i].position - view.eye);
    one.colour = colour_of(colours + std::int64_t{i} * coefficients_of(degree), degree, direction);
    flat[k] = one;
    depths[k] = ordered_bits(one.depth);
    order[k] = static_cast<std::uint32_t>(k);
  }
};

struct count_tiles {
  const flat_splat* flat;
  const std::uint32_t* order;
  const frame_counts* counts;
  index_t* ends;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t j) const {
    if (j < counts->visible) ends[j] = tiles_of(flat[order[j]]).count();
  }
};

struct count_entries {
  const index_t* ends;
  index_t room;
  frame_counts* counts;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t) const {
    counts->needed = counts->visible > 0 ? ends[counts->visible - 1] : 0;
    counts->entries = smaller(counts->needed, room);
  }
};

// A key is a tile alone, or a tile and the bits of a depth.
ONEPASS_HOST_DEVICE inline void set_key(std::uint32_t& key, int tile, float) { key = static_cast<std::uint32_t>(tile); }
ONEPASS_HOST_DEVICE inline void set_key(std::uint64_t& key, int tile, float depth) {
  key = static_cast<std::uint64_t>(tile) << 32 | ordered_bits(depth);
}
ONEPASS_HOST_DEVICE inline int tile_of(std::uint32_t key) { return static_cast<int>(key); }
ONEPASS_HOST_DEVICE inline int tile_of(std::uint64_t key) { return static_cast<int>(key >> 32); }

// Writes an entry for each tile that the splat of rank j lies in.
template <class Key>
struct list_entries {
  const flat_splat* flat;
  const std::uint32_t* order;
  const index_t* ends;
  const frame_counts* counts;
  tile_grid grid;
  index_t room;
  Key* keys;
  std::uint32_t* listed;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t j) const {
    if (j >= counts->visible) return;
    const flat_splat& s = flat[order[j]];
    const tile_range range = tiles_of(s);
    index_t at = ends[j] - range.count();
    for (int row = range.top; row < range.bottom; ++row) {
      for (int column = range.left; column < range.right && at < room; ++column, ++at) {
        set_key(keys[at], row * grid.columns + column, s.depth);
        listed[at] = order[j];
      }
    }
  }
};

// Where the entries of a tile begin: the first key of this tile or a later one. For one tile more than there are, too.
template <class Key>
struct find_begin {
  const Key* keys;
  const frame_counts* counts;
  index_t* begins;

  ONEPASS_HOST_DEVICE void operator()(std::int64_t tile) const {
    index_t low = 0, high = counts->entries;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (tile_of(keys[middle]) < tile) low = middle + 1;
      else high = middle;
    }
    begins[tile] = low;
  }
};

}  // namespace splats
