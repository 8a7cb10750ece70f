// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <utility>

#include "../common/command_line.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace equalize {
namespace {

constexpr double most_tiles = 64;  // along one side

// "8x6": columns and rows.
void parse_tiles(const std::string& word, options& result) {
  const std::size_t x = word.find('x');
  const std::optional<double> columns = apps::number_in(word.substr(0, x));
  const std::optional<double> rows = x == std::string::npos ? columns : apps::number_in(word.substr(x + 1));
  for (const std::optional<double>& number : {columns, rows}) {
    if (!number || !(*number >= 1 && *number <= most_tiles) || *number != std::floor(*number)) {
      throw apps::user_error("--tiles: " + apps::printable(word) + " is not COLUMNSxROWS, each from 1 to 64");
    }
  }
  result.columns = static_cast<int>(*columns), result.rows = static_cast<int>(*rows);
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::string tiles;
  std::optional<double> clip;
  bool no_compare = false;
  CLI::App app(
      "Equalises a picture's histogram: each pixel gets the luminance that says which share of the picture is not "
      "brighter than it, so that all luminances are about as frequent and little contrast becomes much. Of a coloured "
      "picture the luminance is equalised, and colours move with it. With --tiles each tile has a map of its own, and "
      "pixels get what lies between the maps of the tiles around (CLAHE). Histograms are made by onepass's histogram "
      "and maps by its scan; a serial program checks every value.",
      "equalize");
  app.add_option("input,--input", result.input,
                 "PNG file of 8 or 16 bits, grey or coloured, or - for standard input. Opacity stays as it is")
      ->required();
  app.add_option("--out", result.out, "PNG file for the result, of the same kind, or - for standard output")
      ->capture_default_str();
  app.add_option("--plot", result.plot,
                 "PNG file for both pictures side by side with their histograms, or - for standard output");
  app.add_option("--sparse", result.sparse,
                 "file for the input's pixels that are not black, or - for standard output: a line for each, its "
                 "column, row and luminance, from 0, with tabs between");
  app.add_option("--tiles", tiles,
                 "how many tiles, across and down, each from 1 to 64 (default: 1x1, the whole picture)")
      ->type_name("COLUMNSxROWS");
  app.add_option("--clip", clip,
                 "how much steeper than even a map may be, above 0; what is over the limit is spread over all "
                 "luminances (default: 2 with more than one tile, otherwise no limit)");
  apps::take_whole_number(app.add_option("--repeat", result.repeat, "runs timed in a row")->capture_default_str(), 1,
                          10000);
  app.add_flag("--no-compare", no_compare, "leave out the peers of the stages; the result is checked all the same");
  apps::add_backend_options(app, result.backend, result.threads);
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  result.compare = !no_compare;
  if (!tiles.empty()) parse_tiles(tiles, result);
  if (clip && !(*clip > 0 && std::isfinite(*clip))) throw apps::user_error("--clip: must be above 0");
  if (clip) result.clip = std::min(*clip, 65536.0);
  else result.clip = result.columns * result.rows > 1 ? 2 : 0;
  apps::refuse_same_files({{"--out", result.out}, {"--plot", result.plot}, {"--sparse", result.sparse}},
                          {result.input});
  return result;
}

}  // namespace equalize
