// SPDX-License-Identifier: Apache-2.0
// One frame from the particles to the picture, written once for both backends. render() is the list of steps; every
// step that stands on a onepass call also runs its peer on the same input and compares the results item by item.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/camera.hpp"
#include "cloud.hpp"
#include "particles.hpp"
#include "report.hpp"
#include "splats.hpp"

namespace particle_culling {

constexpr float seconds_a_frame = 1.0F / 24;

template <class Backend>
class frame_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  frame_pipeline(const Backend& backend, const scene& what, std::uint64_t seed)
      : backend_(backend),
        record_(backend),
        centre_(what.centre),
        gravity_(what.gravity),
        background_(what.background),
        seed_(seed),
        count_(static_cast<std::uint32_t>(what.source.points.size())),
        points_(what.source.points.begin(), what.source.points.end()),
        bodies_(count_),
        dead_(count_),
        visible_(count_),
        peer_indices_(count_) {
    backend_.for_each(count_, begin_life{data(points_), data(bodies_), seed_});
    backend_.wait();
  }

  // Moves everything one frame on and draws it; `image` gets the picture's linear colours, row by row.
  frame_result render(const camera& view, std::vector<vec3>& image) {
    result_ = {};
    result_.particles = count_;
    record_.start();
    move();
    find_dead();
    emit();
    cull(view);
    sort_by_depth(view);
    make_splats(view);
    find_tile_offsets();
    list_by_tile(view);
    count_in_tiles(view);
    draw(view, image);
    result_.stages = record_.stages();
    return result_;
  }

  // Slots of the visible particles, as the last frame drew them: back to front.
  std::vector<std::uint32_t> drawn_slots() const { return {visible_.begin(), visible_.begin() + visible_count_}; }

  std::vector<body> bodies() const {
    std::vector<body> copy(bodies_.size());
    thrust::copy(bodies_.begin(), bodies_.end(), copy.begin());
    return copy;
  }

 private:
  void move() {
    record_.timed("move", [&] {
      backend_.for_each(count_, move_particle{data(bodies_), centre_, gravity_, seconds_a_frame});
    });
  }

  void find_dead() { dead_count_ = select("find the dead", is_dead{data(bodies_)}, dead_); }

  // A little less than die on average, so that some slots are always free; another part of them each time.
  void emit() {
    const double deaths = count_ * seconds_a_frame / (0.5 * (shortest_life + longest_life));
    const auto emitted = std::min(dead_count_, static_cast<std::uint32_t>(std::ceil(0.9 * deaths)));
    ++life_;
    record_.timed("emit", [&] {
      backend_.for_each(emitted, emit_particle{data(points_), data(bodies_), data(dead_), dead_count_, seed_, life_});
    });
    result_.alive = count_ - dead_count_ + emitted;
  }

  void cull(const camera& view) {
    const is_visible in_view{data(bodies_), data(points_), frustum_of(view), view.eye};
    visible_count_ = select("cull", in_view, visible_);
    result_.visible = visible_count_;
  }

  void sort_by_depth(const camera& view) {
    grow(depths_, visible_count_);
    record_.timed("depth", [&] {
      backend_.for_each(visible_count_, depth_key{data(bodies_), data(visible_), view, data(depths_)});
    });
    onepass::radix_options back_to_front;
    back_to_front.descending = true;
    sort<thrust::greater<float>>("sort by depth", depths_, visible_, visible_count_, back_to_front);
  }

  void make_splats(const camera& view) {
    grow(splats_, visible_count_);
    grow(touched_, visible_count_);
    const double pixels = static_cast<double>(view.width) * view.height;
    const auto largest = static_cast<float>(std::clamp(std::sqrt(8 * pixels / count_), 7.5, 96.0));
    record_.timed("splat", [&] {
      backend_.for_each(visible_count_,
                        make_splat{data(points_), data(bodies_), data(visible_), view,
                                   tile_grid(view.width, view.height), largest, data(splats_), data(touched_)});
    });
  }

  void find_tile_offsets() {
    scan("tile offsets", touched_, ends_, visible_count_);
    pairs_ = visible_count_ > 0 ? static_cast<std::uint32_t>(ends_[visible_count_ - 1]) : 0;
    result_.tile_entries = pairs_;
  }

  void list_by_tile(const camera& view) {
    grow(pair_tiles_, pairs_);
    grow(pair_spots_, pairs_);
    const tile_grid grid(view.width, view.height);
    record_.timed("list tiles", [&] {
      backend_.for_each(visible_count_,
                        list_tiles{data(splats_), data(ends_), grid, data(pair_tiles_), data(pair_spots_)});
    });
    onepass::radix_options tile_bits;
    tile_bits.end_bit = grid.bits();
    sort<thrust::less<std::uint32_t>>("sort by tile", pair_tiles_, pair_spots_, pairs_, tile_bits);
  }

  void count_in_tiles(const camera& view) {
    const auto tiles = static_cast<std::size_t>(tile_grid(view.width, view.height).count());
    grow(running_, pairs_);
    grow(peer_counts_, pairs_);
    grow(tile_counts_, tiles);
    const auto first = pair_tiles_.begin(), last = pair_tiles_.begin() + pairs_;
    record_.compared(
        "count in tiles", "onepass::inclusive_scan_by_key", Backend::count_name,
        [&] {
          const thrust::constant_iterator<std::uint32_t> one(1);
          onepass::inclusive_scan_by_key(backend_.policy(), first, last, one, running_.begin());
        },
        [&] { backend_.peer_running_count(first, last, peer_counts_.begin()); },
        [&] { return same(running_, peer_counts_, pairs_); });
    backend_.for_each(static_cast<std::int64_t>(tiles), set_zero{data(tile_counts_)});
    backend_.for_each(pairs_, store_count{data(pair_tiles_), data(running_), pairs_, data(tile_counts_)});
    scan("tile ends", tile_counts_, tile_ends_, tiles);
    std::vector<std::uint32_t> counts(tiles);
    thrust::copy(tile_counts_.begin(), tile_counts_.begin() + tiles, counts.begin());
    result_.fullest_tile = *std::max_element(counts.begin(), counts.end());
  }

  void draw(const camera& view, std::vector<vec3>& image) {
    grow(tile_splats_, pairs_);
    const tile_grid grid(view.width, view.height);
    const std::size_t pixels = static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height);
    grow(pixels_, pixels);
    record_.timed("draw", [&] {
      backend_.for_each(pairs_, gather_splat{data(splats_), data(pair_spots_), data(tile_splats_)});
      const picture_plan plan{data(tile_splats_), data(tile_ends_), grid, background_, data(pixels_)};
      if constexpr (Backend::draws_by_pixel) {
        backend_.for_each(static_cast<std::int64_t>(pixels), draw_pixel{plan});
      } else {
        backend_.for_each(grid.count(), draw_tile{plan});
      }
    });
    image.resize(pixels);
    thrust::copy(pixels_.begin(), pixels_.begin() + pixels, image.begin());
  }

  // The slots for which `predicate` holds, in order; their number.
  template <class Predicate>
  std::uint32_t select(const char* name, Predicate predicate, vector<std::uint32_t>& kept) {
    const thrust::counting_iterator<std::uint32_t> first(0), last(count_);
    std::int64_t number = 0, peer_number = 0;
    record_.compared(
        name, "onepass::compact", Backend::copy_if_name,
        [&] { number = onepass::compact(backend_.policy(), first, last, kept.begin(), predicate) - kept.begin(); },
        [&] {
          peer_number = backend_.peer_copy_if(first, last, peer_indices_.begin(), predicate) - peer_indices_.begin();
        },
        [&] { return number == peer_number && same(kept, peer_indices_, number); });
    return static_cast<std::uint32_t>(number);
  }

  template <class Order, class Key>
  void sort(const char* name, vector<Key>& keys, vector<std::uint32_t>& values, std::size_t number,
            onepass::radix_options options) {
    typename Backend::template peer_sort<Key, Order> peer(backend_, keys, values, number);
    record_.compared(
        name, "onepass::radix_sort_by_key", Backend::sort_name,
        [&] {
          onepass::radix_sort_by_key(backend_.policy(), keys.begin(), keys.begin() + number, values.begin(), options);
        },
        [&] { peer.run(); }, [&] { return peer.equals(keys, values); });
  }

  void scan(const char* name, const vector<std::uint32_t>& in, vector<std::uint32_t>& out, std::size_t number) {
    grow(out, number);
    grow(peer_sums_, number);
    const auto first = in.begin(), last = in.begin() + number;
    record_.compared(
        name, "onepass::inclusive_scan", Backend::scan_name,
        [&] { onepass::inclusive_scan(backend_.policy(), first, last, out.begin()); },
        [&] { backend_.peer_inclusive_scan(first, last, peer_sums_.begin()); },
        [&] { return same(out, peer_sums_, number); });
  }

  bool same(const vector<std::uint32_t>& a, const vector<std::uint32_t>& b, std::size_t number) const {
    return backend_.equal(a.begin(), a.begin() + number, b.begin());
  }

  // Room for `number` items, and a quarter more so that the next frames need no other memory; never empty, so that it
  // has an address. What was in it is lost.
  template <class T>
  static void grow(vector<T>& items, std::size_t number) {
    if (items.empty() || items.size() < number) items = vector<T>(number + number / 4 + 1);
  }

  template <class T>
  static T* data(vector<T>& items) {
    return thrust::raw_pointer_cast(items.data());
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  vec3 centre_;
  float gravity_;
  vec3 background_;
  std::uint64_t seed_;
  std::uint64_t life_ = 0;
  std::uint32_t count_;  // particles, dead or alive: their slots are 0 to count_ - 1
  std::uint32_t dead_count_ = 0;
  std::uint32_t visible_count_ = 0;
  std::uint32_t pairs_ = 0;  // (tile, spot) pairs
  vector<point> points_;
  vector<body> bodies_;
  vector<std::uint32_t> dead_, visible_;           // slots
  vector<float> depths_;                           // of the visible ones
  vector<splat> splats_;                           // of the visible ones, back to front
  vector<std::uint32_t> touched_, ends_;           // tiles a spot lies in, and the sum up to it
  vector<std::uint32_t> pair_tiles_, pair_spots_;  // sorted by tile, back to front within it
  vector<std::uint32_t> running_;                  // number of a pair within its tile
  vector<std::uint32_t> tile_counts_, tile_ends_;
  vector<splat> tile_splats_;  // the pairs' spots
  vector<vec3> pixels_;
  vector<std::uint32_t> peer_indices_, peer_sums_, peer_counts_;
  frame_result result_;
};

}  // namespace particle_culling
