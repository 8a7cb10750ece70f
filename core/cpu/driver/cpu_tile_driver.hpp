// SPDX-License-Identifier: Apache-2.0
// The CPU tile driver: a team of threads takes an input through begin, publish, look-back and finish, tile by tile,
// with the protocol of core/lookback/look_back.hpp. The tile's type says what is done within a tile
// (core/cpu/driver/cpu_scan_tile.hpp, primitives/compact/cpu/cpu_compact_tile.hpp).
//
// A tile is small enough to stay in a core's cache between begin, which reads it, and finish. So memory is read once.
// The prefix of a tile is the combination of all aggregates before it, from left to right. So results are the same in
// every bit for any number of threads.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "../../lookback/look_back.hpp"
#include "cpu_call_memory.hpp"
#include "thread_team.hpp"

namespace onepass::detail {

// How many bytes a tile reads: few enough to stay in a second-level cache from begin to finish. 128 KB, as 256 KB would
// leave no room for a tile's buffer in the 512 KB that many cores have (docs/history/performance-log.md, "CPU").
constexpr index_t cpu_tile_bytes = index_t{1} << 17;

// Tells the team that a member has failed, because a function object of the caller has thrown. The members still finish
// the tiles before the failed one, so that a call in place leaves no item in a buffer only. Members with later tiles
// give up.
class team_failure {
 public:
  struct other_member_failed {};  // thrown by a member that waits for a tile that may never be published

  // If so, the aggregate of `tile` may never be published.
  bool failed_at_or_before(tile_t tile) const { return tile_.load(std::memory_order_acquire) <= tile; }
  // Keeps the exception that is being handled. Compiled once, and not into each job's driver.
  [[gnu::noinline, gnu::cold]] void record(tile_t tile) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!exception_) exception_ = std::current_exception();
    tile_.store(std::min(tile_.load(std::memory_order_relaxed), tile), std::memory_order_release);
  }
  void rethrow() {
    if (exception_) rethrow_kept();
  }

 private:
  [[gnu::noinline, gnu::cold]] void rethrow_kept() { std::rethrow_exception(exception_); }

  static constexpr tile_t no_tile = ~tile_t{0};
  std::atomic<tile_t> tile_{no_tile};  // the first that failed
  std::mutex mutex_;
  std::exception_ptr exception_;
};

// A thread as the group that looks back, one tile at a time.
template <class Stored>
class thread_group {
 public:
  static constexpr tile_t width = 1;
  static constexpr tile_t window = 1;

  explicit thread_group(const team_failure& failure) : failure_(failure) {}

  template <class Table, class Op>
  const Stored* sums(const Table& table, tile_t first, tile_t, Op&) {
    auto raw = table.read(first);
    for (unsigned tries = 0; !table.is_published(raw); raw = table.read(first)) wait(first, tries);
    sum_.emplace(table.value(first, raw));
    return object_address(*sum_);
  }

 private:
  // After 64 reads at full speed the thread yields its core each time, as the thread that it waits for may need it. 64:
  // not measured.
  void wait(tile_t tile, unsigned& tries) {
    if (failure_.failed_at_or_before(tile)) throw team_failure::other_member_failed{};
    if (++tries > 64) std::this_thread::yield();
  }

  const team_failure& failure_;
  std::optional<Stored> sum_;
};

// The driver. A Tile is a class for one job, of which each team member has an object:
//   Tile(job, scratch)         scratch: the member's own
//   begin(first, count)        returns the aggregate of these items
//   finish(first, count, prefix, is_last)
//   expect(first, count)       called before a finish with the range of the next begin; the finish may bring that range
//                              into the cache meanwhile
//   items                      of a tile
//   scratch_bytes(n)           of a member, for a job of n items
//   tiles_a_thread             the team has a thread for so many tiles, at most
//   begin_only_combines        whether begin does no more than combine. Then it is left out for the last tile, whose
//                              aggregate no other tile needs
template <class Tile, class Job>
class cpu_tile_driver {
  using value = typename Job::value_type;
  using stored = typename Job::stored_type;
  using table_type = descriptor_table<stored, on_host>;

 public:
  cpu_tile_driver(const char* call, index_t n, int threads, layout& scratch) : n_(n) {
    const index_t tiles = divide_up(n_, tile_items);
    if (tiles >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    tiles_ = static_cast<tile_t>(tiles);
    const index_t wanted = threads > 0 ? threads : available_threads();
    members_ = static_cast<int>(std::max<index_t>(1, std::min<index_t>(wanted, tiles / Tile::tiles_a_thread)));
    draws_early_ = tiles > members_ * index_t{8};  // 8: not measured
    if (tiles_ > 1) slots_ = scratch.add<slot>(tiles_);
    if (tiles_ > 1 && table_type::apart) values_ = scratch.add<stored>(tiles_);
    buffer_bytes_ = round_up(Tile::scratch_bytes(n_), section_alignment);
    buffers_ = scratch.add<char>(static_cast<index_t>(buffer_bytes_) * members_);
  }

  // Runs the job. If a function object of the caller throws, this throws the same when all members have ended.
  void run(const Job& job, void* scratch) const {
    if (tiles_ == 0) return;
    if (tiles_ == 1) return run_alone(job, scratch);
    auto* slots = section<slot>(scratch, slots_);
    std::memset(static_cast<void*>(slots), 0, tiles_ * sizeof(slot));
    const table_type table(slots, section<stored>(scratch, values_), 1);
    std::atomic<tile_t> ticket{0};
    std::atomic<int> member{0};
    std::atomic<int> ended{0};
    team_failure failure;
    run_team(members_, [&] {
      char* buffer = section<char>(scratch, buffers_) + buffer_bytes_ * static_cast<std::size_t>(member.fetch_add(1));
      tile_t tile = tiles_;  // a member that fails before its first tile leaves all tiles to the others
      try {
        work(job, table, ticket, buffer, failure, tile);
      } catch (const team_failure::other_member_failed&) {
      } catch (...) {
        failure.record(tile);
      }
      ended.fetch_add(1, std::memory_order_release);
    });
    (void)ended.load(std::memory_order_acquire);  // makes visible what the members wrote
    destroy_values(table);
    failure.rethrow();
  }

 private:
  // Runs a job of one tile, without a team and a look-back.
  void run_alone(const Job& job, void* scratch) const {
    Tile tile(job, section<char>(scratch, buffers_));
    if (!Tile::begin_only_combines) tile.begin(0, n_);
    tile.finish(0, n_, job.initial, true);
  }

  void work(const Job& job, const table_type& table, std::atomic<tile_t>& ticket, char* buffer, team_failure& failure,
            tile_t& t) const {
    Tile tile(job, buffer);
    thread_group<stored> group(failure);
    running_prefix<value, typename Job::op_type, thread_group<stored>> running(job.op);
    const auto draw = [&] { return ticket.fetch_add(1, std::memory_order_relaxed); };
    tile_t next = 0;
    for (t = draw(); t < tiles_ && !failure.failed_at_or_before(t); t = next) {
      const index_t first = first_of(t), count = count_of(t);
      if (t < tiles_ - 1 || !Tile::begin_only_combines) table.publish(t, tile.begin(first, count));
      if (draws_early_) {
        next = draw();
        if (next < tiles_) tile.expect(first_of(next), count_of(next));
      }
      auto prefix = running.advance(table, group, t);
      if (job.initial) {
        auto op = job.op;
        prefix = prefix ? static_cast<value>(op(*job.initial, *prefix)) : *job.initial;
      }
      tile.finish(first, count, prefix, t == tiles_ - 1);
      if (!draws_early_) next = draw();
    }
  }
  index_t first_of(tile_t t) const { return static_cast<index_t>(t) * tile_items; }
  index_t count_of(tile_t t) const { return std::min(tile_items, n_ - first_of(t)); }

  void destroy_values(const table_type& table) const {
    if constexpr (table_type::apart && !std::is_trivially_destructible_v<stored>) {
      for (tile_t t = 0; t < tiles_; ++t) {
        const auto raw = table.read(t);
        if (table.is_published(raw)) table.destroy(t);
      }
    }
  }

  static constexpr index_t tile_items = Tile::items;
  index_t n_;
  tile_t tiles_ = 0;
  int members_ = 1;
  // Whether a member draws its next tile before it finishes the current one, to bring it into the cache. With few tiles
  // the team is better balanced without.
  bool draws_early_ = false;
  std::size_t slots_ = 0, values_ = 0, buffers_ = 0, buffer_bytes_ = 0;
};

}  // namespace onepass::detail
