// SPDX-License-Identifier: Apache-2.0
// K-mers with how often each was found: merging, and what is told of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kmers {

struct tally {
  std::vector<std::uint64_t> kmers;   // each once, in rising order; 2 bits a base, the first one on top: A, C, G, T
  std::vector<std::uint64_t> counts;  // one for each

  bool operator==(const tally& other) const { return kmers == other.kmers && counts == other.counts; }
};

// `into` gets what both hold, the counts of k-mers that are in both added up. Its memory is used again.
void merge(const tally& a, const tally& b, tally& into);

// Adds up tallies of parts. Each is merged with others of its size, so that a k-mer is moved log(parts) times.
class tally_of_parts {
 public:
  // `part` is empty then, but may have memory, in which the next one can be made: new memory takes as long as a merge.
  void add(tally& part);
  tally total();  // of all that were added, which are then gone

 private:
  std::vector<tally> sums_;  // the larger ones first
  tally spare_;
};

// How many k-mers there are of each abundance: pairs of an abundance and the number of k-mers, in rising order.
using histogram = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
histogram abundances(const tally& of);

// The indices of the `number` k-mers with the largest counts, these first; of equal counts the first k-mer.
std::vector<std::size_t> most_frequent(const tally& of, std::size_t number);

std::string letters(std::uint64_t kmer, int k);

// "ACGT<tab>3" in a line for each k-mer, and "3<tab>1" for each abundance.
std::string as_text(const tally& of, int k);
std::string as_text(const histogram& of);

}  // namespace kmers
