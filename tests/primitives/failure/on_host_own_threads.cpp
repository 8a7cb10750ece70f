// SPDX-License-Identifier: Apache-2.0
// The same with std::thread, also where oneTBB is linked.
#undef ONEPASS_HAS_TBB
#define ONEPASS_HAS_TBB 0
#include "on_host.cpp"
