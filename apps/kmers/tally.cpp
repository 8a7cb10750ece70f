// SPDX-License-Identifier: Apache-2.0
// Merges sorted tallies, and sums them up.
#include "tally.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace kmers {

void merge(const tally& a, const tally& b, tally& into) {
  into.kmers.clear();
  into.counts.clear();
  into.kmers.reserve(a.kmers.size() + b.kmers.size());
  into.counts.reserve(a.kmers.size() + b.kmers.size());
  const auto take = [&](const tally& from, std::size_t i) {
    into.kmers.push_back(from.kmers[i]);
    into.counts.push_back(from.counts[i]);
  };
  std::size_t i = 0, j = 0;
  while (i < a.kmers.size() && j < b.kmers.size()) {
    if (b.kmers[j] < a.kmers[i]) {
      take(b, j++);
    } else {
      take(a, i);
      if (b.kmers[j] == a.kmers[i++]) into.counts.back() += b.counts[j++];
    }
  }
  for (; i < a.kmers.size(); ++i) take(a, i);
  for (; j < b.kmers.size(); ++j) take(b, j);
}

void tally_of_parts::add(tally& part) {
  tally freed;
  while (!sums_.empty() && sums_.back().kmers.size() < 2 * part.kmers.size()) {
    merge(sums_.back(), part, spare_);
    std::swap(part, spare_);
    freed = std::move(sums_.back());
    sums_.pop_back();
  }
  sums_.push_back(std::move(part));
  part = std::move(freed);
  part.kmers.clear();
  part.counts.clear();
}

tally tally_of_parts::total() {
  while (sums_.size() > 1) {
    const tally last = std::move(sums_.back());
    sums_.pop_back();
    merge(sums_.back(), last, spare_);
    std::swap(sums_.back(), spare_);
  }
  tally result = sums_.empty() ? tally() : std::move(sums_.back());
  sums_.clear();
  spare_ = tally();
  return result;
}

histogram abundances(const tally& of) {
  std::vector<std::uint64_t> small(1 << 16);
  std::map<std::uint64_t, std::uint64_t> large;
  for (const std::uint64_t count : of.counts) {
    if (count < small.size()) ++small[count];
    else ++large[count];
  }
  histogram result;
  for (std::size_t count = 0; count < small.size(); ++count) {
    if (small[count] != 0) result.emplace_back(count, small[count]);
  }
  result.insert(result.end(), large.begin(), large.end());
  return result;
}

std::vector<std::size_t> most_frequent(const tally& of, std::size_t number) {
  if (number == 0) return {};
  std::vector<std::size_t> indices(of.kmers.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const auto last = indices.begin() + static_cast<std::ptrdiff_t>(std::min(number, indices.size()));
  std::partial_sort(indices.begin(), last, indices.end(), [&](std::size_t a, std::size_t b) {
    return of.counts[a] != of.counts[b] ? of.counts[a] > of.counts[b] : a < b;
  });
  indices.erase(last, indices.end());
  return indices;
}

std::string letters(std::uint64_t kmer, int k) {
  std::string result(static_cast<std::size_t>(k), ' ');
  for (auto letter = result.rbegin(); letter != result.rend(); ++letter, kmer >>= 2) *letter = "ACGT"[kmer & 3];
  return result;
}

std::string as_text(const tally& of, int k) {
  std::string text;
  text.reserve(of.kmers.size() * (static_cast<std::size_t>(k) + 4));
  for (std::size_t i = 0; i < of.kmers.size(); ++i) {
    text += letters(of.kmers[i], k) + '\t' + std::to_string(of.counts[i]) + '\n';
  }
  return text;
}

std::string as_text(const histogram& of) {
  std::string text;
  for (const auto& [abundance, number] : of) text += std::to_string(abundance) + '\t' + std::to_string(number) + '\n';
  return text;
}

}  // namespace kmers
