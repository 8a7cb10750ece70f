// SPDX-License-Identifier: Apache-2.0
// Traces paths in waves on a backend: all paths of a wave take a step before any takes the next one. After each bounce those
// that live on are compacted, sorted by direction and origin, and moved together in memory, so that neighbouring threads of a
// GPU, and neighbouring rays of a CPU's cache, walk through the same part of the hierarchy. A wave takes bytes_of_path of
// memory a path, the scene some 190 a primitive while it is built.
// Methods: Laine, Karras, Aila, "Megakernels Considered Harmful: Wavefront Path Tracing on GPUs" (2013); Garanzha and Loop,
// "Fast Ray Sorting and Breadth-First Packet Traversal for GPU Ray Tracing" (2010).
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>

#include <thrust/copy.h>
#include <thrust/functional.h>

#include <cstdint>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "path_steps.hpp"
#include "scene.hpp"

namespace rays {

// With what a radix sort of the keys takes.
constexpr std::uint64_t bytes_of_path =
    sizeof(vec3) + 2 * sizeof(path) + sizeof(hit) + sizeof(shadow_ray) + 4 * sizeof(ray_key);

// What is done between bounces.
enum class path_order { as_begun, compacted, sorted };

template <class Backend>
class wave_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  // Copies the scene to the backend's memory and builds the hierarchy; stages() then has the steps of that, beside peers.
  wave_pipeline(const Backend& backend, const scene& what, std::uint64_t seed, int bounces, std::int64_t most_paths)
      : backend_(backend),
        record_(backend),
        view_(what.view),
        horizon_(what.horizon),
        zenith_(what.zenith),
        curve_(what.middle),
        bounces_(bounces),
        pixels_(static_cast<std::uint32_t>(what.view.width * what.view.height)),
        seed_(seed),
        materials_(what.materials.begin(), what.materials.end()),
        lights_(what.lights.begin(), what.lights.end()),
        film_(pixels_),
        radiance_(static_cast<std::size_t>(most_paths)) {
    for (vector<path>& paths : paths_) paths = vector<path>(radiance_.size());
    hits_ = vector<hit>(radiance_.size());
    shadows_ = vector<shadow_ray>(radiance_.size());
    for (vector<ray_key>* keys : {&keys_, &living_keys_, &peer_keys_}) *keys = vector<ray_key>(radiance_.size());
    for (int time = 0; time < 2; ++time)
      build(what);  // the first time is to allocate memory and to load the GPU's code
  }

  // All paths of `samples` samples of each pixel, from number `first` on. radiance() then has what they have seen, sample by
  // sample. `stages`: each step is timed alone and beside its peer, and stages() has them. Returns how many paths there were
  // at first, and how many went on after each bounce; only of paths that are compacted.
  std::vector<std::int64_t> trace(std::uint64_t first, std::uint32_t samples, path_order order, bool stages = false) {
    record_.start();
    stages_ = stages;
    which_ = {seed_, first, pixels_};
    samples_ = samples;
    count_ = static_cast<std::int64_t>(pixels_) * samples;
    now_ = 0;
    std::vector<std::int64_t> living{count_};
    step("begin", [&] { backend_.for_each(count_, begin_paths{view_, which_, data(paths_[0]), data(radiance_)}); });
    for (int bounce = 0; bounce <= bounces_ && count_ > 0; ++bounce) {
      find_and_end(bounce);
      if (bounce == bounces_) break;
      go_on(bounce);
      if (order != path_order::as_begun) compact();
      if (order == path_order::sorted) sort();
      if (order != path_order::as_begun) move();
      living.push_back(count_);
    }
    backend_.wait();
    return living;
  }

  // Adds the last wave's samples to the film.
  void expose_film() { backend_.for_each(pixels_, expose{data(radiance_), pixels_, samples_, data(film_)}); }

  const std::vector<apps::comparison>& stages() const { return record_.stages(); }
  std::vector<exposed_pixel> film() const { return apps::to_host(film_); }
  std::vector<vec3> radiance() const {
    const auto count = static_cast<std::ptrdiff_t>(pixels_) * samples_;
    std::vector<vec3> result(static_cast<std::size_t>(count));
    thrust::copy(radiance_.begin(), radiance_.begin() + count, result.begin());
    return result;
  }

 private:
  void build(const scene& what) {
    const vector<primitive> unsorted(what.primitives.begin(), what.primitives.end());
    const auto count = static_cast<std::int64_t>(unsorted.size());
    vector<std::uint64_t> codes(unsorted.size());
    vector<std::uint32_t> order(unsorted.size()), parents(2 * unsorted.size() - 1), arrived(unsorted.size());
    primitives_ = vector<primitive>(unsorted.size());
    nodes_ = vector<bvh_node>(unsorted.size() - 1);
    box all = box_of(what.primitives.front());
    for (const primitive& p : what.primitives) all = around(all, box_of(p));
    record_.start();
    record_.timed("Morton codes", [&] {
      const primitive* const from = apps::pointer_to(unsorted);
      backend_.for_each(count, find_code{from, morton_curve(all), data(codes), data(order)});
    });
    onepass::radix_options bits;
    bits.end_bit = 63;
    typename Backend::template peer_sort<std::uint64_t, thrust::less<std::uint64_t>> peer(backend_, codes, order,
                                                                                          unsorted.size());
    record_.compared(
        "sort codes", "onepass::radix_sort_by_key", Backend::sort_name,
        [&] { onepass::radix_sort_by_key(backend_.policy(), codes.begin(), codes.end(), order.begin(), bits); },
        [&] { peer.run(); }, [&] { return peer.equals(codes, order); });
    record_.timed("nodes", [&] {
      backend_.for_each(count, gather_primitive{apps::pointer_to(unsorted), data(order), data(primitives_)});
      backend_.for_each(count - 1, find_node{data(codes), count, data(nodes_), data(parents)});
    });
    record_.timed("boxes", [&] {
      backend_.for_each(count, find_boxes{data(primitives_), count, data(parents), data(arrived), data(nodes_)});
    });
  }

  void find_and_end(int bounce) {
    step("find hits", [&] { backend_.for_each(count_, find_hits{bvh(), data(paths_[now_]), data(hits_)}); });
    step("end paths", [&] {
      backend_.for_each(
          count_, end_paths{bvh(), view(), which_, bounce, bounces_, data(paths_[now_]), data(hits_), data(radiance_)});
    });
  }

  void compact() {
    const auto first = keys_.begin(), last = first + count_, out = living_keys_.begin(), peer_out = peer_keys_.begin();
    std::int64_t kept = 0, peer_kept = 0;
    step(
        "compact", "onepass::copy_if", Backend::copy_if_name,
        [&] { kept = onepass::copy_if(backend_.policy(), first, last, out, is_living{}) - out; },
        [&] { peer_kept = backend_.peer_copy_if(first, last, peer_out, is_living{}) - peer_out; },
        [&] { return kept == peer_kept && backend_.equal(out, out + kept, peer_out); });
    count_ = kept;
  }

  void sort() {
    onepass::radix_options bits;
    bits.begin_bit = first_key_bit, bits.end_bit = last_key_bit;
    const auto first = living_keys_.begin(), last = first + count_, peer_first = peer_keys_.begin();
    step(
        "sort", "onepass::radix_sort", Backend::sort_keys_name,
        [&] { onepass::radix_sort(backend_.policy(), first, last, bits); },
        [&] { backend_.peer_sort_keys(peer_first, peer_first + count_); },
        [&] { return backend_.equal(first, last, peer_first); });
  }

  void move() {
    const int other = 1 - now_;
    step("move", [&] {
      backend_.for_each(count_, move_paths{data(living_keys_), data(paths_[now_]), data(paths_[other])});
    });
    now_ = other;
  }

  void go_on(int bounce) {
    step("scatter", [&] {
      backend_.for_each(count_, scatter_paths{bvh(), view(), which_, curve_, bounce, data(paths_[now_]), data(hits_),
                                              data(shadows_), data(keys_)});
    });
    step("ask lamps", [&] {
      backend_.for_each(count_, light_paths{bvh(), data(paths_[now_]), data(shadows_), data(radiance_)});
    });
  }

  template <class Work>
  void step(const char* name, Work work) {
    if (stages_) record_.timed(name, work);
    else work();
  }
  template <class Work, class Peer, class Agree>
  void step(const char* name, const char* call, const char* peer_name, Work work, Peer peer, Agree agree) {
    if (stages_) record_.compared(name, call, peer_name, work, peer, agree);
    else work();
  }

  bvh_view bvh() { return {data(nodes_), data(primitives_)}; }
  scene_view view() {
    return {data(materials_), data(lights_), static_cast<std::uint32_t>(lights_.size()), horizon_, zenith_};
  }
  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  camera view_;
  vec3 horizon_, zenith_;
  morton_curve curve_;
  int bounces_;
  std::uint32_t pixels_;
  std::uint64_t seed_;
  bool stages_ = false;
  vector<primitive> primitives_;  // in the order of their codes
  vector<bvh_node> nodes_;
  vector<material> materials_;
  vector<light> lights_;
  vector<exposed_pixel> film_;
  vector<vec3> radiance_;  // by slot
  wave which_{};
  std::uint32_t samples_ = 0;
  std::int64_t count_ = 0;  // of the paths that are still in the arrays
  int now_ = 0;             // which arrays they are in
  vector<path> paths_[2];
  vector<hit> hits_;
  vector<shadow_ray> shadows_;
  vector<ray_key> keys_, living_keys_, peer_keys_;
};

}  // namespace rays
