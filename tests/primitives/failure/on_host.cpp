// SPDX-License-Identifier: Apache-2.0
// Calls on the CPU that fail once, at each point where they can: at each allocation, and where each call of a function object
// throws, or the copy of an item. Nothing ends the program, nothing leaks, nothing is written outside the outputs, inputs are
// as they were, and the same call then works.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "call_memory.hpp"
#include "support/failing_allocations.hpp"

namespace {

using test::changes;

// A number in memory of its own: a copy may fail. An object that is lost counts as lost memory, also one that was moved from.
// Its moves do not throw. So large that a few make a tile.
class alignas(128) owner {
 public:
  explicit owner(std::int64_t number) : number_(std::make_unique<std::int64_t>(number)) {}
  owner() : owner(0) {}
  owner(const owner& other) : owner(number_of(other)) {}
  owner(owner&&) noexcept = default;
  owner& operator=(const owner& other) {
    number_ = std::make_unique<std::int64_t>(number_of(other));
    return *this;
  }
  owner& operator=(owner&&) noexcept = default;
  // Hides the global one that makes objects at an address, unless that is named.
  static void* operator new(std::size_t) = delete;
  friend std::int64_t number_of(const owner& x) { return x.number_ ? *x.number_ : moved_from; }
  friend bool operator==(const owner& a, const owner& b) { return number_of(a) == number_of(b); }
  static constexpr std::int64_t moved_from = -9;

 private:
  struct counted {
    counted() noexcept { ++test::allocations::alive; }
    counted(const counted&) noexcept : counted() {}
    counted& operator=(const counted&) = default;
    ~counted() { --test::allocations::alive; }
  };
  std::unique_ptr<std::int64_t> number_;
  counted counted_;
};

// test::buffer holds bytes; this holds objects.
template <class T>
class guarded {
  static constexpr std::ptrdiff_t guard = 16;

 public:
  explicit guarded(std::ptrdiff_t n) : all_(static_cast<std::size_t>(n + 2 * guard), T{}) {}
  T* data() { return all_.data() + guard; }
  void assign(const std::vector<T>& items) { std::copy(items.begin(), items.end(), all_.begin() + guard); }
  const std::vector<T>& all() const { return all_; }
  bool has_guards() const {
    const auto is_new = [](const T& x) { return x == T{}; };
    return std::all_of(all_.begin(), all_.begin() + guard, is_new) &&
           std::all_of(all_.end() - guard, all_.end(), is_new);
  }

 private:
  std::vector<T> all_;
};

template <class T>
using host_memory = test::call_memory<guarded, T>;

// Where it fails: 1, 2, 3, ..., and further apart from `all` on.
long next_point(long k, long all) { return k < all ? k + 1 : 50 * k; }

// What a call that has thrown may have changed, and must not have.
template <class T>
void check_what_is_left(const host_memory<T>& m, const host_memory<T>& loaded, const host_memory<T>& done,
                        changes may_change) {
  EXPECT_TRUE(m.has_guards()) << "written outside";
  const bool keeps_inputs = may_change == changes::outputs || may_change == changes::nothing;
  EXPECT_TRUE(!keeps_inputs || m.has_inputs_of(loaded)) << "the input has changed";
  EXPECT_TRUE(may_change != changes::place_of_items || m.has_kept_items_of(done)) << "an item is lost";
}

// arm(k) makes the k-th point fail, while what it returns lives; `Error` is what comes out. `by_memory`: the only points are
// allocations of the library's, before anything is written.
template <class Error, class T, class Call, class Arm>
void fail_everywhere(std::ptrdiff_t n, int threads, long all, const Call& call, changes may_change, bool by_memory,
                     Arm arm) {
  const auto policy = onepass::cpu(threads);
  host_memory<T> m(n), done(n);
  const host_memory<T> loaded(n);
  call(policy, done);
  for (long k = 1;; k = next_point(k, all)) {
    SCOPED_TRACE("point " + std::to_string(k));
    m.load();
    const long alive = test::allocations::alive;
    bool has_thrown = false, has_failed = false;
    {
      const auto failure = arm(k);
      try {
        call(policy, m);
      } catch (const Error&) {
        has_thrown = true;
      }
      has_failed = failure.has_failed();
    }
    if (has_thrown) {
      check_what_is_left(m, loaded, done, may_change);
      EXPECT_TRUE(!by_memory || m.has_all_of(loaded)) << "something was written";
    } else {  // it did not fail, or could do without
      EXPECT_TRUE(m.has_all_of(done)) << "another result";
    }
    m.load();
    EXPECT_EQ(test::allocations::alive, alive) << "memory is lost";
    if (has_thrown) {
      call(policy, m);
      EXPECT_TRUE(m.has_all_of(done)) << "another result afterwards";
    }
    if (testing::Test::HasFailure() || !has_failed) return;
  }
}

class failing_function {
 public:
  explicit failing_function(long k) { test::thrower::left = k; }
  ~failing_function() { test::thrower::left = 0; }
  failing_function(const failing_function&) = delete;
  failing_function& operator=(const failing_function&) = delete;
  bool has_failed() const { return test::thrower::left == 0; }
};

// Few items: one thread's, at every point. Many: several tiles and threads, at some points.
struct amount {
  std::ptrdiff_t items;
  int threads;
  long all_points;
};
template <std::ptrdiff_t many>
constexpr amount amounts[] = {{33, 1, 1000}, {many, 3, 1}};
template <class T>
constexpr std::ptrdiff_t several_tiles = (3 << 17) / sizeof(T) + 1;
constexpr std::ptrdiff_t several_parts = (1 << 17) + 1;  // of a selection

template <class T, std::ptrdiff_t many = several_tiles<T>>
struct each_failing_call {
  template <class Call>
  void operator()(const char* name, changes may_change, const Call& call) const {
    for (const amount& a : amounts<many>) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(a.items) + " items");
      fail_everywhere<std::bad_alloc, T>(a.items, a.threads, a.all_points + 5, call, may_change, !std::is_class_v<T>,
                                         [](long k) { return test::failing_allocation(k); });
      fail_everywhere<test::refusal, T>(a.items, a.threads, a.all_points, call, may_change, false,
                                        [](long k) { return failing_function(k); });
      if (testing::Test::HasFailure()) return;
    }
  }
};

// With a workspace as large as was measured nothing is allocated, and measuring changes nothing.
template <std::ptrdiff_t many = several_tiles<std::int64_t>>
struct each_call_in_a_workspace {
  template <class Call>
  void operator()(const char* name, changes, const Call& call) const {
    for (const amount& a : amounts<many>) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(a.items) + " items");
      host_memory<std::int64_t> m(a.items), done(a.items);
      const host_memory<std::int64_t> loaded(a.items);
      const auto policy = onepass::cpu(a.threads);
      call(policy, done);
      const onepass::workspace_size size = onepass::measure(policy, [&](const auto& p) { call(p, m); });
      EXPECT_TRUE(m.has_all_of(loaded)) << "measuring has written";
      onepass::workspace memory(policy, size);
      const test::failing_allocation failure(1);
      call(policy.with(memory), m);
      EXPECT_TRUE(ONEPASS_HAS_TBB == 0 || !failure.has_failed()) << "something was allocated";
      EXPECT_TRUE(m.has_all_of(done)) << "another result";
    }
  }
};

TEST(failing_scans, over_their_keys_cpu) { test::each_call_over_its_keys(each_failing_call<std::int64_t>()); }

TEST(scans_in_a_workspace, allocate_nothing_cpu) { test::each_scan(each_call_in_a_workspace<>()); }
TEST(compactions_in_a_workspace, allocate_nothing_cpu) { test::each_compaction(each_call_in_a_workspace<>()); }
TEST(sorts_in_a_workspace, allocate_nothing_cpu) { test::each_sort(each_call_in_a_workspace<>()); }
TEST(selections_in_a_workspace, allocate_nothing_cpu) {
  test::each_selection(each_call_in_a_workspace<several_parts>());
}

// Function objects whose copies may fail.
struct owning_equal {
  owner own{1};
  bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
};
struct owning_sum {
  owner own{2};
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct owning_predicate {
  owner own{3};
  bool operator()(std::int64_t x) const { return x % 2 != 0; }
};
TEST(failing_functors, that_own_memory_cpu) {
  std::vector<std::int64_t> keys{1, 1, 2}, values{3, 4, 5}, a(3), b(3), c(3);
  const auto each_failing = [&](const char* name, const auto& call) {
    SCOPED_TRACE(name);
    for (long k = 1, has_failed = 1; has_failed != 0; ++k) {
      const long alive = test::allocations::alive;
      {
        const test::failing_allocation failure(k);
        try {
          call();
        } catch (const std::bad_alloc&) {
        }
        has_failed = failure.has_failed();
      }
      EXPECT_EQ(test::allocations::alive, alive) << "point " << k;
    }
  };
  const auto one = onepass::cpu(1);
  const owning_equal equal;
  const owning_sum sum;
  const owning_predicate is_odd;
  each_failing("reduce_by_key", [&] {
    onepass::reduce_by_key(one, keys.begin(), keys.end(), values.begin(), a.begin(), b.begin(), equal, sum);
  });
  each_failing("inclusive_scan_by_key", [&] {
    onepass::inclusive_scan_by_key(one, keys.begin(), keys.end(), values.begin(), a.begin(), equal, sum);
  });
  each_failing("exclusive_scan_by_key", [&] {
    onepass::exclusive_scan_by_key(one, keys.begin(), keys.end(), values.begin(), a.begin(), 1L, equal, sum);
  });
  each_failing("inclusive_scan",
               [&] { onepass::inclusive_scan(one, values.begin(), values.end(), a.begin(), 1L, sum); });
  each_failing("copy_if", [&] { onepass::copy_if(one, values.begin(), values.end(), a.begin(), is_odd); });
  each_failing("unique_copy", [&] { onepass::unique_copy(one, values.begin(), values.end(), a.begin(), equal); });
  each_failing("partition_copy",
               [&] { onepass::partition_copy(one, values.begin(), values.end(), a.begin(), b.begin(), is_odd); });
  each_failing("segmented_reduce", [&] {
    onepass::segmented_reduce(one, values.begin(), values.end(), onepass::rows(2), a.begin(), 1L, sum);
  });
  each_failing("three_way_partition_copy", [&] {
    onepass::three_way_partition_copy(one, keys.begin(), keys.end(), a.begin(), b.begin(), c.begin(), is_odd, is_odd);
  });
}

// What copies items that own memory runs out of it: the error has the call's name.
TEST(failing_copies, have_the_name_of_the_call_cpu) {
  const std::vector<std::string> before{std::string(100, 'a'), std::string(100, 'b'), std::string(100, 'c')};
  std::vector<std::string> items = before;
  const auto is_b = [](const std::string& x) { return x[0] == 'b'; };
  for (long k = 1; k <= 2; ++k) {
    const test::failing_allocation failure(k);
    try {
      onepass::partition(onepass::cpu(1), items.begin(), items.end(), is_b);
      ADD_FAILURE() << "allocation " << k << " did not fail";
    } catch (const onepass::bad_alloc& e) {
      EXPECT_STREQ(e.call(), "partition");
    }
  }
  EXPECT_TRUE(items == before);
}

TEST(failing_scans, of_numbers_cpu) { test::each_scan(each_failing_call<std::int64_t>()); }
TEST(failing_scans, of_owners_cpu) { test::each_scan(each_failing_call<owner>()); }
TEST(failing_compactions, of_numbers_cpu) { test::each_compaction(each_failing_call<std::int64_t>()); }
TEST(failing_compactions, of_owners_cpu) { test::each_compaction(each_failing_call<owner>()); }
TEST(failing_sorts, of_numbers_cpu) { test::each_sort(each_failing_call<std::int64_t>()); }
TEST(failing_sorts, of_owners_cpu) { test::each_sort(each_failing_call<owner>()); }
TEST(failing_selections, of_numbers_cpu) { test::each_selection(each_failing_call<std::int64_t, several_parts>()); }
TEST(failing_selections, of_owners_cpu) { test::each_selection(each_failing_call<owner>()); }

}  // namespace
