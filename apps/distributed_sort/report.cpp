// SPDX-License-Identifier: Apache-2.0
// Lays out the table of phases, the ratio to one rank, what was exchanged, and the checks.
#include "report.hpp"

#include <ostream>

#include "../common/text.hpp"
#include "../common/whole_file.hpp"

namespace distributed_sort {
namespace {

std::string ranks_text(int ranks) { return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"); }

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10000) return std::to_string(bytes) + " bytes";
  if (bytes < 10000000) return apps::formatted("%.1f KB", static_cast<double>(bytes) * 1e-3);
  return apps::formatted("%.1f MB", static_cast<double>(bytes) * 1e-6);
}

void print_title(std::ostream& out, const job& what, const report& found) {
  const options& o = what.wanted;
  const std::string from =
      o.input.empty() ? std::string(name_of(o.kind)) + ", seed " + std::to_string(o.seed) : apps::input_title(o.input);
  constexpr const char* shares[] = {"given", "even", "loose"};
  out << apps::grouped(what.total) << (what.total == 1 ? " key of " : " keys of ") << name_of(o.type) << " (" << from
      << ")" << (o.values ? " with their indices" : "") << (o.descending ? ", descending" : "") << "\n"
      << ranks_text(what.ranks.size()) << ": " << what.ranks_are << "; each: " << found.backend << "; shares "
      << shares[static_cast<int>(o.shares)] << "\n\n";
}

void print_times(std::ostream& out, const job& what, const report& found) {
  const auto row = [&](const std::string& name, double slowest, double mean) {
    out << apps::formatted("%-18s %12.3f %12.3f", name.c_str(), 1e3 * slowest, 1e3 * mean);
  };
  const auto rate = [&](double seconds) {
    out << apps::formatted(" %10.1f", static_cast<double>(what.total) * 1e-6 / std::max(seconds, 1e-9)) << "\n";
  };
  out << apps::formatted("%-18s %12s %12s %10s\n", "phase", "slowest, ms", "mean, ms", "Mkeys/s");
  for (const phase& one : found.phases) {
    row(one.name, one.slowest, one.mean);
    out << "\n";
  }
  row(found.whole.name, found.whole.slowest, found.whole.mean);
  rate(found.whole.slowest);
  if (found.peer_agrees) {
    row("one rank alone", found.alone, found.alone);
    rate(found.alone);
    out << apps::formatted("\n%.2f times as fast as one rank", found.alone / std::max(found.whole.slowest, 1e-9))
        << ", which sorts all keys with onepass::radix_sort\n";
  } else if (!found.why_not_alone.empty()) {
    out << "\nnot compared with one rank: " << found.why_not_alone << "\n";
  } else {
    out << "\n";
  }
}

void print_traffic(std::ostream& out, const job& what, const report& found) {
  const std::uint64_t all = what.total * (bytes_of(what.wanted.type) + (what.wanted.values ? 8 : 0));
  out << "exchanged: " << bytes_text(found.moved_bytes);
  if (all > 0) {
    out << apps::formatted(", %.1f %% of all,",
                           100 * static_cast<double>(found.moved_bytes) / static_cast<double>(all));
  }
  out << " between ranks, and " << bytes_text(found.message_bytes) << " in messages\n"
      << "keys of a rank: " << apps::grouped(static_cast<std::uint64_t>(found.smallest_share));
  if (found.largest_share != found.smallest_share) {
    out << " to " << apps::grouped(static_cast<std::uint64_t>(found.largest_share));
  }
  out << "\n";
}

void print_checks(std::ostream& out, const report& found) {
  const auto line = [&](const char* what, const std::optional<bool>& holds) {
    if (holds) out << what << ": " << (*holds ? "yes" : "NO") << "\n";
  };
  line("in order, on each rank and across ranks", found.in_order);
  line(found.stable ? "the same keys as before, with their indices" : "the same keys as before", found.complete);
  line("equal keys keep their order", found.stable);
  line("the parts give the same as the whole call", found.parts_agree);
  line("one rank gets the same", found.peer_agrees);
}

}  // namespace

void print_report(std::ostream& out, const job& what, const report& found) {
  print_title(out, what, found);
  print_times(out, what, found);
  print_traffic(out, what, found);
  print_checks(out, found);
  if (!found.all_hold()) return;
  if (!what.wanted.out.empty()) out << "keys: " << what.wanted.out << "\n";
  if (!what.wanted.values_out.empty()) out << "indices: " << what.wanted.values_out << "\n";
}

}  // namespace distributed_sort
