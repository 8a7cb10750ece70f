// SPDX-License-Identifier: Apache-2.0
// What the program tells: text, and a picture of the abundances.
#pragma once

#include <iosfwd>
#include <string>

#include "options.hpp"
#include "run.hpp"

namespace kmers {

// "lambda.fa and 2 more files"
std::string title_of(const options& wanted);

void print_report(std::ostream& out, const options& wanted, const run_report& report, const histogram& found);

// How many k-mers have each abundance, up to the one that leaves out no more than one k-mer in a thousand, or 50.
void plot_abundances(const options& wanted, const histogram& found);

}  // namespace kmers
