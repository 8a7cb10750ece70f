// SPDX-License-Identifier: Apache-2.0
// Prints comparisons.
#include "comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

#include "text.hpp"

namespace apps {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::vector<comparison> medians_of(const std::vector<std::vector<comparison>>& runs) {
  std::vector<comparison> result;
  for (std::size_t row = 0; !runs.empty() && row < runs.front().size(); ++row) {
    comparison one = runs.front()[row];
    std::vector<double> own, peer;
    for (const std::vector<comparison>& run : runs) {
      own.push_back(run[row].milliseconds);
      peer.push_back(run[row].peer_milliseconds);
      one.agree = one.agree && run[row].agree;
    }
    one.milliseconds = median(own);
    one.peer_milliseconds = median(peer);
    result.push_back(one);
  }
  return result;
}

bool all_agree(const std::vector<comparison>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const comparison& row) { return row.agree; });
}

void print_comparisons(std::ostream& out, const char* what, const std::vector<comparison>& rows) {
  std::size_t widest = 30;
  for (const comparison& row : rows) widest = std::max(widest, row.call.size());
  const int width = static_cast<int>(widest);
  out << formatted("%-15s %-*s %9s  %-29s %9s  %13s  %s\n", what, width, "with", "ms", "beside it", "ms",
                   "times as fast", "agree");
  for (const comparison& row : rows) {
    out << formatted("%-15s %-*s %9.3f", row.name.c_str(), width, row.call.c_str(), row.milliseconds);
    if (!row.call.empty()) {
      const double ratio = row.milliseconds > 0 ? row.peer_milliseconds / row.milliseconds : 0;
      out << formatted("  %-29s %9.3f  %13.2f  %s", row.peer.c_str(), row.peer_milliseconds, ratio,
                       row.agree ? "yes" : "NO");
      if (!row.remark.empty()) out << " (" << row.remark << ")";
    }
    out << "\n";
  }
  out << "(times as fast: above 1, onepass takes less time than what stands beside it)\n";
}

}  // namespace apps
