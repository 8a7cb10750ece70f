// SPDX-License-Identifier: Apache-2.0
// Equalises a picture on a backend. The running sums of its histogram, tile by tile, are the map from old luminances to new
// ones. For a pixel some 6 bytes of memory are taken beside the picture and the result.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/histogram.hpp>
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
        histogram_(levels_.size()),
        sums_(levels_.size()),
        excess_(static_cast<std::size_t>(grid.tiles())),
        lit_(what.pixels()) {}

  // All steps. `beside_peers`: stages() then has those that are calls of onepass's beside a peer.
  void run(bool beside_peers) {
    record_.start(beside_peers);
    if (beside_peers && peer_sums_.empty()) {
      peer_histogram_ = histogram_;
      peer_sums_ = sums_;
      peer_lit_ = lit_;
    }
    record_.timed("luminances", [&] {
      backend_.for_each(pixels_, find_light{data(samples_), channels_, data(light_)});
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
    const auto first = over_indices(bin_of_pixel{data(light_), grid_, bins_}), last = first + pixels_;
    record_.compared(
        "count bins", "onepass::histogram", Backend::histogram_name,
        [&] {
          constexpr std::int64_t most = std::int64_t{1} << 24;  // of a call
          for (std::int64_t begin = 0; begin < all_bins_; begin += most) {
            const std::int64_t end = std::min(begin + most, all_bins_);
            onepass::histogram(backend_.policy(), first, last, onepass::value_bins(begin, end),
                               histogram_.begin() + static_cast<std::ptrdiff_t>(begin));
          }
        },
        [&] { backend_.peer_histogram(first, last, all_bins_, data(peer_histogram_)); },
        [&] { return backend_.equal(histogram_.begin(), histogram_.end(), peer_histogram_.begin()); });
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
  int channels_;
  std::int64_t pixels_;
  tile_grid grid_;
  std::int64_t bins_, all_bins_;  // of a tile, of all tiles
  bin_limit limit_;
  vector<sample> samples_, result_, light_, levels_;
  vector<std::uint32_t> histogram_, sums_, excess_, lit_;
  vector<std::uint32_t> peer_histogram_, peer_sums_, peer_lit_;
  std::int64_t lit_count_ = 0;
};

}  // namespace equalize
