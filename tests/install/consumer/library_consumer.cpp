// SPDX-License-Identifier: Apache-2.0
// Calls the installed static library from plain C++: on the CPU, and on the GPU where there is one.
#include <onepass/library.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace library = onepass::library;

// Items of `values` in memory of `where`.
template <class T>
T* upload(const library::execution& where, const std::vector<T>& values) {
  T* memory = static_cast<T*>(library::allocate(where, values.size() * sizeof(T)));
  library::copy(where, memory, values.data(), values.size() * sizeof(T));
  return memory;
}

bool works(const char* name, const library::execution& where) {
  constexpr std::size_t n = 100000;
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::uint8_t> is_odd(n);
  for (std::size_t i = 0; i < n; ++i) is_odd[i] = i % 2;

  int* items = upload(where, numbers);
  int* out = upload(where, numbers);
  std::uint8_t* flags = upload(where, is_odd);
  const std::size_t kept = library::compact(where, items, n, flags, out);
  library::radix_sort(where, out, kept, {true});
  std::vector<int> result(kept);
  library::copy(where, result.data(), out, kept * sizeof(int));
  for (void* memory : {static_cast<void*>(items), static_cast<void*>(out), static_cast<void*>(flags)}) {
    library::release(where, memory);
  }

  bool sorted = kept == n / 2;
  for (std::size_t i = 0; i < kept; ++i) sorted = sorted && result[i] == static_cast<int>(n - 1 - 2 * i);
  std::printf("library on the %s: compacted %d, sorted %d\n", name, kept == n / 2, sorted);
  return sorted;
}

int main() {
  const bool on_cpu = works("CPU", library::execution::cpu());
  const bool on_gpu = !library::has_cuda() || works("GPU", library::execution::cuda());
  return on_cpu && on_gpu ? 0 : 1;
}
