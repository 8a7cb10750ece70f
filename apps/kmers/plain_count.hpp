// SPDX-License-Identifier: Apache-2.0
// Finds and counts k-mers as a serial program does: what the counting on a backend is checked against. It also says what is
// wrong with a text that a backend refuses.
#pragma once

#include <cstdint>
#include <vector>

#include "sequence_text.hpp"
#include "tally.hpp"

namespace kmers {

// The canonical codes of all k-mers that lie in the text, in its order. Throws apps::user_error, naming file and line, for a
// byte that is no base, and for a record of FASTQ that is none.
std::vector<std::uint64_t> plain_kmers(const sequence_text& part, int k);

// The same, sorted and counted.
tally plain_tally(const sequence_text& part, int k);

}  // namespace kmers
