// SPDX-License-Identifier: Apache-2.0
// The ladder: from the naive scan to this library's, every rung of bench/ladder/ beside a copy and the peers, in one run.
// What each rung is, what was measured and why it comes out so: docs/ladder.md.
//   whole            an inclusive sum of all items
//   parts_of_1024    each 1,024 items on their own, by a block (GPU only); parts_of_32: each 32, by a warp
#include <onepass/scan.hpp>

#include <numeric>

#include "ladder/cpu_rungs.hpp"
#include "ladder/table.hpp"
#include "support/program.hpp"
#if ONEPASS_HAS_CUDA
#include "ladder/cuda_rungs.cuh"
#endif

using onepass::index_t;

const auto& rungs_of(const bench::problem<bench::cpu>&) { return ladder::cpu_rungs; }
int context_of(const bench::cpu& where) { return where.threads(); }
#if ONEPASS_HAS_CUDA
const auto& rungs_of(const bench::problem<bench::gpu>&) { return ladder::cuda_rungs; }
cudaStream_t context_of(const bench::gpu& where) { return where.stream(); }
#endif

// The rungs that scan parts of so many items; 0: those that scan the whole.
template <class Where, class In, class Out>
void add_rungs(bench::problem<Where>& p, In in, Out out, index_t part) {
  for (const auto& rung : rungs_of(p)) {
    if (rung.part != part) continue;
    p.other(rung.name, rung.held_back_by, rung.scratch_bytes(p.n()), [=](void* scratch, Where& where) {
      // Sums modulo 2^32 are the same bits for signed and unsigned items.
      rung.scan(reinterpret_cast<const ladder::item*>(in.begin()), reinterpret_cast<ladder::item*>(out.begin()),
                in.size(), scratch, context_of(where));
    });
  }
}

template <class Where>
void whole(bench::problem<Where>& p) {
  const auto in = p.reads(bench::summands<std::int32_t>{p.random()});
  const auto out = p.template writes<std::int32_t>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, in.begin(), out.begin(), in.size(), stream);
  });
#endif
  p.standard([=](const auto&... policy) { std::inclusive_scan(policy..., in.begin(), in.end(), out.begin()); });
  p.thrust([=](const auto& policy) { thrust::inclusive_scan(policy, in.begin(), in.end(), out.begin()); });
  add_rungs(p, in, out, 0);
  p.onepass([=](const auto& policy) { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin()); });
}

#if ONEPASS_HAS_CUDA
// The first of these rungs is the plainest loop, which the others are compared with.
void parts(bench::problem<bench::gpu>& p, index_t part) {
  const auto in = p.reads(bench::summands<std::int32_t>{p.random()});
  const auto out = p.writes<std::int32_t>();
  add_rungs(p, in, out, part);
}
#endif

template <class Where>
void fill(bench::suite<Where>& suite) {
  suite.default_sizes({20, 24, 28, 30}, {20, 24, 26});
  suite.default_budget(0.5);
#if ONEPASS_HAS_CUDA
  if constexpr (Where::is_gpu) {
    suite.add("parts_of_1024/i32", [](auto& p) { parts(p, 1024); });
    suite.add("parts_of_32/i32", [](auto& p) { parts(p, 32); });
  }
#endif
  suite.add("whole/i32", [](auto& p) { whole(p); });
}

int main(int argc, char** argv) {
  return bench::run_program<ladder::ladder_table>("ladder", argc, argv, [](auto& suite) { fill(suite); });
}
