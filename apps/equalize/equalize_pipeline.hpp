// SPDX-License-Identifier: Apache-2.0
// Equalises a picture on a backend. A histogram is made of sorted bins: their run lengths. Its running sums, tile by tile, are
// the map from old luminances to new ones. For a pixel some 20 bytes of memory are taken beside the picture and the result.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "luminance.hpp"
#include "picture.hpp"

namespace equalize {

template <class Backend>
class equalize_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  equalize_pipeline(const Backend& backend, const picture& what, tile_grid grid, double clip)
      : backend_(backend),
        record_(backend),
        channels_(what.channels),
        pixels_(static_cast<std::int64_t>(what.pixels())),
        grid_(grid),
        bins_(std::int64_t{1} << what.depth),
        all_bins_(grid.tiles() * bins_),
        limit_{grid, bins_, clip},
        samples_(what.samples.begin(), what.samples.end()),
        result_(what.samples.size()),
        light_(what.pixels()),
        levels_(static_cast<std::size_t>(all_bins_)),
        bin_of_(what.pixels()),
        run_bins_(static_cast<std::size_t>(std::min(pixels_, all_bins_))),
        run_lengths_(run_bins_.size()),
        histogram_(levels_.size()),
        sums_(levels_.size()),
        excess_(static_cast<std::size_t>(grid.tiles())),
        lit_(what.pixels()) {}

  // All steps. `beside_peers`: stages() then has those that are calls of onepass's beside a peer.
  void run(bool beside_peers) {
    record_.start(beside_peers);
    beside_peers_ = beside_peers;
    if (beside_peers && peer_bins_.empty()) {
      peer_bins_ = bin_of_;
      peer_run_bins_ = run_bins_;
      peer_lengths_ = run_lengths_;
      peer_sums_ = sums_;
      peer_lit_ = lit_;
    }
    record_.timed("find bins", [&] {
      backend_.for_each(pixels_, find_bin{data(samples_), channels_, grid_, bins_, data(light_), data(bin_of_)});
    });
    count();
    if (limit_.clip > 0) clip();
    sum_up();
    record_.timed("map pixels", [&] {
      backend_.for_each(all_bins_, level_of_bin{data(sums_), grid_, bins_, data(levels_)});
      backend_.for_each(pixels_,
                        map_pixel{data(samples_), data(light_), data(levels_), channels_, grid_, bins_, data(result_)});
    });
    find_lit();
  }

  const std::vector<apps::comparison>& stages() const { return record_.stages(); }
  std::vector<sample> result() const { return apps::to_host(result_); }
  // The indices of pixels that are not black, in rising order.
  std::vector<std::uint32_t> lit() const {
    std::vector<std::uint32_t> indices(static_cast<std::size_t>(lit_count_));
    thrust::copy(lit_.begin(), lit_.begin() + lit_count_, indices.begin());
    return indices;
  }

 private:
  void count() {
    if (beside_peers_) thrust::copy(bin_of_.begin(), bin_of_.end(), peer_bins_.begin());
    onepass::radix_options bits;
    while (bits.end_bit < 32 && (all_bins_ - 1) >> std::max(bits.end_bit, 0) > 0)
      bits.end_bit = std::max(bits.end_bit, 0) + 1;
    const auto first = bin_of_.begin(), last = bin_of_.end();
    record_.compared(
        "sort bins", "onepass::radix_sort", Backend::sort_keys_name,
        [&] { onepass::radix_sort(backend_.policy(), first, last, bits); },
        [&] { backend_.peer_sort_keys(peer_bins_.begin(), peer_bins_.end()); },
        [&] { return backend_.equal(first, last, peer_bins_.begin()); });
    std::int64_t runs = 0, peer_runs = 0;
    const auto out = run_bins_.begin(), peer_out = peer_run_bins_.begin();
    record_.compared(
        "count runs", "onepass::run_length_encode", Backend::run_lengths_name,
        [&] {
          runs = onepass::run_length_encode(backend_.policy(), first, last, out, run_lengths_.begin()).first - out;
        },
        [&] { peer_runs = backend_.peer_run_lengths(first, last, peer_out, peer_lengths_.begin()) - peer_out; },
        [&] {
          return runs == peer_runs && backend_.equal(out, out + runs, peer_out) &&
                 backend_.equal(run_lengths_.begin(), run_lengths_.begin() + runs, peer_lengths_.begin());
        });
    record_.timed("store counts", [&] {
      backend_.for_each(all_bins_, clear_bin{data(histogram_)});
      backend_.for_each(runs, store_count{data(run_bins_), data(run_lengths_), data(histogram_)});
    });
  }

  void clip() {
    record_.timed("find excess", [&] {
      const auto over = over_indices(excess_of_bin{data(histogram_), limit_});
      onepass::segmented_reduce(backend_.policy(), over, over + all_bins_, onepass::rows(bins_), excess_.begin(), 0U,
                                onepass::sum{});
    });
  }

  // Without a limit no bin has more than its tile's area, and there is no excess.
  void sum_up() {
    const auto counts = over_indices(clipped_bin{data(histogram_), data(excess_), limit_});
    record_.compared(
        "sum up tiles", "onepass::inclusive_segmented_scan", "a loop on the CPU",
        [&] {
          onepass::inclusive_segmented_scan(backend_.policy(), counts, counts + all_bins_, onepass::rows(bins_),
                                            sums_.begin(), onepass::sum{});
        },
        [&] { sum_up_plainly(); }, [&] { return backend_.equal(sums_.begin(), sums_.end(), peer_sums_.begin()); });
  }

  void sum_up_plainly() {
    std::vector<std::uint32_t> sums = apps::to_host(histogram_), excess = apps::to_host(excess_);
    const std::vector<std::uint32_t> counts = sums;
    const clipped_bin clipped{counts.data(), excess.data(), limit_};
    for (std::int64_t j = 0; j < all_bins_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      sums[at] = (j % bins_ == 0 ? 0 : sums[at - 1]) + clipped(j);
    }
    thrust::copy(sums.begin(), sums.end(), peer_sums_.begin());
  }

  void find_lit() {
    const thrust::counting_iterator<std::uint32_t> first(0), last(static_cast<std::uint32_t>(pixels_));
    const auto out = lit_.begin(), peer_out = peer_lit_.begin();
    std::int64_t peer_count = 0;
    const is_lit_at lit{data(light_)};
    record_.compared(
        "keep lit pixels", "onepass::copy_if", Backend::copy_if_name,
        [&] { lit_count_ = onepass::copy_if(backend_.policy(), first, last, out, lit) - out; },
        [&] { peer_count = backend_.peer_copy_if(first, last, peer_out, lit) - peer_out; },
        [&] { return lit_count_ == peer_count && backend_.equal(out, out + lit_count_, peer_out); });
  }

  template <class Function>
  static auto over_indices(const Function& function) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), function);
  }

  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  bool beside_peers_ = false;
  int channels_;
  std::int64_t pixels_;
  tile_grid grid_;
  std::int64_t bins_, all_bins_;  // of a tile, of all tiles
  bin_limit limit_;
  vector<sample> samples_, result_, light_, levels_;
  vector<std::uint32_t> bin_of_, run_bins_, run_lengths_, histogram_, sums_, excess_, lit_;
  vector<std::uint32_t> peer_bins_, peer_run_bins_, peer_lengths_, peer_sums_, peer_lit_;
  std::int64_t lit_count_ = 0;
};

}  // namespace equalize
