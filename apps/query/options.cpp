// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <utility>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "parquet_file.hpp"

namespace query {
namespace {

// Names of columns with commas between them, in one word: the next one may be the table's file.
void take_columns(CLI::Option* option) { option->delimiter(',')->allow_extra_args(false)->type_name("COLUMN,..."); }

// Aggregates keep the order in which the command line names them.
void add_aggregate(CLI::App& app, question& asked, const char* option, aggregate_kind kind, const char* what) {
  take_columns(app.add_option_function<std::vector<std::string>>(
                      option,
                      [&asked, kind](const std::vector<std::string>& names) {
                        for (const std::string& name : names) asked.aggregates.push_back({kind, name});
                      },
                      what)
                   ->trigger_on_parse());
}

void add_question(CLI::App& app, question& asked) {
  app.add_option(
      "--where", asked.where,
      "the rows to take, such as: fare > 20 and payment == \"credit card\". Comparisons are == != < <= > >=, "
      "in (1, 2), is missing, is not missing; they are joined by and, or, not and parentheses. `Backquotes` "
      "are for names that are no words. A comparison with a missing value is neither true nor false");
  take_columns(app.add_option("--select", asked.select, "the result's columns (default: all)"));
  take_columns(
      app.add_option("--group-by", asked.group_by, "a row for each group of rows that are equal in these columns"));
  app.add_flag_callback(
         "--count",
         [&asked] {
           asked.aggregates.push_back({aggregate_kind::count, ""});
         },
         "how many rows a group has")
      ->trigger_on_parse();
  add_aggregate(app, asked, "--sum", aggregate_kind::sum, "the sum of a group's values; of none it is missing");
  add_aggregate(app, asked, "--mean", aggregate_kind::mean, "their mean");
  add_aggregate(app, asked, "--min", aggregate_kind::least, "the least of them, of texts, too");
  add_aggregate(app, asked, "--max", aggregate_kind::greatest, "the greatest");
  take_columns(app.add_option(
      "--order-by", asked.order_by,
      "columns to sort the result by, such as: \"sum(fare)\"; missing values come last. Rows that are equal in "
      "them keep the table's order, and groups the order of their columns"));
  app.add_flag("--desc", asked.descending, "sort from the greatest to the least");
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  CLI::App app(
      "Answers questions about a table: which rows (WHERE), groups and their sums (GROUP BY), in which order "
      "(ORDER BY). "
      "Columns are of whole numbers, of numbers or of texts. In a CSV file they are whatever all their fields are, and "
      "empty fields, NA, NaN and null are missing values; a Parquet file says both itself. The work is done by "
      "onepass's compaction, radix sort and reduction by key.",
      "query");
  CLI::Option* input = app.add_option("input,--input", result.input,
                                      std::string("CSV file whose first row names the columns, or Parquet file") +
                                          (reads_parquet() ? "" : " (not in this build, made without Arrow)") +
                                          "; - for standard input");
  apps::take_whole_number(
      app.add_option("--generate", result.generate, "instead of a file, a random table of taxi rides with so many rows")
          ->excludes(input),
      1, most_rows);
  apps::take_whole_number(
      app.add_option("--seed", result.seed, "of the random table")->capture_default_str()->excludes(input), 0,
      ~std::uint64_t{0});
  add_question(app, result.asked);
  CLI::Option* limit = app.add_option("--limit", result.asked.limit, "how many rows of the result to take");
  apps::take_whole_number(limit, 0, most_rows);
  app.add_option("--out", result.out, "file for the result as CSV, or - for standard output");
  apps::take_whole_number(
      app.add_option("--compare", result.compare,
                     "peers and a serial program answer, too, if the table has at most so many rows; 0: never")
          ->capture_default_str(),
      0, most_rows);
  apps::take_whole_number(app.add_option("--repeats", result.repeats, "the time that is told is the median of so many")
                              ->capture_default_str(),
                          1, 1000);
  apps::add_backend_options(app, result.backend, result.threads);
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  if (result.input.empty() && result.generate == 0) {
    throw apps::user_error("input: a CSV or Parquet file is needed, or --generate ROWS");
  }
  result.asked.limited = limit->count() > 0;
  if (!result.input.empty()) apps::refuse_same_files({{"--out", result.out}}, {result.input});
  return result;
}

}  // namespace query
