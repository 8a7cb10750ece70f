// SPDX-License-Identifier: Apache-2.0
// A problem is one operator on one type at one size: its input, its output, and the contenders that solve it. Nothing
// is allocated before the problem is set up. Every contender's result is compared with that of the first peer.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu.hpp"
#include "gpu.hpp"
#include "range.hpp"

#if ONEPASS_BENCH_TBB
#include <execution>
#endif

namespace bench {

template <class Where>
class problem {
 public:
  static constexpr index_t no_count = -1;
  using call = std::function<index_t()>;  // returns the number of items in the result, if it knows

  struct contender {
    std::string name;
    std::function<call()> prepare;  // gets workspace; the call holds it
    bool is_checked = true;
    double seconds = 0;     // a call; 0: not measured
    std::string note = {};  // for the JSON file and the program's table
  };

  problem(std::string name, index_t n, Where& where, std::uint32_t seed)
      : name_(std::move(name)), n_(n), where_(where), random_{seed} {
    contenders_.push_back({"memcpy", [this] { return prepare_copy(); }, false});
    if constexpr (!Where::is_gpu) {
      if (where_.threads() > 1) contenders_.push_back({"memcpy_1_thread", [this] { return prepare_copy(1); }, false});
    }
  }

  // ---- described by the benchmark's file
  index_t n() const { return n_; }
  auto policy() const { return where_.policy(); }
  random_bits random() const { return random_; }

  template <class Generator>
  range<typename Generator::type> reads(Generator generate) {
    return reads(generate, n_);
  }
  template <class Generator>
  range<typename Generator::type> reads(Generator generate, index_t n) {
    const auto r = add_array<typename Generator::type>(inputs_, n);
    inputs_.back().fill = [this, r, generate] { where_.fill(r.begin(), r.size(), generate); };
    return r;
  }
  // An array for peers that need the input in another form as well, of n items unless said: its bytes do not count.
  template <class Generator>
  range<typename Generator::type> reads_uncounted(Generator generate, index_t n = -1) {
    const auto r = reads(generate, n < 0 ? n_ : n);
    inputs_.back().counts = false;
    return r;
  }
  // An output, of n items unless said, every one of which is compared.
  template <class T>
  range<T> writes(index_t n = -1, bool bytes_count = true) {
    const auto r = add_array<T>(outputs_, n < 0 ? n_ : n);
    outputs_.back().counts = bytes_count;
    return r;
  }
  // One count, of the items that the outputs have: just those are compared. A call may return it instead.
  range<index_t> writes_count() {
    count_ = std::make_shared<void*>(nullptr);
    return range<index_t>(count_, 1);
  }
  // Counts that are not looked at: the outputs are compared in full.
  range<index_t> ignores_count(index_t counts = 1) {
    const auto r = add_array<index_t>(inputs_, counts);
    inputs_.back().fill = [] {};
    inputs_.back().counts = false;
    return r;
  }
  // Before each call `to` is made the same as `from`; that does not count as time.
  template <class T>
  void restores(range<T> to, range<T> from) {
    restores_.push_back([this, to, from] { where_.copy(to.begin(), from.begin(), from.bytes()); });
  }

  // f(policy) calls onepass; its workspace is measured and allocated before. On the CPU also with one thread.
  template <class F>
  void onepass(F f) {
    if constexpr (!Where::is_gpu) {
      if (where_.threads() > 1) add_onepass("onepass_1_thread", ::onepass::cpu(1), f);
    }
    add_onepass("onepass", where_.policy(), f);
  }
  template <class Policy, class F>
  void add_onepass(const char* name, const Policy& policy, F f) {
    add(name, [policy, f] {
      const auto size = ::onepass::measure(policy, f);
      auto memory = std::make_shared<::onepass::workspace>(policy, size);
      return as_call([f, policy, memory] { return f(policy.with(*memory)); });
    });
  }
  // f(policy) calls Thrust: on the GPU with its own allocations and synchronisation, on the CPU on OpenMP and on TBB.
  template <class F>
  void thrust(F f) {
#if ONEPASS_HAS_CUDA
    if constexpr (Where::is_gpu) {
      if (where_.in_graph()) return;  // Thrust waits, which a captured stream cannot do
      add("thrust",
          [this, f] { return as_call([f, policy = ::thrust::cuda::par.on(where_.stream())] { return f(policy); }); });
      return;
    }
#endif
#if ONEPASS_BENCH_OPENMP
    if constexpr (!Where::is_gpu) add("omp", [f] { return as_call([f] { return f(::thrust::omp::par); }); });
#endif
#if ONEPASS_BENCH_TBB
    if constexpr (!Where::is_gpu) add("tbb", [f] { return as_call([f] { return f(::thrust::tbb::tag{}); }); });
#endif
    (void)f;
  }
#if ONEPASS_HAS_CUDA
  // The same on the GPU, with memory that Thrust finds allocated.
  template <class F>
  void thrust_without_allocation(F f) {
    if constexpr (Where::is_gpu) {
      if (where_.in_graph()) return;
      add("thrust_no_alloc", [this, f] {
        auto memory = std::make_shared<kept_memory>();
        return as_call([this, f, memory] { return f(::thrust::cuda::par(*memory).on(where_.stream())); });
      });
    }
  }
#endif
  // f(temporary memory, its bytes, stream) calls CUB. GPU only.
  template <class F>
  void cub(F f, const char* name = "cub") {
    if constexpr (Where::is_gpu) {
      add(name, [this, f] {
        std::size_t bytes = 0;
        check_cuda(f(nullptr, bytes, where_.stream()), "CUB");
        std::shared_ptr<void> memory(where_.allocate(bytes), [this](void* p) { where_.release(p); });
        return as_call(
            [this, f, bytes, memory]() mutable { check_cuda(f(memory.get(), bytes, where_.stream()), "CUB"); });
      });
    }
  }
  // f() and f(std::execution::par) call the standard library. CPU only.
  template <class F>
  void standard(F f) {
    if constexpr (!Where::is_gpu) {
      serial(f);
#if ONEPASS_BENCH_TBB
      add("std_par", [f] { return as_call([f] { return f(std::execution::par); }); });
#endif
    }
  }
  // f() is the usual loop, or a call of the standard library that has no parallel form. CPU only.
  template <class F>
  void serial(F f) {
    peer("std", f);
  }
  // f() is a peer of another library. CPU only.
  template <class F>
  void peer(const char* name, F f) {
    if constexpr (!Where::is_gpu) add(name, [f] { return as_call(f); });
  }
  // f(memory, where) calls something that is no peer, with `bytes` of memory of its own.
  template <class F>
  void other(const char* name, std::string note, std::size_t bytes, F f) {
    add(name, [this, f, bytes] {
      std::shared_ptr<void> memory(where_.allocate(bytes), [this](void* p) { where_.release(p); });
      return as_call([this, f, memory] { f(memory.get(), where_); });
    });
    contenders_.back().note = std::move(note);
  }

  // ---- used by the suite
  const std::string& name() const { return name_; }
  std::vector<contender>& contenders() { return contenders_; }
  // Arrays, expected results, and the two arrays of memcpy or a sort's second one.
  std::size_t memory() const { return 2 * bytes_of(inputs_, true) + 3 * bytes_of(outputs_, true); }
  // Each input once, each output once: the least that any contender moves.
  double bytes_read() const { return static_cast<double>(bytes_of(inputs_)); }
  double bytes_written() const {
    return static_cast<double>(bytes_of(outputs_)) *
           (kept_ == no_count || n_ == 0 ? 1.0 : static_cast<double>(kept_) / n_);
  }

  void set_up() {
    for (auto* arrays : {&inputs_, &outputs_}) {
      for (array& a : *arrays) *a.memory = where_.allocate(a.bytes);
    }
    if (count_) *count_ = where_.allocate(sizeof(index_t));
    for (array& a : inputs_) a.fill();
    const auto peer = std::find_if(contenders_.begin(), contenders_.end(), [](auto& c) { return c.is_checked; });
    kept_ = run(peer->prepare());
    for (array& a : outputs_) {
      a.expected = where_.allocate(a.bytes);
      where_.copy(a.expected, *a.memory, used_bytes(a));
    }
    where_.wait();
  }
  void tear_down() {
    for (auto* arrays : {&inputs_, &outputs_}) {
      for (array& a : *arrays)
        where_.release(std::exchange(*a.memory, nullptr)), where_.release(std::exchange(a.expected, nullptr));
    }
    if (count_) where_.release(std::exchange(*count_, nullptr));
  }
  // What is wrong with the result of a call; empty: nothing.
  std::string check(const call& f) {
    const index_t kept = run(f);
    if (kept != kept_) return std::to_string(kept) + " items in the result, not " + std::to_string(kept_);
    for (array& a : outputs_) {
      const std::int64_t wrong = where_.different_bytes(*a.memory, a.expected, used_bytes(a));
      if (wrong != 0)
        return std::to_string(wrong) + " of " + std::to_string(used_bytes(a)) + " bytes differ from the peer's";
    }
    return {};
  }
  std::function<void()> restore() const {
    if (restores_.empty()) return {};
    return [this] {
      for (const auto& r : restores_) r();
    };
  }

 private:
  template <class T>
  range<T> add_array(std::vector<array>& arrays, index_t n) {
    const auto memory = std::make_shared<void*>(nullptr);
    const range<T> r(memory, n);
    arrays.push_back({memory, r.bytes(), sizeof(T), {}, nullptr, true});
    return r;
  }

  template <class Prepare>
  void add(const char* name, Prepare prepare) {
    contenders_.push_back({name, prepare});
  }
  template <class F>
  static call as_call(F f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      return [f]() mutable { return f(), no_count; };
    } else {
      return f;
    }
  }
  std::size_t used_bytes(const array& a) const {
    return kept_ == no_count ? a.bytes : static_cast<std::size_t>(kept_) * a.item_bytes;
  }
  // On fresh input and poisoned output; returns the number of items in the result.
  index_t run(const call& f) {
    for (array& a : outputs_) where_.poison(*a.memory, a.bytes);
    if (count_) where_.poison(*count_, sizeof(index_t));
    for (const auto& r : restores_) r();
    const index_t returned = f();
    where_.wait();
    return returned != no_count || !count_ ? returned : where_.read(static_cast<const index_t*>(*count_));
  }
  // A copy of as many bytes as the problem reads and writes, from and to memory of its own.
  call prepare_copy(int threads = 0) {
    const auto bytes = static_cast<std::size_t>((bytes_read() + bytes_written()) / 2);
    const auto allocate = [this](std::size_t n) {
      return std::shared_ptr<void>(where_.allocate(n), [this](void* p) { where_.release(p); });
    };
    const auto words = static_cast<index_t>(bytes / 8 + 1);
    const auto from = allocate(words * 8), to = allocate(words * 8);
    where_.fill(static_cast<std::uint64_t*>(from.get()), words, uniform<std::uint64_t>{random_});
    where_.poison(to.get(), bytes);
    return [this, from, to, bytes, threads] {
      if constexpr (!Where::is_gpu) {
        if (threads == 1) return std::memcpy(to.get(), from.get(), bytes), no_count;
      }
      return where_.copy(to.get(), from.get(), bytes), no_count;
    };
  }

  std::string name_;
  index_t n_;
  Where& where_;
  random_bits random_;
  std::vector<contender> contenders_;
  std::vector<array> inputs_, outputs_;
  std::shared_ptr<void*> count_;
  std::vector<std::function<void()>> restores_;
  index_t kept_ = no_count;
};

}  // namespace bench
