// SPDX-License-Identifier: Apache-2.0
// Uses every public header of the installed package on the CPU backend.
#include <onepass/onepass.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};

int main() {
  std::vector<int> items(100000);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> out(items.size());

  onepass::inclusive_scan(onepass::cpu(), items.begin(), items.begin() + 1000, out.begin());
  const bool scanned = out[999] == 999 * 1000 / 2;

  const auto end = onepass::compact(onepass::cpu(), items.begin(), items.end(), out.begin(), is_odd{});
  const bool compacted = end - out.begin() == 50000 && out[49999] == 99999;

  onepass::radix_sort(onepass::cpu(), items.begin(), items.end(), onepass::descending());
  const bool sorted = items.front() == 99999 && items.back() == 0;

  std::printf("headers: scanned %d, compacted %d, sorted %d\n", scanned, compacted, sorted);
  return scanned && compacted && sorted ? 0 : 1;
}
