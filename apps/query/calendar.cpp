// SPDX-License-Identifier: Apache-2.0
// The Gregorian calendar, also for the days before it was in use, as Parquet has it.
#include "calendar.hpp"

#include "../common/text.hpp"

namespace query {
namespace {

constexpr std::int64_t seconds_per_day = 86400;

constexpr std::int64_t days_before_year(std::int64_t year) {  // since 1 January of the year 0, a leap year
  const std::int64_t past = year - 1;
  return year * 365 + (year > 0 ? past / 4 - past / 100 + past / 400 + 1 : 0);
}

constexpr std::int64_t first_day = -days_before_year(1970),
                       last_day = days_before_year(10000) - days_before_year(1970) - 1;

}  // namespace

std::string date_text(std::int64_t days) {
  if (days < first_day || days > last_day) return {};
  std::int64_t left = days - first_day;
  std::int64_t year = left / 366;  // or a later one
  while (days_before_year(year + 1) <= left) ++year;
  left -= days_before_year(year);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int month = 0;
  for (; left >= lengths[month]; ++month) left -= lengths[month];
  return apps::formatted("%04d-%02d-%02d", static_cast<int>(year), month + 1, static_cast<int>(left) + 1);
}

std::string clock_text(std::int64_t time, std::int64_t per_second) {
  if (time < 0 || time / per_second >= seconds_per_day) return {};
  const auto seconds = static_cast<int>(time / per_second);
  const auto nanoseconds = static_cast<int>(time % per_second * (1000000000 / per_second));
  std::string text =
      apps::formatted("%02d:%02d:%02d.%09d", seconds / 3600, seconds / 60 % 60, seconds % 60, nanoseconds);
  text.erase(text.find_last_not_of('0') + 1);  // not past the point
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string moment_text(std::int64_t days, std::int64_t time, std::int64_t per_second) {
  const std::string date = date_text(days), clock = clock_text(time, per_second);
  return date.empty() || clock.empty() ? std::string() : date + " " + clock;
}

std::string moment_text(std::int64_t time, std::int64_t per_second) {
  const std::int64_t day = seconds_per_day * per_second, rest = time % day;
  return rest < 0 ? moment_text(time / day - 1, rest + day, per_second) : moment_text(time / day, rest, per_second);
}

}  // namespace query
