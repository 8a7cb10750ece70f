// SPDX-License-Identifier: Apache-2.0
// One rank's part of the whole job: makes or reads its keys, sorts them with the other ranks, times that, checks the result,
// writes it, and lets one rank sort all keys alone.
#pragma once

#include <onepass/distributed_sort.hpp>

#include <cstring>
#include <new>

#include "checks.hpp"
#include "job.hpp"
#include "key_file.hpp"
#include "key_source.hpp"
#include "phase_times.hpp"
#include "sort_alone.hpp"
#include "sort_in_parts.hpp"

namespace distributed_sort {

// `Backend` does the rank's own work, and `Comm` carries items in its memory.
template <class Backend, class Comm, class Key>
class sorter {
  static constexpr bool on_cpu = std::is_same_v<typename Comm::system, onepass::cpu_system>;
  static constexpr int steps = 5;  // beside those that are repeated

 public:
  sorter(const Backend& backend, Comm& carrier, const job& what)
      : backend_(backend),
        carrier_(carrier),
        what_(what),
        ranks_(what.ranks),
        with_values_(what.wanted.values),
        bar_(what.ranks.rank() == 0, steps + 2 * what.wanted.repeat, what.wanted.progress),
        source_(what, bar_),
        timer_(backend, what.ranks) {
    order_.descending = what.wanted.descending;
  }

  report run() {
    report_.backend = backend_.name();
    all_do(ranks_, [&] { prepare(); });
    bar_.next();
    sort_first();
    bar_.next();
    if constexpr (on_cpu) time_parts();
    else time_repeated([&] { return time_moves(); }, report_.phases);
    time_whole();
    check();
    bar_.next();
    write();
    bar_.next();
    compare();
    return report_;
  }

 private:
  void prepare() {
    for (const std::string& file : {what_.wanted.out, what_.wanted.values_out}) {
      if (!file.empty() && ranks_.rank() == 0) check_writable(file);
    }
    const std::uint64_t begin = what_.begin_of(ranks_.rank()), size = what_.begin_of(ranks_.rank() + 1) - begin;
    n_ = static_cast<index_t>(size);
    host_vector<Key> keys = source_.keys(begin, size);
    host_vector<std::uint64_t> values = source_.indices(begin, size);
    sum_before_ = sum_of_items<Key>(what_.threads, {keys.data(), with_values_ ? values.data() : nullptr, size});
    move_to(in_.keys, keys);
    move_to(in_.values, values);
    const std::uint64_t even = what_.total / static_cast<std::uint64_t>(ranks_.size());
    capacity_ = static_cast<index_t>(even + even / 64 + 2);  // a loose share begins up to 1/64 of one earlier
    out_.resize(static_cast<std::size_t>(capacity_), with_values_);
  }

  // ---- the sort -----------------------------------------------------------------------------------------------------
  void sort() {
    const Key* const keys = apps::pointer_to(in_.keys);
    if (with_values_) {
      share_ = od::radix_sort_by_key(carrier_, backend_.policy(), keys, keys + n_, apps::pointer_to(in_.values),
                                     apps::pointer_to(out_.keys), apps::pointer_to(out_.values), capacity_, order_,
                                     what_.wanted.shares);
    } else {
      share_ = od::radix_sort(carrier_, backend_.policy(), keys, keys + n_, apps::pointer_to(out_.keys), capacity_,
                              order_, what_.wanted.shares);
    }
    backend_.wait();
  }

  // Touches memory, and on a GPU loads its code, before anything is timed.
  void sort_first() {
    const traffic before = carrier_.sent;
    traffic own;
    all_do(ranks_, [&] {
      sort();
      own = {carrier_.sent.items - before.items, carrier_.sent.messages - before.messages};
    });
    for (const traffic& rank : gathered(ranks_, own)) {
      report_.moved_bytes += rank.items;
      report_.message_bytes += rank.messages;
    }
    const std::vector<index_t> shares = gathered(ranks_, share_.size);
    report_.smallest_share = *std::min_element(shares.begin(), shares.end());
    report_.largest_share = *std::max_element(shares.begin(), shares.end());
  }

  // The medians of what time_once() returns.
  template <class Time>
  void time_repeated(Time time_once, std::vector<phase>& result) {
    std::vector<std::vector<phase>> runs;
    for (int run = 0; run < what_.wanted.repeat; ++run) {
      runs.push_back(time_once());
      bar_.next();
    }
    result = medians_of(runs);
  }

  void time_parts() {
    sort_in_parts<Backend, Key> parts(backend_, carrier_, order_, what_.wanted);
    time_repeated([&] { return parts.run(in_, share_.size); }, report_.phases);
    const auto same = [&](const auto* a, const auto* b) {
      return share_.size == 0 || std::memcmp(a, b, static_cast<std::size_t>(share_.size) * sizeof *a) == 0;
    };
    report_.parts_agree = on_all_ranks(same(parts.keys(), apps::pointer_to(out_.keys)) &&
                                       (!with_values_ || same(parts.values(), apps::pointer_to(out_.values))));
  }

  // On GPUs a rank sorts first and merges last, which is no public part. So the communicator notes when items move in a
  // whole call.
  std::vector<phase> time_moves() {
    clock::time_point begin;
    carrier_.moves.clear();
    carrier_.notes_moves = true;
    const double all = timer_.seconds_of([&] {
      begin = clock::now();
      sort();
    });
    carrier_.notes_moves = false;
    double before = all, moving = 0;
    if (!carrier_.moves.empty()) before = seconds_between(begin, carrier_.moves.front().begin);
    for (const auto& move : carrier_.moves) moving += seconds_between(move.begin, move.end);
    const auto row = [&](const char* name, double seconds) { return timer_.over_ranks(name, std::max(0.0, seconds)); };
    return {row("sort, splitters", before), row("exchange", moving), row("merge", all - before - moving)};
  }

  void time_whole() {
    std::vector<phase> rows;
    time_repeated([&] { return std::vector<phase>{timer_.timed("the whole call", [&] { sort(); })}; }, rows);
    report_.whole = rows.front();
  }

  // ---- checks and results -------------------------------------------------------------------------------------------
  bool on_all_ranks(bool mine) {
    const std::vector<char> all = gathered(ranks_, static_cast<char>(mine));
    return std::all_of(all.begin(), all.end(), [](char one) { return one != 0; });
  }
  std::uint64_t over_all_ranks(std::uint64_t mine) {
    const std::vector<std::uint64_t> all = gathered(ranks_, mine);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }

  void check() {
    all_do(ranks_, [&] {
      result_.keys = on_host(out_.keys, copied_keys_);
      result_.indices = with_values_ ? on_host(out_.values, copied_values_) : nullptr;
      result_.size = static_cast<std::uint64_t>(share_.size);
    });
    const order_found found = order_of(ranks_, what_.threads, result_, order_.descending);
    report_.in_order = found.in_order;
    if (with_values_) report_.stable = found.stable;
    report_.complete = over_all_ranks(sum_before_) == over_all_ranks(sum_of_items(what_.threads, result_));
    sum_after_ = over_all_ranks(sum_in_order(what_.threads, result_, static_cast<std::uint64_t>(share_.offset)));
  }

  void write() {
    if (!report_.all_hold()) return;
    std::vector<part_of_file> parts;
    const auto part = [&](const std::string& file, const void* from, std::size_t item) {
      if (file.empty()) return;
      parts.push_back(
          {file, static_cast<std::uint64_t>(share_.offset) * item, from, static_cast<std::size_t>(share_.size) * item});
    };
    part(what_.wanted.out, result_.keys, sizeof(Key));
    part(what_.wanted.values_out, result_.indices, sizeof(std::uint64_t));
    write_parts(ranks_, parts);
  }

  void compare() {
    if (!what_.wanted.compare) return;
    in_.clear();
    out_.clear();
    lone_result mine;
    std::exception_ptr failure;
    if (ranks_.rank() == 0) {
      try {
        mine = sort_alone(backend_, what_, source_, order_);
      } catch (const std::bad_alloc&) {  // the result is there all the same
      } catch (...) {
        failure = std::current_exception();
      }
    }
    ranks_.rest_until_all_are_here();
    agree(ranks_, failure);
    const lone_result found = gathered(ranks_, mine).front();
    report_.alone = found.seconds;
    if (found.has_memory) report_.peer_agrees = found.sum == sum_after_;
    else report_.why_not_alone = "all keys do not fit its memory";
  }

  const Backend& backend_;
  Comm& carrier_;
  const job& what_;
  host_communicator& ranks_;
  const bool with_values_;
  step_bar bar_;
  const key_source<Key> source_;
  const phase_timer<Backend> timer_;
  onepass::radix_options order_;
  report report_;
  index_t n_ = 0, capacity_ = 0;
  od::slice share_{};
  std::uint64_t sum_before_ = 0, sum_after_ = 0;
  sort_items<Backend, Key> in_, out_;
  host_vector<Key> copied_keys_;  // of results on a GPU
  host_vector<std::uint64_t> copied_values_;
  items_of<Key> result_{};
};

}  // namespace distributed_sort
