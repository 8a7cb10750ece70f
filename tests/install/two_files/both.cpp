// SPDX-License-Identifier: Apache-2.0
// Calls both files, at once, too.
#include <cstdio>
#include <thread>

bool first_works();
bool second_works();

int main() {
  bool all = first_works() && second_works() && first_works();
  bool beside = false;
  std::thread other([&] { beside = second_works(); });
  all = first_works() && all;
  other.join();
  std::printf("two files: %s\n", all && beside ? "right" : "wrong");
  return all && beside ? 0 : 1;
}
