// SPDX-License-Identifier: Apache-2.0
// How a call is executed: with which policy, workspace, stream, in a graph, on as many items as memory says. Nothing of it
// changes what a call computes.
#pragma once

#include <thrust/execution_policy.h>

#include <limits>

#include <onepass/workspace.hpp>
#include "case.hpp"
#if ONEPASS_HAS_CUDA
#include "../support/occupier.hpp"
#else  // what these policies are, without the systems' algorithms
#include <thrust/system/omp/detail/par.h>
#include <thrust/system/tbb/detail/par.h>
#endif

namespace fuzz {

struct pointer;

// Thrust's policies, and sizes in memory, are types of their own, for which a call is compiled again: only these shapes are
// executed so.
template <class T, class... Kinds>
constexpr bool in_all_ways = std::is_same_v<T, std::int32_t> && (std::is_same_v<Kinds, pointer> && ...);

template <bool all_ways = false>
class execution {
 public:
  // Of a call that may work on `room` items.
  execution(test_case& c, std::int64_t room, bool needs_policy = false) : c_(c), size_(static_cast<std::size_t>(room)) {
    constexpr int of_choice[] = {1, 2, 7, 0};
    threads_ = of_choice[c.d.below("threads", 4)];
    if (!needs_policy && c.d.one_in("no_policy", 8)) way_ = way::none;
    else if (all_ways && c.d.one_in("thrusts", 4)) way_ = way::thrusts;
    else if (all_ways && c.d.one_in("sized", 4)) way_ = way::sized;
    with_workspace_ = has_own() && c.d.one_in("workspace", 3);
    own_stream_ = on_device && c.d.coin("stream");
    in_graph_ = own_stream_ && has_own() && c.d.one_in("graph", 3);
    if (way_ == way::thrusts) which_ = c.d.below("which", on_device ? 3 : 5);
    if (way_ == way::sized) draw_size(room);
    c.policy_text = text();
  }
  auto policy() const {
#if ONEPASS_HAS_CUDA
    return onepass::cuda(own_stream_ ? stream().get() : nullptr);
#else
    return onepass::cpu(threads_);
#endif
  }
  // On how many of its items the call works.
  std::size_t size() const { return size_; }
  template <class... Lists>
  void cut(Lists&... lists) const {
    (lists.resize(size_), ...);
  }

  // Runs call(policy...), which does not wait for the device.
  template <class Call>
  void run(const Call& call) const {
    run(call, in_graph_);
  }
  // For calls that wait, which no graph can.
  template <class Call>
  void run_waiting(const Call& call) const {
    run(call, false);
  }
  // For calls on pointers, which tell not where they lie: on the device they have to be given a policy.
  template <class Call>
  void run_on_pointers(const Call& call) const {
    if constexpr (on_device) {
      ++c_.calls;
      if (way_ == way::sized) run_with(policy().sized_by(size_place()), call, in_graph_);
      else run_with(policy(), call, in_graph_);
      backend::synchronize();
    } else {
      run(call);
    }
  }
  // With another number of threads results are the same in every bit.
  void take_other_threads() { threads_ = threads_ == 1 ? 3 : 1; }

 private:
  enum class way { own, none, thrusts, sized };
  bool has_own() const { return way_ == way::own || way_ == way::sized; }
  std::string text() const {
    const std::string own =
        on_device ? "onepass::cuda()" : "onepass::cpu(" + (threads_ > 0 ? number(threads_) : "") + ")";
    const char* const thrusts[] = {
        on_device ? "thrust::device" : "thrust::host", on_device ? "thrust::cuda::par.on(0)" : "thrust::seq",
        on_device ? "thrust::cuda::par_nosync.on(0)" : "thrust::cpp::par", "thrust::omp::par", "thrust::tbb::par"};
    switch (way_) {
      case way::none: return "";
      case way::thrusts: return thrusts[which_];
      case way::sized: return own + ".sized_by(size)";
      default: return own;
    }
  }
  // Also less than none, and more than there is room for; of such that look like others in 32 bits.
  void draw_size(std::int64_t room) {
    constexpr std::int64_t far[] = {0, std::int64_t{1} << 32, -(std::int64_t{1} << 32), std::int64_t{1} << 31};
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t at = c_.d.one_in("far_size", 6) ? c_.d.below("far", 6) : 0;
    const std::int64_t near = c_.d.magnitude("size", 2 * room + 20) - 10;
    const std::int64_t asked = at < 4 ? far[at] + near : at == 4 ? most : -most - 1;
    c_.line("onepass::index_t size[] = {" + number(asked) + "};");
    place_ = &c_.memory("the policy's size", sizeof asked);
    place_->store(&asked);
    size_ = static_cast<std::size_t>(std::max<std::int64_t>(0, std::min(asked, room)));
  }

  const onepass::index_t* size_place() const { return reinterpret_cast<const onepass::index_t*>(place_->data()); }

  template <class Call>
  void run(const Call& call, bool in_graph) const {
    ++c_.calls;
    if (way_ == way::none) {
      call();
    } else if constexpr (all_ways) {
      if (way_ == way::thrusts) run_with_thrusts(call);
      else if (way_ == way::sized) run_with(policy().sized_by(size_place()), call, in_graph);
      else run_with(policy(), call, in_graph);
    } else {
      run_with(policy(), call, in_graph);
    }
    backend::synchronize();
  }
  template <class Call>
  void run_with_thrusts(const Call& call) const {
#if ONEPASS_HAS_CUDA
    if (which_ == 0) call(thrust::device);
    else if (which_ == 1) call(thrust::cuda::par.on(policy().stream()));
    else call(thrust::cuda::par_nosync.on(policy().stream()));
#else
    if (which_ == 0) call(thrust::host);
    else if (which_ == 1) call(thrust::seq);
    else if (which_ == 2) call(thrust::cpp::par);
    else if (which_ == 3) call(thrust::omp::par);
    else call(thrust::tbb::par);
#endif
  }
  template <class Policy, class Call>
  void run_with(const Policy& policy, const Call& call, bool in_graph) const {
    if (!with_workspace_) return run_once_or_twice([&] { call(policy); }, in_graph);
    const onepass::workspace_size size = onepass::measure(policy, call);
    const block& place = c_.memory("the workspace", size.bytes());
    onepass::workspace memory(policy, size, place.data());
    run_once_or_twice([&] { call(policy.with(memory)); }, in_graph);
    backend::synchronize();
  }
  // In a graph the call is made twice, on the same items.
  template <class Call>
  void run_once_or_twice(const Call& call, bool in_graph) const {
#if ONEPASS_HAS_CUDA
    if (in_graph) {
      backend::synchronize();
      const device_slab::copy before;
      const test::graph captured(stream(), call);
      captured.launch(stream());
      backend::synchronize();
      before.restore();
      captured.launch(stream());
      return backend::synchronize();
    }
#endif
    (void)in_graph;
    call();
  }
#if ONEPASS_HAS_CUDA
  static const test::stream& stream() {
    static const test::stream own;
    return own;
  }
#endif

  test_case& c_;
  std::size_t size_;
  way way_ = way::own;
  int threads_;
  std::int64_t which_ = 0;
  const block* place_ = nullptr;
  bool with_workspace_, own_stream_, in_graph_;
};

}  // namespace fuzz
