// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/scan.hpp: each item read once, each result written once.
// Peers: cub::DeviceScan and Thrust on the GPU; the standard library, serial and on TBB, and Thrust on OpenMP on the CPU.
#include <onepass/scan.hpp>

#include <numeric>

#include "support/program.hpp"

using onepass::index_t;

// Where a case's arrays are: apart, one array, or apart and neither at a multiple of more than an item's size, in memory
// whose item 0 stays as it was poisoned.
enum class layout { apart, in_place, shifted };
struct named_layout {
  layout arrays;
  const char* name;  // a part of the case's
};
constexpr named_layout layouts[] = {
    {layout::apart, ""}, {layout::in_place, "_in_place"}, {layout::shifted, "_shifted"}};

// call(p, in, out) adds the contenders.
template <class Generator, class Where, class Call>
void lay_out(bench::problem<Where>& p, layout arrays, Generator generate, Call call) {
  using T = typename Generator::type;
  if (arrays == layout::shifted) {
    const auto in = p.reads(generate, p.n() + 1);
    return call(p, in.shifted(), p.template writes<T>(p.n() + 1).shifted());
  }
  const auto in = p.reads(generate);
  const auto out = p.template writes<T>();
  if (arrays == layout::apart) return call(p, in, out);
  p.restores(out, in);
  call(p, out, out);
}

struct inclusive_sum {
  template <class Where, class T>
  void operator()(bench::problem<Where>& p, bench::range<T> in, bench::range<T> out) const {
#if ONEPASS_HAS_CUDA
    p.cub([=](void* memory, auto& bytes, auto stream) {
      return cub::DeviceScan::InclusiveSum(memory, bytes, in.begin(), out.begin(), in.size(), stream);
    });
#endif
    p.standard([=](const auto&... policy) { std::inclusive_scan(policy..., in.begin(), in.end(), out.begin()); });
    const auto by_thrust = [=](const auto& policy) {
      thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin());
    };
    p.thrust(by_thrust);
#if ONEPASS_HAS_CUDA
    p.thrust_without_allocation(by_thrust);
#endif
    p.onepass([=](const auto& policy) { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin()); });
  }
};

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

// With any operator.
template <class Op>
struct inclusive_scan {
  Op op;
  template <class Where, class T>
  void operator()(bench::problem<Where>& p, bench::range<T> in, bench::range<T> out) const {
    const Op o = op;
#if ONEPASS_HAS_CUDA
    p.cub([=](void* memory, auto& bytes, auto stream) {
      return cub::DeviceScan::InclusiveScan(memory, bytes, in.begin(), out.begin(), o, in.size(), stream);
    });
#endif
    p.standard([=](const auto&... policy) { std::inclusive_scan(policy..., in.begin(), in.end(), out.begin(), o); });
    p.onepass([=](const auto& policy) { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin(), o); });
  }
};
template <class Op>
inclusive_scan(Op) -> inclusive_scan<Op>;

// Maps modulo 2^32: an operator that does not commute, on 8 bytes.
struct maps {
  using type = onepass::affine_map<std::uint32_t>;
  bench::random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const std::uint64_t bits = random(i);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
};
// Of floats: signs, and odd whole numbers around zero; so what any neighbours combine to is exact.
struct float_maps {
  using type = onepass::affine_map<float>;
  bench::random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const auto bits = static_cast<std::int64_t>(random(i));
    return {(bits & 1) != 0 ? 1.0f : -1.0f, static_cast<float>((bits >> 60) | 1)};
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

// The case in each layout.
template <class Generator, class Suite, class Call>
void add_layouts(Suite& suite, const std::string& name, const std::string& type, Call call) {
  for (const auto& l : layouts) {
    suite.add(name + l.name + "/" + type, [=](auto& p) { lay_out(p, l.arrays, Generator{p.random()}, call); });
  }
}

int main(int argc, char** argv) {
  return bench::run_program("scan", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    bench::for_types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double>([&](auto value) {
      using T = decltype(value);
      add_layouts<bench::summands<T>>(suite, "inclusive_sum", bench::name_of<T>(), inclusive_sum{});
    });
#if ONEPASS_HAS_CUDA
    if constexpr (std::decay_t<decltype(suite)>::is_gpu) {
      add_layouts<bench::steps<__half>>(suite, "inclusive_sum", "f16", inclusive_sum{});
      add_layouts<bench::steps<__nv_bfloat16>>(suite, "inclusive_sum", "bf16", inclusive_sum{});
    }
#endif
    suite.add("exclusive_sum/i32", [](auto& p) { exclusive_sum<std::int32_t>(p); });
    add_layouts<bench::uniform<std::int32_t>>(suite, "inclusive_max", "i32", inclusive_scan{onepass::maximum{}});
    add_layouts<bench::summands<std::int32_t>>(suite, "inclusive_functor", "i32", inclusive_scan{users_sum{}});
    add_layouts<quads>(suite, "inclusive_functor", "i32x4", inclusive_scan{users_sum{}});
    add_layouts<maps>(suite, "inclusive_affine", "u32x2", inclusive_scan{onepass::affine{}});
    add_layouts<float_maps>(suite, "inclusive_affine", "f32x2", inclusive_scan{onepass::affine{}});
  });
}
