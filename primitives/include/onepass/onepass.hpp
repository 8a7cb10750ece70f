// SPDX-License-Identifier: Apache-2.0
// onepass/onepass.hpp: all of onepass's calls on one machine; onepass/distributed.hpp has those across ranks.
#pragma once

#include "compact.hpp"
#include "histogram.hpp"
#include "little_memory_sort.hpp"
#include "memory.hpp"
#include "radix_sort.hpp"
#include "scan.hpp"
#include "segmented_reduce.hpp"
#include "segmented_scan.hpp"
#include "segmented_sort.hpp"
#include "select.hpp"
#include "sort.hpp"
#include "workspace.hpp"
