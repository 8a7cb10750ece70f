// SPDX-License-Identifier: Apache-2.0
// The look-back protocol by itself, on host threads, without a primitive on top: what core/lookback/descriptor.hpp,
// look_back.hpp and chained_look_back.hpp promise. ThreadSanitizer runs it, too.
#include "../../core/lookback/look_back.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../core/cpu/driver/cpu_tile_driver.hpp"
#include "../../core/lookback/chained_look_back.hpp"
#include "support/test.hpp"

namespace {

using onepass::detail::chained_descriptor;
using onepass::detail::chained_prefix;
using onepass::detail::descriptor_table;
using onepass::detail::epoch_t;
using onepass::detail::most_window;
using onepass::detail::on_host;
using onepass::detail::running_prefix;
using onepass::detail::slot;
using onepass::detail::store_release;
using onepass::detail::team_failure;
using onepass::detail::thread_group;
using onepass::detail::tile_t;

// Not commutative: keeps the ends of what it has combined, and whether all neighbours met.
struct span {
  int first, last;
  bool unbroken;
};
struct join {
  span operator()(const span& a, const span& b) const {
    return {a.first, b.last, a.unbroken && b.unbroken && a.last + 1 == b.first};
  }
};
struct concatenate {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};
struct add {
  int operator()(int a, int b) const { return a + b; }
};

// `threads` threads draw `tiles` tiles, publish make(tile), and hand the prefix of each to check(tile, prefix).
template <class T, class Op, class Make, class Check>
void run(int threads, tile_t tiles, epoch_t epoch, std::vector<slot>& slots, Op op, Make make, Check check) {
  using table_type = descriptor_table<T, on_host>;
  std::unique_ptr<T, void (*)(T*)> values(static_cast<T*>(::operator new(sizeof(T) * tiles)),
                                          [](T* p) { ::operator delete(p); });
  const table_type table(slots.data(), values.get(), epoch);
  std::atomic<tile_t> ticket{0};
  team_failure failure;
  const auto work = [&](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    thread_group<T> group(failure);
    running_prefix<T, Op, thread_group<T>> running(op);
    for (tile_t t; (t = ticket.fetch_add(1)) < tiles;) {
      if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      table.publish(t, make(t));
      check(t, running.advance(table, group, t));
    }
  };
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i) team.emplace_back(work, i);
  for (auto& member : team) member.join();
  if (table_type::apart) {
    for (tile_t t = 0; t < tiles; ++t) table.destroy(t);
  }
}

TEST(look_back, order_is_kept_by_a_layout_with_the_value_apart_cpu) {
  constexpr tile_t tiles = 2000;
  std::vector<slot> slots(tiles, slot{});
  std::atomic<int> wrong{0};
  run<span>(
      4, tiles, 1, slots, join{},
      [](tile_t t) {
        return span{static_cast<int>(t), static_cast<int>(t), true};
      },
      [&](tile_t t, const auto& prefix) {
        const bool right =
            t == 0 ? !prefix
                   : prefix && prefix->first == 0 && prefix->last + 1 == static_cast<int>(t) && prefix->unbroken;
        wrong += !right;
      });
  EXPECT_EQ(wrong, 0);
}

TEST(look_back, one_word_descriptors_and_reuse_by_epoch_cpu) {
  constexpr tile_t tiles = 500;
  std::vector<slot> slots(tiles, slot{});
  for (epoch_t epoch = 1; epoch <= 20; ++epoch) {  // the slots are never cleared between the rounds
    std::atomic<int> wrong{0};
    const int scale = static_cast<int>(epoch);
    run<int>(
        3, tiles, epoch, slots, add{}, [&](tile_t t) { return scale * static_cast<int>(t); },
        [&](tile_t t, const auto& prefix) {
          const int expected = scale * static_cast<int>(t * (t - 1) / 2);
          wrong += t == 0 ? prefix.has_value() : !prefix || *prefix != expected;
        });
    ASSERT_EQ(wrong, 0) << "epoch " << epoch;
  }
}

TEST(look_back, values_with_a_destructor_cpu) {
  constexpr tile_t tiles = 60;
  std::vector<slot> slots(tiles, slot{});
  std::string all;
  for (tile_t t = 0; t < tiles; ++t) all += static_cast<char>('a' + t % 26);
  std::atomic<int> wrong{0};
  run<std::string>(
      4, tiles, 7, slots, concatenate{}, [](tile_t t) { return std::string(1, static_cast<char>('a' + t % 26)); },
      [&](tile_t t, const auto& prefix) { wrong += (prefix ? *prefix : std::string()) != all.substr(0, t); });
  EXPECT_EQ(wrong, 0);
}

void check_chain_of_counts(int window) {
  using word = std::uint32_t;
  constexpr int tiles = 3000, columns = 4;
  std::vector<word> table(static_cast<std::size_t>(tiles) * columns, 0);
  std::atomic<int> ticket{0}, wrong{0};
  const auto count = [](int tile, int column) { return static_cast<word>((tile * 7 + column * 3) % 11); };
  const auto work = [&] {
    for (int t; (t = ticket.fetch_add(1)) < tiles;) {
      for (int c = 0; c < columns; ++c) {
        word* mine = table.data() + static_cast<std::ptrdiff_t>(t) * columns + c;
        const auto set = [&](word w) { store_release(mine, w); };
        set(count(t, c) | (t == 0 ? chained_descriptor<word>::inclusive : chained_descriptor<word>::aggregate));
        if (t == 0) continue;
        const word before = chained_prefix(mine - columns, columns, t, window, [] { std::this_thread::yield(); });
        word expected = 0;
        for (int i = 0; i < t; ++i) expected += count(i, c);
        wrong += before != expected;
        set((before + count(t, c)) | chained_descriptor<word>::inclusive);
      }
    }
  };
  std::vector<std::thread> team;
  for (int i = 0; i < 4; ++i) team.emplace_back(work);
  for (auto& member : team) member.join();
  EXPECT_EQ(wrong, 0);
}

TEST(look_back, the_chain_of_counts_cpu) {
  check_chain_of_counts(1);
  check_chain_of_counts(3);
  check_chain_of_counts(most_window);
}

TEST(look_back, who_waits_for_a_failed_tile_gives_up_cpu) {
  std::vector<slot> slots(4, slot{});
  const descriptor_table<int, on_host> table(slots.data(), nullptr, 1);
  team_failure failure;
  table.publish(0, 5);
  try {
    throw std::runtime_error("tile 1");
  } catch (...) {
    failure.record(1);
  }
  thread_group<int> group(failure);
  running_prefix<int, add, thread_group<int>> running(add{});
  EXPECT_EQ(*running.advance(table, group, 1), 5);  // what lies before the failed tile is there
  EXPECT_THROW(running.advance(table, group, 2), team_failure::other_member_failed);
  EXPECT_THROW(failure.rethrow(), std::runtime_error);
}

TEST(look_back, old_tags_are_scrubbed_cpu) {
  std::vector<slot> slots(10, slot{});
  const onepass::detail::tile_memory memory{nullptr, slots.data(), 10};
  for (auto& s : slots) s.tag = 1;
  for (epoch_t epoch = 2; epoch < 12; ++epoch) onepass::detail::scrub(memory, 4, epoch);
  for (std::size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(slots[i].tag, i < 4 ? 1u : 0u) << i;  // those in use stay
}

}  // namespace
