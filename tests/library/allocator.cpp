// SPDX-License-Identifier: Apache-2.0
// Calls whose temporary memory comes from the caller's allocator: all of it is given back, and where there is none the
// call throws before it writes.
#include "library/fixture.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>

namespace {

constexpr std::size_t n = 200003;

// Counts what is out. Every address is odd by a few bytes, as an allocator may return any.
struct counting_allocator {
  explicit counting_allocator(const library::execution& from) : where(from) {}
  library::allocator get() {
    return {this, [](void* self, std::size_t bytes) { return static_cast<counting_allocator*>(self)->take(bytes); },
            [](void* self, void* memory, std::size_t bytes) {
              static_cast<counting_allocator*>(self)->give_back(memory, bytes);
            }};
  }
  void* take(std::size_t bytes) {
    if (fails_at > 0 && ++asked == fails_at) {
      if (throws) throw std::runtime_error("the framework is out of memory");
      return nullptr;
    }
    char* memory = static_cast<char*>(library::allocate(where, bytes + shift)) + shift;
    out[memory] = bytes;
    ++taken;
    return memory;
  }
  void give_back(void* memory, std::size_t bytes) {
    EXPECT_EQ(out.count(memory), 1u) << "memory that was not taken";
    EXPECT_EQ(out[memory], bytes);
    out.erase(memory);
    library::wait(where);
    library::release(where, static_cast<char*>(memory) - shift);
  }

  static constexpr std::size_t shift = 48;
  library::execution where;
  std::map<void*, std::size_t> out;
  int taken = 0, fails_at = 0, asked = 0;
  bool throws = false;
};

// Runs call(where, items, others), with each allocation failing once, and once with none. On the CPU few bytes come from
// the stack: `takes` is false where a call may need no more.
void fail_each(const library::execution& where, bool takes,
               const std::function<void(const library::execution&, std::uint32_t*, std::uint32_t*)>& call) {
  const std::vector<std::uint32_t> in = test::random_values<std::uint32_t>(n, 1);
  for (const bool throws : {false, true}) {
    for (int k = 1;; ++k) {
      SCOPED_TRACE(testing::Message() << "allocation " << k << ", throws " << throws);
      const test::array<std::uint32_t> items(where, in), others(where, in), expected(where, in),
          expected_others(where, in);
      counting_allocator memory(where);
      memory.fails_at = k;
      memory.throws = throws;
      const library::execution with = where.with(memory.get());
      bool has_failed = false;
      try {
        call(with, items, others);
      } catch (const onepass::bad_alloc& error) {
        has_failed = true;
        EXPECT_FALSE(throws);
        EXPECT_NE(std::string(error.what()).find("onepass::"), std::string::npos);
      } catch (const std::runtime_error& error) {
        has_failed = true;
        EXPECT_STREQ(error.what(), "the framework is out of memory");
      }
      library::wait(where);
      EXPECT_TRUE(memory.out.empty()) << "memory was kept";
      if (!has_failed) call(where, expected, expected_others);
      library::wait(where);
      EXPECT_TRUE(test::same(items.items(), expected.items()));
      EXPECT_TRUE(test::same(others.items(), expected_others.items()));
      if (!has_failed) {
        EXPECT_TRUE(memory.taken > 0 || !takes) << "the allocator was not asked";
        break;
      }
    }
  }
}

}  // namespace

LIBRARY_TEST(library_allocator, sorts) {
  fail_each(where, true, [](const auto& to, std::uint32_t* x, std::uint32_t*) { library::radix_sort(to, x, n); });
  fail_each(where, true,
            [](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::radix_sort_by_key(to, x, n, y); });
  fail_each(where, true, [](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::argsort(to, x, n, y); });
}

LIBRARY_TEST(library_allocator, segmented_sorts) {
  const test::array<std::int64_t> starts(where, {0, 70000, static_cast<std::int64_t>(n)});
  const library::offsets segments{starts, 3};
  fail_each(where, true,
            [&](const auto& to, std::uint32_t* x, std::uint32_t*) { library::segmented_sort(to, x, n, segments); });
  fail_each(where, true, [&](const auto& to, std::uint32_t* x, std::uint32_t* y) {
    library::segmented_sort_by_key(to, x, n, y, segments);
  });
}

LIBRARY_TEST(library_allocator, rows_and_selections) {
  const library::rows rows{70000};
  fail_each(where, true,
            [&](const auto& to, std::uint32_t* x, std::uint32_t*) { library::segmented_sort(to, x, n, rows); });
  fail_each(where, true, [&](const auto& to, std::uint32_t* x, std::uint32_t* y) {
    library::segmented_sort_by_key(to, x, n, y, rows);
  });
  fail_each(where, where.on_cuda(),
            [&](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::segmented_reduce(to, x, n, rows, y); });
  fail_each(where, true,
            [](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::top_k(to, x, n, 5000, y, y + 5000); });
  fail_each(where, true,
            [&](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::nth_element(to, x, n, rows, 100, y); });
}

LIBRARY_TEST(library_allocator, scans_and_compactions) {
  const test::array<std::uint8_t> flags(where, test::random_flags(n, 2, 0.5));
  fail_each(where, where.on_cuda(), [](const auto& to, std::uint32_t* x, std::uint32_t* y) {
    library::inclusive_scan(to, x, n, y, library::op::maximum);
  });
  fail_each(where, where.on_cuda(),
            [&](const auto& to, std::uint32_t* x, std::uint32_t* y) { library::compact(to, x, n, flags, y); });
  fail_each(where, where.on_cuda(), [&](const auto& to, std::uint32_t* x, std::uint32_t* y) {
    library::inclusive_segmented_scan(to, x, n, static_cast<const std::uint8_t*>(flags), y);
  });
}

// Then a call is one launch: nothing to ask for, and nothing to clear.
LIBRARY_TEST(library_allocator, is_not_asked_by_a_scan_of_one_tile) {
  const test::array<float> in(where, std::vector<float>(1000, 1.f)), out(where, 1000);
  counting_allocator memory(where);
  memory.fails_at = 1;
  library::inclusive_scan<float>(where.with(memory.get()), in, 1000, out);
  EXPECT_EQ(out.items()[999], 1000.f);
}

// So nothing has been launched that writes into its memory.
LIBRARY_TEST(library_allocator, is_not_asked_where_an_argument_is_wrong) {
  const test::array<std::uint32_t> items(where, n), others(where, n);
  const test::array<std::uint16_t> keys(where, n);
  std::uint32_t* const x = items;
  counting_allocator memory(where);
  memory.fails_at = 1;
  memory.throws = true;
  const library::execution with = where.with(memory.get());
  const library::rows rows{100};
  const library::radix_options no_bits{false, 0, 33};
  const auto refuses = [](const char* call, const std::function<void()>& f) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(std::string("onepass::") + call, f));
  };
  refuses("segmented_sort: bits", [&] { library::segmented_sort(with, x, n, rows, no_bits); });
  refuses("segmented_sort_by_key: bits",
          [&] { library::segmented_sort_by_key<std::uint32_t, std::uint32_t>(with, x, n, others, rows, no_bits); });
  refuses("segmented_sort_by_key: values overlaps", [&] { library::segmented_sort_by_key(with, x, n, x, rows); });
  refuses("inclusive_scan_by_key: out overlaps",
          [&] { library::inclusive_scan_by_key<std::uint16_t, std::uint32_t>(with, keys, n - 1, x, x + 1); });
  EXPECT_TRUE(items.untouched() && others.untouched());
}

LIBRARY_TEST(library_allocator, has_both_functions_or_none) {
  const test::array<int> in(where, {1, 2}), out(where, 2);
  const auto take = [](void*, std::size_t) -> void* { return nullptr; };
  const auto give_back = [](void*, void*, std::size_t) {};
  for (const library::allocator& half : {library::allocator{nullptr, take, nullptr}, {nullptr, nullptr, give_back}}) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(
        "onepass::inclusive_scan: the allocator", [&] { library::inclusive_scan<int>(where.with(half), in, 2, out); }));
  }
  EXPECT_TRUE(out.untouched());
}

LIBRARY_TEST(library_allocator, is_kept_by_an_execution) {
  counting_allocator memory(where);
  const library::allocator source = memory.get();
  const library::execution with = where.with(source);
  EXPECT_EQ(with.on_cuda(), where.on_cuda());
  EXPECT_EQ(with.threads(), where.threads());
  EXPECT_EQ(with.source().context, &memory);
  EXPECT_EQ(where.source().allocate, nullptr);
}
