// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11, and what it means for the file at hand.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <vector>

#include "../common/command_line.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace recurrence {
namespace {

void parse_biquad(const std::vector<std::string>& words, options& result) {
  if (words.empty()) return;
  if (words[0] != "lowpass" && words[0] != "highpass") {
    throw apps::user_error("--biquad: " + words[0] + " is neither lowpass nor highpass");
  }
  const std::optional<double> frequency = apps::number_in(words[1]);
  if (!frequency || !std::isfinite(*frequency) || *frequency <= 0) {
    throw apps::user_error("--biquad: " + words[1] + " is no frequency above 0");
  }
  result.biquad = words[0] == "lowpass" ? pass::low : pass::high;
  result.frequency = *frequency;
}

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw apps::user_error(otherwise);
}

// What CLI11 can't check.
void check(const options& o) {
  require(o.ema || o.biquad, "one of --ema and --biquad is needed");
  require(!o.ema || (*o.ema > 0 && *o.ema <= 1), "--ema: ALPHA must be above 0 and at most 1");
  require(o.q >= 1e-300 && std::isfinite(o.q), "--q: must be above 0, and at least 1e-300");
  require(!o.rate || (*o.rate >= 1e-300 && std::isfinite(*o.rate)), "--rate: must be above 0, and at least 1e-300");
  apps::refuse_same_file("--out", o.out, o.input);
  if (o.write.empty()) return;
  const std::string to = extension_of(o.write);
  require(to == "csv" || to == "wav" || o.write == "-", "--write: " + o.write + " is neither .csv nor .wav");
  const bool one_stream = apps::is_standard_output(o.write) && apps::is_standard_output(o.out);
  require(o.write != o.out && !one_stream, "--write: " + o.write + " is where the plot goes");
  apps::refuse_same_file("--write", o.write, o.input);
  apps::refuse_same_file("--write", o.write, o.out);
}

// What depends on the kind of the input, which standard input shows only when it is read.
void check_kind(const options& o, bool wav) {
  const std::string name = apps::input_name(o.input);
  require(!wav || o.column.empty(), "--column: " + name + " is a WAV file, which has channels");
  require(!wav || !o.rate, "--rate: " + name + " is a WAV file, which has a rate of its own");
  require(wav || !o.channel, "--channel: " + name + " is not a WAV file");
  const bool whole = o.rate && *o.rate >= 1 && *o.rate < 1e9 && *o.rate == std::floor(*o.rate);
  require(wav || extension_of(o.write) != "wav" || whole,
          "--write: a WAV file needs --rate, a whole number from 1 to below a billion");
}

std::string frequency_text(const options& wanted, const series& input) {
  return apps::formatted(input.rate > 0 ? "%g Hz" : "%g cycles a sample", wanted.frequency);
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  std::vector<std::string> biquad_words;
  CLI::App app(
      "Filters a column of numbers or a sound by a linear recurrence, which onepass computes as a scan, and compares "
      "result and time with the serial loop.",
      "recurrence");
  app.add_option(
         "input,--input", result.input,
         "WAV file (named .wav), otherwise CSV file; - for standard input, either. A value that is not a finite "
         "number is an error")
      ->required();
  app.add_option("--column", result.column, "of a CSV file: its name, or its number from 1");
  apps::take_whole_number(app.add_option("--channel", result.channel, "of a WAV file, from 1 (default: 1)"), 1, 1024);
  app.add_option("--rate", result.rate, "values a second of a CSV file (default: one)");
  CLI::Option* ema = app.add_option("--ema", result.ema, "exponential moving average: y = (1 - ALPHA) y + ALPHA x")
                         ->type_name("ALPHA");
  app.add_option("--biquad", biquad_words, "second order filter: lowpass or highpass, and its frequency")
      ->type_name("NAME FREQUENCY")
      ->expected(2)
      ->allow_extra_args(false)
      ->excludes(ema);
  app.add_option("--q", result.q, "of the biquad: its peak at the frequency")->capture_default_str()->excludes(ema);
  app.add_option("--out", result.out, "PNG file for a plot of both signals, or - for standard output")
      ->capture_default_str();
  app.add_option("--write", result.write, "CSV or WAV file for the result, or - for CSV on standard output");
  apps::take_whole_number(app.add_option("--repeat", result.repeat, "calls timed in a row")->capture_default_str(), 1,
                          1000000);
  apps::add_backend_options(app, result.backend, result.threads);
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  parse_biquad(biquad_words, result);
  check(result);
  return result;
}

series read_signal(const options& wanted) {
  const std::string bytes = apps::read_whole(wanted.input), name = apps::input_name(wanted.input);
  const bool wav = wanted.input == "-" ? is_wav(bytes) : extension_of(wanted.input) == "wav";
  check_kind(wanted, wav);
  if (wav) return parse_wav(bytes, name, wanted.channel.value_or(1));
  series result = parse_csv(bytes, name, wanted.column);
  result.rate = wanted.rate.value_or(0);
  return result;
}

filter make_filter(const options& wanted, const series& input) {
  if (wanted.ema) return moving_average{*wanted.ema};
  const double cycles = wanted.frequency / (input.rate > 0 ? input.rate : 1);
  require(cycles < 0.5, "--biquad: " + frequency_text(wanted, input) + " is not below half the rate of " +
                            apps::formatted("%g", input.rate > 0 ? input.rate : 1));
  return make_biquad(*wanted.biquad, cycles, wanted.q);
}

std::string described(const options& wanted, const series& input) {
  if (wanted.ema) return apps::formatted("moving average, alpha %g", *wanted.ema);
  return (*wanted.biquad == pass::low ? "lowpass " : "highpass ") + frequency_text(wanted, input) +
         apps::formatted(", q %.3g", wanted.q);
}

}  // namespace recurrence
