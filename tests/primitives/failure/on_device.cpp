// SPDX-License-Identifier: Apache-2.0
// Calls on CUDA that fail once: at each allocation, and at each call of the CUDA runtime that allocates, clears, copies or
// launches. Nothing leaks, nothing is written outside the outputs, inputs are as they were, and the same call then works.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>

#include "support/failing_device.hpp"
// The library, with those calls:
#include "calls.hpp"

namespace {

using test::changes;
using test::failing;
using test::failing_device;
using number = std::int64_t;

// What calls work on, between guards.
class device_memory {
  const test::cuda_backend backend_{};
  const std::size_t size_, offset_count_;
  const test::buffer<number> items_, out_, out2_, out3_, keys_, numbers_, out_keys_, out_numbers_, offsets_, counts_;
  const test::buffer<test::record> records_, out_records_;
  const test::buffer<unsigned char> flags_;

  template <class T, class Make>
  static void fill(const test::buffer<T>& to, Make make) {
    std::vector<T> all(to.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make(i);
    to.assign(all);
  }

 public:
  explicit device_memory(std::size_t size)
      : size_(size),
        offset_count_(size / 17 + 1),
        items_(backend_, size),
        out_(backend_, size),
        out2_(backend_, size),
        out3_(backend_, size),
        keys_(backend_, size),
        numbers_(backend_, size),
        out_keys_(backend_, size),
        out_numbers_(backend_, size),
        offsets_(backend_, offset_count_),
        counts_(backend_, 2),
        records_(backend_, size),
        out_records_(backend_, size),
        flags_(backend_, size),
        n(static_cast<std::ptrdiff_t>(size)),
        segments(static_cast<std::ptrdiff_t>(offset_count_)),
        items(items_.data()),
        out(out_.data()),
        out2(out2_.data()),
        out3(out3_.data()),
        keys(keys_.data()),
        numbers(numbers_.data()),
        out_keys(out_keys_.data()),
        out_numbers(out_numbers_.data()),
        offsets(offsets_.data()),
        counts(counts_.data()),
        records(records_.data()),
        out_records(out_records_.data()),
        flags(flags_.data()) {
    load();
  }
  void load() const {
    for (const auto* output : {&out_, &out2_, &out3_, &out_keys_, &out_numbers_, &counts_}) output->poison_all();
    out_records_.poison_all();
    fill(items_, [](std::size_t i) { return static_cast<number>(i + 1); });
    fill(keys_, [](std::size_t i) { return static_cast<number>(i / 2); });
    fill(numbers_, [](std::size_t i) { return static_cast<number>(test::hash(1, i)); });
    fill(records_, [](std::size_t i) {
      const std::uint64_t bits = test::hash(2, i);
      return test::record{static_cast<std::int32_t>(bits), static_cast<std::int32_t>(bits >> 60)};
    });
    fill(flags_, [](std::size_t i) { return static_cast<unsigned char>(i % 7 == 0); });
    fill(offsets_, [](std::size_t i) { return static_cast<number>(17 * i); });
  }
  static number item(number x) { return x; }

  bool has_inputs_of(const device_memory& other) const {
    return items_.to_host() == other.items_.to_host() && keys_.to_host() == other.keys_.to_host() &&
           numbers_.to_host() == other.numbers_.to_host() && records_.to_host() == other.records_.to_host() &&
           flags_.to_host() == other.flags_.to_host() && offsets_.to_host() == other.offsets_.to_host();
  }
  bool has_outputs_of(const device_memory& other) const {
    return out_.to_host() == other.out_.to_host() && out2_.to_host() == other.out2_.to_host() &&
           out3_.to_host() == other.out3_.to_host() && out_keys_.to_host() == other.out_keys_.to_host() &&
           out_numbers_.to_host() == other.out_numbers_.to_host() && counts_.to_host() == other.counts_.to_host() &&
           out_records_.to_host() == other.out_records_.to_host();
  }

  const std::ptrdiff_t n, segments;
  number *const items, *const out, *const out2, *const out3, *const keys, *const numbers, *const out_keys,
                                                                                              *const out_numbers,
                                                                                                  *const offsets,
                                                                                                      *const counts;
  test::record *const records, *const out_records;
  unsigned char* const flags;
};

struct each_failing_call {
  failing kind;

  template <class Call>
  void operator()(const char* name, changes may_change, const Call& call) const {
    for (const std::size_t n : {std::size_t{1000}, test::limited(300007)}) {
      const device_memory m(n), done(n), loaded(n);
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
        EXPECT_TRUE(m.has_inputs_of(done) && m.has_outputs_of(done)) << "another result";
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
#endif
