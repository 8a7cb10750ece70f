// SPDX-License-Identifier: Apache-2.0
// A plain C++ file of a program that uses NCCL elsewhere.
#include <onepass/nccl.hpp>

#include <dlfcn.h>

int main() {
  const onepass::communicator_options options;
  void* const self = dlopen(nullptr, RTLD_NOW);  // what onepass::nccl links
  return self != nullptr && options.deadline.count() == 0 ? 0 : 1;
}
