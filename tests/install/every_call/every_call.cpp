// SPDX-License-Identifier: Apache-2.0
// Every call, compiled with a user's warnings (../CMakeLists.txt).
#include "every_distributed.hpp"
#include "every_sort.hpp"

#include <cstdio>

namespace {

template <class T, template <class...> class Array, class... Policy>
void make(const Policy&... policy) {
  using all = every_call::arrays<T, Array>;
  const auto fresh = [] { return all(); };
  all a = fresh(), b = fresh(), c = fresh(), d = fresh(), e = fresh(), f = fresh(), g = fresh(), h = fresh();
  every_call::scans(a, policy...);
  every_call::reductions(b, policy...);
  every_call::compactions(c, policy...);
  every_call::partitions(d, policy...);
  every_call::in_place(e, policy...);
  every_call::sorts(f, policy...);
  every_call::segmented_sorts(g, policy...);
  every_call::histograms(h, policy...);
}

}  // namespace

int main() {
  onepass::index_t size = 50;
  const auto cpu = onepass::cpu(2);
  const onepass::workspace_size needed = onepass::measure(cpu, [](const auto& policy) {
    every_call::arrays<int> a;
    onepass::inclusive_scan(policy, a.in.begin(), a.in.end(), a.out.begin());
  });
  onepass::workspace memory(cpu, needed);
  make<int, std::vector>();
  make<std::uint8_t, std::vector>(cpu);
  make<float, std::vector>(thrust::host);
  make<std::int64_t, std::deque>(cpu);
  make<double, std::vector>(cpu.sized_by(&size));
  every_call::arrays<std::int16_t> a;
  every_call::buffered_sorts(a);
  every_call::buffered_sorts(a, cpu);
  every_call::sorts_of_structs();
  every_call::sorts_of_structs(cpu);
  onepass::inclusive_scan(cpu.with(memory), a.numbers.begin(), a.numbers.end(), a.more_numbers.begin());

  const onepass::affine_map<float> steps[3] = {{1, 2}, {3, 4}, {5, 6}};
  onepass::affine_map<float> composed[3];
  onepass::inclusive_scan(cpu, steps, steps + 3, composed, onepass::affine{});
  std::vector<std::uint32_t> words(4, 5);
  onepass::compact(cpu, a.in.begin(), a.in.end(), onepass::flags(onepass::bits(words.data())), a.out.begin());
  onepass::distributed::run_ranks(2, [](onepass::distributed::thread_communicator& comm) {
    every_call::across_ranks<int>(comm, onepass::cpu(1));
    every_call::across_ranks<std::uint8_t>(comm);
    every_call::across_ranks<double>(comm);
  });
  std::puts("every call was made");
}
