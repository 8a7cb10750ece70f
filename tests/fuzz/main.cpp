// SPDX-License-Identifier: Apache-2.0
// The fuzzer's program. One process looks on, and never calls the library; another makes the calls, so that a crash and a
// hang can be told, seen again and made smaller.
#include "supervisor.hpp"

int main(int count, char** arguments) {
  fuzz::settings s;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i], value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--seconds") s.seconds = std::stod(value);
    else if (name == "--seed") s.seed = std::stoull(value);
    else if (name == "--family") s.family = value;
    else if (name == "--case") s.only_case = std::stoll(value);
    else if (name == "--choices") s.given = value;
    else if (name == "--hang-seconds") s.hang_seconds = std::stod(value);
    else {
      std::fprintf(
          stderr,
          "usage: %s [--seconds S] [--seed N] [--family NAME] [--case NUMBER] [--choices TEXT] [--hang-seconds S]\n"
          "families:",
          arguments[0]);
      for (const fuzz::family& f : fuzz::families()) std::fprintf(stderr, " %s", f.name);
      std::fprintf(stderr, "\n");
      return 2;
    }
  }
  return fuzz::supervisor(s).run();
}
