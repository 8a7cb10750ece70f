// SPDX-License-Identifier: Apache-2.0
// A call of onepass's beside a peer on the same input: both times, whether the results agree, and the table of such rows.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace apps {

struct comparison {
  std::string name;  // "cull"
  std::string call;  // "onepass::compact"; empty for a step without a peer
  std::string peer;  // "std::copy_if"
  double milliseconds = 0;
  double peer_milliseconds = 0;
  bool agree = true;
  std::string remark = {};  // printed behind `agree`
};

// The middle value; of an even number the mean of the two in the middle. 0 for none.
double median(std::vector<double> values);

// The same rows of several runs as one row each: medians of the times; it agrees if it did in each run.
std::vector<comparison> medians_of(const std::vector<std::vector<comparison>>& runs);

bool all_agree(const std::vector<comparison>& rows);

// A heading, `what` being that of the names, and a row for each; with how many times as fast as the peer ours is.
void print_comparisons(std::ostream& out, const char* what, const std::vector<comparison>& rows);

}  // namespace apps
