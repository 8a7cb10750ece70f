// SPDX-License-Identifier: Apache-2.0
// What tests include of others, parsed once for all of them by g++ (tests/CMakeLists.txt). Nothing of onepass is here, so
// that a test sees of it what it includes, and no change of it makes this anew. It takes 4 of 9 CPU seconds from a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/memory.h>
#include <thrust/tuple.h>
#include <cuda/atomic>
#include <cuda/std/functional>
#include <cuda/std/optional>

#if defined(ONEPASS_HAS_TBB) && ONEPASS_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif
