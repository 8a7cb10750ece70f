// SPDX-License-Identifier: Apache-2.0
// The command line, read with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <map>

#include "../common/command_line.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace distributed_sort {
namespace {

constexpr std::uint64_t most_keys = std::uint64_t{1} << 48;
constexpr int most_ranks = 256;  // threads of one process

template <class Enum>
void add_name(CLI::App& app, const char* option, Enum& value, const std::map<std::string, Enum>& values,
              const char* description) {
  std::map<std::string, int> numbers;
  for (const auto& [name, one] : values) numbers[name] = static_cast<int>(one);
  apps::take_name(app.add_option(option, value, description), numbers);
}

void add_input(CLI::App& app, options& o) {
  CLI::Option* const input = app.add_option(
      "input,--input", o.input,
      "binary file of keys, one behind the other, in this machine's byte order. Each rank reads its own part of it");
  CLI::Option* const generate = app.add_option("--generate", o.generate,
                                               "make this many keys instead, the same ones on any number of ranks "
                                               "(default without a file: 10000000 for each rank)");
  apps::take_whole_number(generate->excludes(input), 0, most_keys);
  add_name<key_type>(app, "--type", o.type,
                     {{"u32", key_type::u32},
                      {"u64", key_type::u64},
                      {"i32", key_type::i32},
                      {"i64", key_type::i64},
                      {"f32", key_type::f32},
                      {"f64", key_type::f64}},
                     "of the keys: u32, u64, i32, i64, f32 or f64 (default: u32)");
  add_name<distribution>(app, "--distribution", o.kind,
                         {{"uniform", distribution::uniform},
                          {"zipf", distribution::zipf},
                          {"equal", distribution::equal},
                          {"sorted", distribution::sorted},
                          {"few", distribution::few}},
                         "of generated keys: uniform; zipf, a few keys very often; equal, all of them; sorted "
                         "already; few, 16 keys (default: uniform)");
  apps::take_whole_number(app.add_option("--seed", o.seed, "of generated keys")->capture_default_str(), 0, UINT64_MAX);
}

void add_sort(CLI::App& app, options& o) {
  using onepass::distributed::shares;
  app.add_flag("--values", o.values,
               "let each key carry its index in the input, 8 bytes. Equal keys keep their order, so the indices are a "
               "stable argsort");
  app.add_flag("--descending", o.descending, "sort from the greatest to the least; equal keys keep their order");
  add_name<shares>(app, "--shares", o.shares,
                   {{"given", shares::as_given}, {"even", shares::even}, {"loose", shares::loose}},
                   "how much of the result each rank gets: given, as much as it has read; even; loose, about even, "
                   "which takes fewer messages (default: given)");
  app.add_option("--out", o.out, "file for the sorted keys; each rank writes its own part");
  app.add_option("--values-out", o.values_out, "file for their indices, 8 bytes each; means --values");
}

void check(const CLI::App& app, options& o) {
  for (const char* option : {"--distribution", "--seed"}) {
    if (!o.input.empty() && app.count(option) > 0) {
      throw apps::user_error(std::string(option) + ": is for generated keys, and " + o.input + " is a file");
    }
  }
  for (const std::string& file : {o.out, o.values_out}) {
    if (file == "-") throw apps::user_error("--out, --values-out: -: ranks write parts of a file, not standard output");
  }
  if (!o.values_out.empty()) o.values = true;
  o.ranks_given = app.count("--ranks") > 0;
  apps::refuse_same_files({{"--out", o.out}, {"--values-out", o.values_out}},
                          o.input.empty() ? std::vector<std::string>{} : std::vector<std::string>{o.input});
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options result;
  CLI::App app(
      "Sorts the keys of a file, or generated ones, over several ranks: processes that mpirun or srun have started, or "
      "threads of one process. The ranks find out where the sorted keys are cut, exchange keys, and sort what they "
      "have got. Prints how long each phase takes, and how many times as fast as one rank alone all of them are; and "
      "checks the order, and that no key is lost.",
      "distributed_sort");
  add_input(app, result);
  add_sort(app, result);
  apps::take_whole_number(
      app.add_option("--ranks", result.ranks,
                     "how many threads of this process are ranks (default: 1); under mpirun each process is a rank"),
      1, most_ranks);
  app.add_flag("--compare,!--no-compare", result.compare,
               "let one rank sort all keys, too, where they fit its memory (default: yes)");
  apps::take_whole_number(
      app.add_option("--repeat", result.repeat, "how often the sort is timed; the medians are printed")
          ->capture_default_str(),
      1, 1000);
  app.add_flag("--progress", result.progress,
               "draw the progress bar also where standard error is no terminal, as under mpirun");
  apps::add_backend_options(app, result.backend, result.threads);
  app.get_option("--backend")
      ->description("cpu; cuda, a GPU for each rank; or auto: cuda where each rank has one (default: auto)");
  app.get_option("--threads")->description("of each rank on the CPU; 0: the machine's cores divided by its ranks");
  if (!apps::parse_command_line(app, argc, argv)) return std::nullopt;
  check(app, result);
  return result;
}

}  // namespace distributed_sort
