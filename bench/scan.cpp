// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/scan.hpp: each item read once, each result written once.
// Peers: cub::DeviceScan and Thrust on the GPU; the standard library, serial and on TBB, and Thrust on OpenMP on the CPU.
#include <onepass/scan.hpp>

#include <numeric>

#include "support/program.hpp"

using onepass::index_t;

// `in` to `out`, by all.
template <class Where, class T>
void inclusive_sum_of(bench::problem<Where>& p, bench::range<T> in, bench::range<T> out) {
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, in.begin(), out.begin(), in.size(), stream);
  });
#endif
  p.standard([=](const auto&... policy) { std::inclusive_scan(policy..., in.begin(), in.end(), out.begin()); });
  const auto by_thrust = [=](const auto& policy) { thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin()); };
  p.thrust(by_thrust);
#if ONEPASS_HAS_CUDA
  p.thrust_without_allocation(by_thrust);
#endif
  p.onepass([=](const auto& policy) { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin()); });
}

template <class T, class Where>
void inclusive_sum(bench::problem<Where>& p) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  inclusive_sum_of(p, in, p.template writes<T>());
}

template <class T, class Where>
void inclusive_sum_in_place(bench::problem<Where>& p) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto items = p.template writes<T>();
  p.restores(items, in);
  inclusive_sum_of(p, items, items);
}

// Neither array begins at a multiple of more than an item's size; item 0 of the output's memory stays as it was poisoned.
template <class T, class Where>
void inclusive_sum_shifted(bench::problem<Where>& p) {
  const auto in = p.reads(bench::summands<T>{p.random()}, p.n() + 1);
  inclusive_sum_of(p, in.shifted(), p.template writes<T>(p.n() + 1).shifted());
}

template <class T, class Where>
void exclusive_sum(bench::problem<Where>& p) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, in.begin(), out.begin(), in.size(), stream);
  });
#endif
  p.standard([=](const auto&... policy) { std::exclusive_scan(policy..., in.begin(), in.end(), out.begin(), T{0}); });
  p.onepass([=](const auto& policy) { onepass::exclusive_scan(policy, in.begin(), in.end(), out.begin(), T{0}); });
}

// An inclusive scan of what `generate` makes with any operator.
template <class Generator, class Op, class Where>
void inclusive_scan(bench::problem<Where>& p, Generator generate, Op op) {
  const auto in = p.reads(generate);
  const auto out = p.template writes<typename Generator::type>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, in.begin(), out.begin(), op, in.size(), stream);
  });
#endif
  p.standard([=](const auto&... policy) { std::inclusive_scan(policy..., in.begin(), in.end(), out.begin(), op); });
  p.onepass([=](const auto& policy) { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin(), op); });
}

// Maps modulo 2^32: an operator that does not commute, on 8 bytes.
struct maps {
  using type = onepass::affine_map<std::uint32_t>;
  bench::random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const std::uint64_t bits = random(i);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
};

// What a library cannot know: a functor of the user's, and a struct.
struct users_sum {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct alignas(16) quad {
  std::int32_t x, y, z, w;
  friend ONEPASS_HOST_DEVICE quad operator+(const quad& a, const quad& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
};
struct quads {
  using type = quad;
  bench::random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const auto bits = static_cast<std::int32_t>(random(i));
    return {bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1};
  }
};

int main(int argc, char** argv) {
  return bench::run_program("scan", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    bench::for_types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double>([&](auto value) {
      using T = decltype(value);
      suite.add("inclusive_sum/" + bench::name_of<T>(), [](auto& p) { inclusive_sum<T>(p); });
      suite.add("inclusive_sum_in_place/" + bench::name_of<T>(), [](auto& p) { inclusive_sum_in_place<T>(p); });
      suite.add("inclusive_sum_shifted/" + bench::name_of<T>(), [](auto& p) { inclusive_sum_shifted<T>(p); });
    });
#if ONEPASS_HAS_CUDA
    if constexpr (std::decay_t<decltype(suite)>::is_gpu) {
      suite.add("inclusive_sum/f16", [](auto& p) {
        inclusive_sum_of(p, p.reads(bench::half_steps{p.random()}), p.template writes<__half>());
      });
    }
#endif
    suite.add("exclusive_sum/i32", [](auto& p) { exclusive_sum<std::int32_t>(p); });
    suite.add("inclusive_max/i32",
              [](auto& p) { inclusive_scan(p, bench::uniform<std::int32_t>{p.random()}, onepass::maximum{}); });
    suite.add("inclusive_functor/i32",
              [](auto& p) { inclusive_scan(p, bench::summands<std::int32_t>{p.random()}, users_sum{}); });
    suite.add("inclusive_functor/i32x4", [](auto& p) { inclusive_scan(p, quads{p.random()}, users_sum{}); });
    suite.add("inclusive_affine/u32x2", [](auto& p) { inclusive_scan(p, maps{p.random()}, onepass::affine{}); });
  });
}
