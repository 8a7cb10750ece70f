// SPDX-License-Identifier: Apache-2.0
// Dates and times as texts of ISO 8601 that sort as they do.
#pragma once

#include <cstdint>
#include <string>

namespace query {

// "2024-02-29": so many days after 1 January 1970. Empty outside the years 0 to 9999, whose texts would not sort.
std::string date_text(std::int64_t days);

// "12:30:05", "12:30:05.25": so long after midnight. Empty where that is no time of a day. Here and below `per_second` says
// how many of the units a second has: a power of ten up to 10^9.
std::string clock_text(std::int64_t time, std::int64_t per_second);

// "2024-02-29 12:30:05": both. Empty where one of them is.
std::string moment_text(std::int64_t days, std::int64_t time, std::int64_t per_second);

// The same, so long after the beginning of 1970.
std::string moment_text(std::int64_t time, std::int64_t per_second);

}  // namespace query
