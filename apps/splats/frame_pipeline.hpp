// SPDX-License-Identifier: Apache-2.0
// A picture of all splats on a backend, after Kerbl et al. (2023), section 6: splats that are seen are compacted and flattened,
// each gets an entry for every tile of the picture that it lies in, entries are sorted by tile and depth, and each pixel
// blends those of its tile. Numbers of items stay on the backend: no call of a frame waits or allocates. Memory: 68 bytes for a
// splat besides the scene, and for an entry 12, 4 more where tiles are sorted alone, and what a sort takes.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_sort.hpp>
#include <onepass/workspace.hpp>

#include <thrust/iterator/counting_iterator.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "frame_steps.hpp"
#include "run.hpp"

namespace splats {

template <class Backend>
class frame_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  // `room`: for how many entries at first; 0: for four a splat. It grows when a frame needs more.
  frame_pipeline(const Backend& backend, const scene& what, int width, int height, sort_way way, index_t room = 0)
      : backend_(backend),
        record_(backend),
        grid_(width, height),
        way_(way),
        number_(static_cast<std::int64_t>(what.gaussians.size())),
        degree_(what.degree),
        background_(what.background),
        colours_(what.colours.begin(), what.colours.end()),
        visible_(what.gaussians.size()),
        depths_(what.gaussians.size()),
        order_(what.gaussians.size()),
        flat_(what.gaussians.size()),
        ends_(what.gaussians.size()),
        begins_(static_cast<std::size_t>(grid_.count()) + 1),
        counts_(1),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    const std::vector<solid_splat> solid = solid_splats(what.gaussians);
    splats_ = vector<solid_splat>(solid.begin(), solid.end());
    make_room(room > 0 ? room : 4 * number_);
  }

  frame_report draw(const camera& view) {
    view_ = view;
    double seconds = 0;
    with_room([&] {
      backend_.wait();
      const auto begin = std::chrono::steady_clock::now();
      frame();
      backend_.wait();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
    const frame_counts counts = read();
    return {static_cast<std::uint64_t>(counts.visible), static_cast<std::uint64_t>(counts.entries), 1000 * seconds};
  }

  // The frame stage by stage, each beside a peer.
  const std::vector<apps::comparison>& compare(const camera& view) {
    view_ = view;
    with_room([&] {
      record_.start();
      stages_ = true;
      frame();
      stages_ = false;
    });
    return record_.stages();
  }

  // Linear colours, row by row.
  std::vector<vec3> picture() const { return apps::to_host(pixels_); }

 private:
  // Does `work`, again with more room where there was not enough for its entries.
  template <class Work>
  void with_room(Work work) {
    for (;;) {
      work();
      const frame_counts counts = read();
      if (counts.needed <= room_) return;
      make_room(counts.needed + counts.needed / 4);
    }
  }

  void make_room(index_t room) {
    room_ = room;
    const auto size = static_cast<std::size_t>(room);
    keys_ = vector<std::uint64_t>();  // gives its memory back first
    tile_keys_ = listed_ = vector<std::uint32_t>();
    memory_.reset();
    if (way_ == sort_way::depth) tile_keys_ = vector<std::uint32_t>(size);
    else keys_ = vector<std::uint64_t>(size);
    listed_ = vector<std::uint32_t>(size);
    const auto bytes = onepass::measure(backend_.policy(), [&](const auto& policy) {
      cull(policy);
      scan_counts(policy);
      if (way_ == sort_way::depth) {
        sort_by_depth(policy);
        sort_bits(policy, tile_keys_, bits());
      } else {
        sort_bits(policy, keys_, bits());
        if (way_ == sort_way::segmented) sort_segments(policy);
      }
    });
    memory_.emplace(backend_.policy(), bytes);
  }

  void frame() {
    cull();
    stage("flatten", [&] {
      backend_.for_each(visible_bound(), flatten_splat{data(splats_), data(colours_), degree_, view_, data(visible_),
                                                       counts(), data(flat_), data(depths_), data(order_)});
    });
    if (way_ == sort_way::depth) sort_by_depth();
    stage("count tiles", [&] {
      backend_.for_each(visible_bound(), count_tiles{data(flat_), data(order_), counts(), data(ends_)});
    });
    scan_counts();
    if (way_ == sort_way::depth) {
      list(tile_keys_);
      sort_bits("sort by tile", tile_keys_, bits());
      find_begins(tile_keys_);
    } else {
      list(keys_);
      sort_bits(way_ == sort_way::global ? "sort" : "sort by tile", keys_, bits());
      find_begins(keys_);
      if (way_ == sort_way::segmented) sort_segments();
    }
    draw_pixels();
  }

  // ---- the stages -----------------------------------------------------------------------------------------------------------
  template <class Key>
  void list(vector<Key>& keys) {
    stage("list entries", [&] {
      backend_.for_each(1, count_entries{data(ends_), room_, counts()});
      backend_.for_each(visible_bound(), list_entries<Key>{data(flat_), data(order_), data(ends_), counts(), grid_,
                                                           room_, data(keys), data(listed_)});
    });
  }

  template <class Key>
  void find_begins(vector<Key>& keys) {
    stage("begin tiles", [&] {
      backend_.for_each(grid_.count() + 1, find_begin<Key>{data(keys), counts(), data(begins_)});
    });
  }

  void draw_pixels() {
    stage("draw", [&] {
      const picture_plan plan{data(flat_), data(listed_), data(begins_), grid_, background_, data(pixels_)};
      if constexpr (Backend::draws_by_pixel) {
        backend_.for_each(std::int64_t{grid_.count()} * tile_pixels, draw_pixel{plan});
      } else {
        backend_.for_each(grid_.count(), draw_tile{plan});
      }
    });
  }

  // ---- those that are a call, alone or beside a peer ------------------------------------------------------------------------
  void cull() {
    if (!stages_) return cull(policy());
    vector<std::uint32_t> kept(visible_.size());
    std::int64_t number = 0;
    record_.compared(
        "cull", "onepass::copy_if_async", Backend::copy_if_name, [&] { cull(policy()); },
        [&] { number = backend_.peer_copy_if(all(), all() + number_, kept.begin(), seen()) - kept.begin(); },
        [&] { return read().visible == number && same(visible_, kept, number); });
  }

  void sort_by_depth() {
    if (!stages_) return sort_by_depth(policy());
    beside_peer("sort by depth", "onepass::radix_sort_by_key", Backend::sort_name, depths_, order_, read().visible,
                onepass::ascending(0, 32), nullptr, [&] { sort_by_depth(policy()); });
  }

  void scan_counts() {
    if (!stages_) return scan_counts(policy());
    const std::int64_t visible = read().visible;
    vector<index_t> ends = ends_;
    record_.compared(
        "number entries", "onepass::inclusive_scan", Backend::scan_name, [&] { scan_counts(policy()); },
        [&] { backend_.peer_inclusive_scan(ends.begin(), ends.begin() + visible, ends.begin()); },
        [&] { return same(ends_, ends, visible); });
  }

  template <class Key>
  void sort_bits(const char* name, vector<Key>& keys, onepass::radix_options bits) {
    if (!stages_) return sort_bits(policy(), keys, bits);
    beside_peer(name, "onepass::radix_sort_by_key", Backend::sort_name, keys, listed_, read().entries, bits, nullptr,
                [&] { sort_bits(policy(), keys, bits); });
  }

  void sort_segments() {
    if (!stages_) return sort_segments(policy());
    beside_peer("sort in tiles", "onepass::segmented_sort_by_key", Backend::segmented_sort_name, keys_, listed_,
                read().entries, onepass::ascending(0, 32), &begins_, [&] { sort_segments(policy()); });
  }

  template <class Key, class Work>
  void beside_peer(const char* name, const char* call, const char* peer_name, const vector<Key>& keys,
                   const vector<std::uint32_t>& values, index_t number, onepass::radix_options bits,
                   const vector<index_t>* offsets, Work work) {
    typename Backend::template peer_bit_sort<Key> peer(backend_, keys, values, number, bits, offsets);
    record_.compared(
        name, call, peer_name, work, [&] { peer.run(); }, [&] { return peer.equals(keys, values); });
  }

  // ---- calls of onepass's ---------------------------------------------------------------------------------------------------
  template <class Policy>
  void cull(const Policy& policy) {
    onepass::copy_if_async(policy, all(), all() + number_, visible_.begin(), seen(), &counts()->visible);
  }
  template <class Policy>
  void sort_by_depth(const Policy& policy) {
    onepass::radix_sort_by_key(policy.sized_by(&counts()->visible), depths_.begin(), depths_.end(), order_.begin(),
                               onepass::ascending(0, 32));
  }
  template <class Policy>
  void scan_counts(const Policy& policy) {
    onepass::inclusive_scan(policy.sized_by(&counts()->visible), ends_.begin(), ends_.end(), ends_.begin());
  }
  template <class Policy, class Key>
  void sort_bits(const Policy& policy, vector<Key>& keys, onepass::radix_options bits) {
    onepass::radix_sort_by_key(policy.sized_by(&counts()->entries), keys.begin(), keys.end(), listed_.begin(), bits);
  }
  template <class Policy>
  void sort_segments(const Policy& policy) {
    onepass::segmented_sort_by_key(policy.sized_by(&counts()->entries), keys_.begin(), keys_.end(), listed_.begin(),
                                   onepass::offsets(begins_.begin(), begins_.end()), onepass::ascending(0, 32));
  }

  // ---- helpers --------------------------------------------------------------------------------------------------------------
  template <class Work>
  void stage(const char* name, Work work) {
    if (stages_) record_.timed(name, work);
    else work();
  }

  template <class T>
  bool same(const vector<T>& a, const vector<T>& b, std::int64_t number) const {
    return backend_.equal(a.begin(), a.begin() + number, b.begin());
  }

  static thrust::counting_iterator<std::uint32_t> all() { return thrust::counting_iterator<std::uint32_t>(0); }
  is_visible seen() { return {data(splats_), view_}; }
  std::int64_t visible_bound() { return backend_.bound(&counts()->visible, number_); }
  // What entries are sorted by: a tile's bits, which stand above those of the depth if a key has both, or all.
  onepass::radix_options bits() const {
    if (way_ == sort_way::depth) return onepass::ascending(0, grid_.bits());
    return onepass::ascending(way_ == sort_way::global ? 0 : 32, 32 + grid_.bits());
  }
  frame_counts read() const { return counts_[0]; }
  auto policy() { return backend_.policy().with(*memory_); }
  frame_counts* counts() { return data(counts_); }

  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  bool stages_ = false;
  tile_grid grid_;
  sort_way way_;
  std::int64_t number_;
  index_t room_ = 0;  // for entries
  int degree_;
  vec3 background_;
  camera view_;
  std::optional<onepass::workspace> memory_;
  vector<solid_splat> splats_;
  vector<vec3> colours_;
  vector<std::uint32_t> visible_;         // which splats
  vector<std::uint32_t> depths_, order_;  // of these, and their ranks
  vector<flat_splat> flat_;
  vector<index_t> ends_;             // of each one's entries
  vector<std::uint64_t> keys_;       // an entry's tile and depth, or
  vector<std::uint32_t> tile_keys_;  // its tile
  vector<std::uint32_t> listed_;     // its splat
  vector<index_t> begins_;           // of each tile's entries
  vector<frame_counts> counts_;
  vector<vec3> pixels_;
};

}  // namespace splats
