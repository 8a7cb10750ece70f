// SPDX-License-Identifier: Apache-2.0
// Calls on CUDA that fail once: at each allocation, and at each call of the CUDA runtime that allocates, clears, copies or
// launches. Nothing leaks, nothing is written outside the outputs, inputs are as they were, and the same call then works.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>

#include "support/failing_device.hpp"
// The library, with those calls:
#include "call_memory.hpp"

namespace {

using test::changes;
using test::failing;
using test::failing_device;

template <class T>
class device_array : public test::buffer<T> {
 public:
  explicit device_array(std::ptrdiff_t n) : test::buffer<T>(test::cuda_backend{}, static_cast<std::size_t>(n)) {}
  std::vector<T> all() const { return this->to_host(); }
  bool has_guards() const { return this->guards_intact(); }
};
using device_memory = test::call_memory<device_array, std::int64_t>;

struct each_failing_call {
  failing kind;

  template <class Call>
  void operator()(const char* name, changes may_change, const Call& call) const {
    for (const std::size_t size : {std::size_t{1000}, test::limited(300007)}) {
      const auto n = static_cast<std::ptrdiff_t>(size);
      device_memory m(n), done(n);
      const device_memory loaded(n);
      const auto policy = onepass::cuda();
      call(policy, done);
      for (long k = 1;; ++k) {
        SCOPED_TRACE(testing::Message() << name << ", " << n << " items, call " << k);
        m.load();
        const long alive = failing_device::alive;
        bool has_thrown = false, has_failed = false;
        {
          const failing_device failure(kind, k);
          try {
            call(policy, m);
          } catch (const onepass::bad_alloc&) {
            has_thrown = true;
          } catch (const onepass::cuda_error&) {
            has_thrown = true;
          }
          has_failed = failure.has_failed();
        }
        test::cuda_backend::synchronize();
        EXPECT_TRUE(cudaGetLastError() == cudaSuccess) << "an error is left";
        EXPECT_TRUE(has_thrown || !has_failed) << "the error was kept";
        EXPECT_EQ(failing_device::alive, alive) << "memory is lost";
        if (has_thrown) {
          const bool is_whole = kind == failing::allocations || may_change == changes::outputs;
          EXPECT_TRUE(!is_whole || m.has_inputs_of(loaded)) << "the input has changed";
          EXPECT_TRUE(kind != failing::allocations || m.has_outputs_of(loaded)) << "something was written";
          m.load();
          call(policy, m);
        }
        EXPECT_TRUE(m.has_all_of(done)) << "another result";
        if (testing::Test::HasFailure() || !has_failed) break;
      }
      if (testing::Test::HasFailure()) return;
    }
  }
};

}  // namespace

ONEPASS_GPU_TEST(failing_scans, without_memory) { test::each_scan(each_failing_call{failing::allocations}); }
ONEPASS_GPU_TEST(failing_scans, any_call) { test::each_scan(each_failing_call{failing::any_call}); }
ONEPASS_GPU_TEST(failing_compactions, without_memory) {
  test::each_compaction(each_failing_call{failing::allocations});
}
ONEPASS_GPU_TEST(failing_compactions, any_call) { test::each_compaction(each_failing_call{failing::any_call}); }
ONEPASS_GPU_TEST(failing_sorts, without_memory) { test::each_sort(each_failing_call{failing::allocations}); }
ONEPASS_GPU_TEST(failing_sorts, any_call) { test::each_sort(each_failing_call{failing::any_call}); }
ONEPASS_GPU_TEST(failing_selections, without_memory) { test::each_selection(each_failing_call{failing::allocations}); }
ONEPASS_GPU_TEST(failing_selections, any_call) { test::each_selection(each_failing_call{failing::any_call}); }
#endif
