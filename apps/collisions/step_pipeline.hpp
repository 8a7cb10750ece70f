// SPDX-License-Identifier: Apache-2.0
// Steps of all spheres on a backend. Their cells are sorted, and spheres are moved into that order, so that neighbours are near
// in memory and stay so. Runs of equal cells and their sum say where each cell's spheres begin (Green, "Particle Simulation
// using CUDA", 2008); pairs in neighbouring cells are counted, numbered by a scan and listed (Le Grand, "Broad-Phase
// Collision Detection with CUDA", GPU Gems 3, chapter 32, 2007); those that touch are kept, and what they do to each sphere is
// summed by key (Ericson, "Real-Time Collision Detection", 2005, has the phases). Numbers of items stay on the backend: no
// call in a step waits or allocates. For a sphere some 200 bytes of memory are taken, and 8 for each pair, of which a heap has
// about 40 a sphere. This file is over 300 lines because it has a peer beside each call.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/workspace.hpp>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "scene.hpp"
#include "step_functions.hpp"

namespace collisions {

// Of several steps.
struct steps_result {
  std::uint64_t candidates = 0, contacts = 0;  // each pair counts once for either sphere
  double seconds = 0;
};

template <class Backend>
class step_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  // `room`: for how many pairs at first; 0: for what the scene begins with. It grows when steps need more.
  step_pipeline(const Backend& backend, const scene& what, std::int64_t room = 0)
      : backend_(backend),
        record_(backend),
        by_(what.by),
        grid_(grid_of(what.by.box)),
        number_(static_cast<std::int64_t>(what.bodies.size())),
        cell_counts_(static_cast<std::size_t>(grid_.count())),
        begins_(static_cast<std::size_t>(grid_.count()) + 1),
        counts_(1) {
    std::vector<sphere> shapes;
    std::vector<motion> moves;
    for (const body& b : what.bodies) shapes.push_back(b.shape), moves.push_back(b.move);
    shapes_ = shapes, other_shapes_ = shapes;
    moves_ = moves, other_moves_ = moves;
    for (vector<std::uint32_t>* items : {&keys_, &order_, &run_keys_, &run_lengths_}) items->resize(shapes.size());
    ends_.resize(shapes.size());
    pushes_.resize(shapes.size());
    sums_.resize(shapes.size());
    while (key_bits_ < 32 && grid_.count() >> key_bits_ > 0) ++key_bits_;
    make_room(room > 0 ? room : 32 * number_);
  }

  steps_result run(int steps) {
    steps_result result;
    const step_counts counts = with_room([&] {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < steps; ++i) step();
      backend_.wait();
      result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
    result.candidates = static_cast<std::uint64_t>(counts.all_candidates);
    result.contacts = static_cast<std::uint64_t>(counts.all_contacts);
    return result;
  }

  // A step stage by stage, each beside a peer.
  const std::vector<apps::comparison>& compare() {
    with_room([&] {
      record_.start();
      stages_ = true;
      step();
      stages_ = false;
    });
    return record_.stages();
  }

  arranged_spheres arranged() {
    arrange();
    return {bodies_view(), grid_, data(begins_)};
  }

  // In the order of their ids.
  std::vector<body> bodies() const {
    const std::vector<sphere> shapes = apps::to_host(shapes_);
    const std::vector<motion> moves = apps::to_host(moves_);
    std::vector<body> result(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) result[moves[i].id] = {shapes[i], moves[i]};
    return result;
  }

  // The deepest overlap of two spheres before the last step.
  float deepest() const {
    push all;
    for (const push& p : apps::to_host(pushes_)) all.depth = apps::larger(all.depth, p.depth);
    return static_cast<float>(all.depth) / quanta;
  }

 private:
  // Does `work`, again with more room where there was not enough for its pairs.
  template <class Work>
  step_counts with_room(Work work) {
    saved_shapes_ = shapes_, saved_moves_ = moves_;
    for (;;) {
      counts_[0] = step_counts{};
      work();
      const step_counts counts = read();
      if (counts.most_candidates <= room_) return counts;
      shapes_ = saved_shapes_, moves_ = saved_moves_;
      make_room(counts.most_candidates + counts.most_candidates / 4);
    }
  }

  void make_room(std::int64_t room) {
    room_ = room;
    pairs_ = vector<pair>();  // gives its memory back first
    pairs_ = vector<pair>(static_cast<std::size_t>(room_));
    const auto size = onepass::measure(backend_.policy(), [&](const auto& policy) {
      sort_by_cell(policy);
      count_in_cells(policy);
      begin_cells(policy);
      number_candidates(policy);
      keep_contacts(policy);
      sum_pushes(policy);
    });
    memory_.emplace(backend_.policy(), size);
  }

  void step() {
    arrange();
    find_candidates();
    keep_contacts();
    sum_pushes();
    stage("move", [&] {
      backend_.for_each(backend_.bound(&counts()->pushed, number_),
                        scatter<push>{data(run_keys_), data(sums_), &counts()->pushed, data(pushes_)});
      backend_.for_each(number_, advance_body{bodies_view(), by_, data(pushes_), counts()});
    });
  }

  // ---- the stages -----------------------------------------------------------------------------------------------------------
  void arrange() {
    stage("find cells", [&] {
      backend_.for_each(number_, find_cell{bodies_view(), grid_, data(keys_), data(order_)});
    });
    sort_by_cell();
    stage("gather", [&] {
      const body_view to{data(other_shapes_), data(other_moves_)};
      backend_.for_each(number_, gather_body{bodies_view(), data(order_), to, data(pushes_)});
      shapes_.swap(other_shapes_);
      moves_.swap(other_moves_);
    });
    count_in_cells();
    stage("scatter counts", [&] {
      backend_.for_each(grid_.count(), set_zero<std::uint32_t>{data(cell_counts_)});
      backend_.for_each(
          backend_.bound(&counts()->cells, number_),
          scatter<std::uint32_t>{data(run_keys_), data(run_lengths_), &counts()->cells, data(cell_counts_)});
    });
    begin_cells();
  }

  void find_candidates() {
    stage("count candidates", [&] {
      backend_.for_each(number_, count_candidates{bodies_view(), grid_, data(begins_), data(ends_)});
    });
    number_candidates();
    stage("list candidates", [&] {
      backend_.for_each(number_,
                        list_candidates{bodies_view(), grid_, data(begins_), data(ends_), room_, data(pairs_)});
      backend_.for_each(1, begin_counts{data(ends_), number_, room_, counts()});
    });
  }

  // ---- those that are a call, alone or beside a peer ------------------------------------------------------------------------
  void sort_by_cell() {
    if (!stages_) return sort_by_cell(policy());
    typename Backend::template peer_sort<std::uint32_t, thrust::less<std::uint32_t>> peer(backend_, keys_, order_,
                                                                                          keys_.size());
    record_.compared(
        "sort by cell", "onepass::radix_sort_by_key", Backend::sort_name, [&] { sort_by_cell(policy()); },
        [&] { peer.run(); }, [&] { return peer.equals(keys_, order_); });
  }

  void count_in_cells() {
    if (!stages_) return count_in_cells(policy());
    vector<std::uint32_t> cells(keys_.size()), lengths(keys_.size());
    std::int64_t runs = 0;
    record_.compared(
        "count in cells", "onepass::run_length_encode_async", Backend::run_lengths_name,
        [&] { count_in_cells(policy()); },
        [&] {
          runs = backend_.peer_run_lengths(keys_.begin(), keys_.end(), cells.begin(), lengths.begin()) - cells.begin();
        },
        [&] { return read().cells == runs && same(run_keys_, cells, runs) && same(run_lengths_, lengths, runs); });
  }

  void begin_cells() {
    if (!stages_) return begin_cells(policy());
    vector<std::uint32_t> begins(begins_.size());
    record_.compared(
        "begin cells", "onepass::inclusive_scan", Backend::scan_name, [&] { begin_cells(policy()); },
        [&] { backend_.peer_inclusive_scan(cell_counts_.begin(), cell_counts_.end(), begins.begin() + 1); },
        [&] { return same(begins_, begins, grid_.count() + 1); });
  }

  void number_candidates() {
    if (!stages_) return number_candidates(policy());
    vector<onepass::index_t> ends = ends_;
    record_.compared(
        "number candidates", "onepass::inclusive_scan", Backend::scan_name, [&] { number_candidates(policy()); },
        [&] { backend_.peer_inclusive_scan(ends.begin(), ends.end(), ends.begin()); },
        [&] { return same(ends_, ends, number_); });
  }

  void keep_contacts() {
    if (!stages_) return keep_contacts(policy());
    const std::int64_t candidates = read().candidates;
    const vector<pair> all(pairs_.begin(), pairs_.begin() + candidates);
    vector<pair> kept(all.size());
    std::int64_t number = 0;
    record_.compared(
        "keep contacts", "onepass::copy_if_async", Backend::copy_if_name, [&] { keep_contacts(policy()); },
        [&] {
          const auto out = kept.begin();
          number = backend_.peer_copy_if(all.begin(), all.end(), out, touches{bodies_view()}) - out;
        },
        [&] { return read().contacts == number && same(pairs_, kept, number); });
  }

  void sum_pushes() {
    if (!stages_) return sum_pushes(policy());
    const std::int64_t contacts = read().contacts;
    vector<std::uint32_t> spheres(keys_.size());
    vector<push> sums(sums_.size());
    std::int64_t runs = 0;
    record_.compared(
        "sum pushes", "onepass::reduce_by_key_async", Backend::reduce_name, [&] { sum_pushes(policy()); },
        [&] {
          const auto out = spheres.begin();
          runs = backend_.peer_reduce_by_key(pair_keys(), pair_keys() + contacts, pair_pushes(), out, sums.begin(),
                                             sum_of_pushes{}) -
                 out;
        },
        [&] { return read().pushed == runs && same(run_keys_, spheres, runs) && same(sums_, sums, runs); });
  }

  // ---- calls of onepass's ---------------------------------------------------------------------------------------------------
  template <class Policy>
  void sort_by_cell(const Policy& policy) {
    onepass::radix_options bits;
    bits.end_bit = key_bits_;
    onepass::radix_sort_by_key(policy, keys_.begin(), keys_.end(), order_.begin(), bits);
  }
  template <class Policy>
  void count_in_cells(const Policy& policy) {
    onepass::run_length_encode_async(policy, keys_.begin(), keys_.end(), run_keys_.begin(), run_lengths_.begin(),
                                     &counts()->cells);
  }
  template <class Policy>
  void begin_cells(const Policy& policy) {
    onepass::inclusive_scan(policy, cell_counts_.begin(), cell_counts_.end(), begins_.begin() + 1);
  }
  template <class Policy>
  void number_candidates(const Policy& policy) {
    onepass::inclusive_scan(policy, ends_.begin(), ends_.end(), ends_.begin());
  }
  // In place: contacts come to the front.
  template <class Policy>
  void keep_contacts(const Policy& policy) {
    onepass::copy_if_async(policy.sized_by(&counts()->candidates), pairs_.begin(), pairs_.end(), pairs_.begin(),
                           touches{bodies_view()}, &counts()->contacts);
  }
  template <class Policy>
  void sum_pushes(const Policy& policy) {
    onepass::reduce_by_key_async(policy.sized_by(&counts()->contacts), pair_keys(), pair_keys() + room_, pair_pushes(),
                                 run_keys_.begin(), sums_.begin(), thrust::equal_to<std::uint32_t>(), sum_of_pushes{},
                                 &counts()->pushed);
  }

  auto pair_keys() { return thrust::make_transform_iterator(pairs_.begin(), first_of_pair{}); }
  auto pair_pushes() { return thrust::make_transform_iterator(pairs_.begin(), push_of_pair{bodies_view(), by_}); }

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

  step_counts read() const { return counts_[0]; }
  auto policy() { return backend_.policy().with(*memory_); }
  body_view bodies_view() { return {data(shapes_), data(moves_)}; }
  step_counts* counts() { return data(counts_); }

  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  bool stages_ = false;
  rules by_;
  cell_grid grid_;
  std::int64_t number_, room_ = 0;  // of spheres, for pairs
  int key_bits_ = 1;
  std::optional<onepass::workspace> memory_;
  vector<sphere> shapes_, other_shapes_, saved_shapes_;
  vector<motion> moves_, other_moves_, saved_moves_;
  vector<std::uint32_t> keys_, order_;  // cells, and where spheres were before they are sorted
  vector<std::uint32_t> run_keys_, run_lengths_;
  vector<std::uint32_t> cell_counts_, begins_;
  vector<onepass::index_t> ends_;  // of each sphere's candidates
  vector<pair> pairs_;             // candidates, then contacts
  vector<push> sums_, pushes_;     // of the spheres that touch another one, of all
  vector<step_counts> counts_;
};

}  // namespace collisions
