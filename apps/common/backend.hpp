// SPDX-License-Identifier: Apache-2.0
// Which backend a program runs on: what can be asked for, and what is there.
#pragma once

#include <string>

namespace apps {

enum class backend_kind { automatic, cpu, cuda };

// Why `--backend cuda` can't be had; empty where it can.
std::string why_no_cuda();

// The backend to take for what was asked: never `automatic`. Throws user_error for a GPU that isn't there.
backend_kind chosen_backend(backend_kind asked);

}  // namespace apps
