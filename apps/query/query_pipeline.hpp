// SPDX-License-Identifier: Apache-2.0
// Answers questions about a table in a backend's memory: WHERE by compaction of row numbers, GROUP BY by a stable sort of
// them and a reduction by key for each aggregate (on the CPU by tables where they can be small), ORDER BY by another sort.
// Numbers of rows and groups stay in the backend's memory until the result is read: no step waits for the one before. The
// file has over 300 lines because the steps of a question share their arrays.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/operators.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/segmented_reduce.hpp>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "aggregates.hpp"
#include "condition_machine.hpp"
#include "group_tables.hpp"
#include "plan.hpp"
#include "row_steps.hpp"
#include "sort_keys.hpp"
#include "table.hpp"

namespace query {

template <class Backend>
class query_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;
  using stored_column = backend_column<Backend>;

  // The table is copied to the backend's memory, and must live as long as this.
  query_pipeline(const Backend& backend, const table& on)
      : backend_(backend),
        record_(backend),
        machine_(backend),
        tables_(backend),
        table_(on),
        rows_(static_cast<std::int64_t>(on.rows())),
        counts_(2) {
    for (const column& values : on.columns) {
      columns_.push_back({values.type, values.integers, values.reals, values.texts});
      ranges_.push_back(range_of(values));
    }
    for (stored_column& values : columns_) views_.push_back(values.view());
  }

  // With `stages`, each is timed alone, and stages() has them; `beside_peers` as well.
  table answer(const plan& what, bool stages = false, bool beside_peers = false) {
    stages_ = stages;
    record_.start(beside_peers);
    where(what);
    if (what.grouped) group(what);
    order(what);
    return result(what);
  }

  const std::vector<apps::comparison>& stages() const { return record_.stages(); }

 private:
  template <class Work>
  void step(const char* name, Work work) {
    if (stages_) record_.timed(name, work);
    else work();
  }

  template <class Work, class Peer, class Agree>
  void step(const char* name, const char* call, const char* peer_name, Work work, Peer peer, Agree agree) {
    if (stages_) record_.compared(name, call, peer_name, work, peer, agree);
    else work();
  }

  onepass::index_t* kept() { return data(counts_); }
  onepass::index_t* groups() { return data(counts_) + 1; }

  // The numbers of the rows that are taken go to items_, how many they are to kept().
  void where(const plan& what) {
    grow(items_, rows_);
    counts_[0] = rows_;
    if (!what.where) {
      step("all rows", [&] { backend_.for_each(rows_, number_rows{data(items_)}); });
      return;
    }
    const std::vector<condition_step> steps = steps_of(*what.where, table_);
    const vector<truth_value>* truths = nullptr;
    step("where", [&] { truths = &machine_.run(steps, views_, rows_); });
    const auto first = truths->begin();
    const thrust::counting_iterator<row_index> all(0);
    vector<row_index> peer(stages_ ? items_.size() : 0);
    std::int64_t peer_count = 0;
    step(
        "keep rows", "onepass::positions_async", Backend::copy_if_name,
        [&] {
          onepass::positions_async(backend_.policy(), first, first + rows_, items_.begin(), is_true_value{}, kept());
        },
        [&] {
          const truth_at taken{apps::pointer_to(*truths)};
          peer_count = backend_.peer_copy_if(all, all + rows_, peer.begin(), taken) - peer.begin();
        },
        [&] {
          return counts_[0] == peer_count && backend_.equal(peer.begin(), peer.begin() + peer_count, items_.begin());
        });
  }

  key_part part_of(std::size_t column) {
    const code_range& range = ranges_[column];
    key_part part;
    part.values = views_[column];
    part.low = range.low;
    part.last = range.low <= range.high ? range.high - range.low : 0;
    part.may_be_missing = range.missing;
    return part;
  }

  // Sorts `items`, of which there are `count`, at most `most`, stably. keys_ then has their first words.
  void sort_items(const char* name, const std::vector<key_word>& words, vector<row_index>& items,
                  const onepass::index_t* count, std::int64_t most) {
    grow(keys_, most);
    words_ = words;
    for (std::size_t i = words.size(); i-- > 0;) {
      step("make keys", [&] {
        backend_.for_each(backend_.bound(count, most), make_keys{data(words_) + i, data(items), count, data(keys_)});
      });
      onepass::radix_options bits;
      bits.end_bit = words[i].bits;
      const auto number = stages_ ? static_cast<std::size_t>(read(count)) : 0;
      typename Backend::template peer_sort<std::uint64_t, thrust::less<std::uint64_t>> peer(backend_, keys_, items,
                                                                                            number);
      step(
          name, "onepass::radix_sort_by_key", Backend::sort_name,
          [&] {
            const auto first = keys_.begin();
            onepass::radix_sort_by_key(backend_.policy().sized_by(count), first, first + most, items.begin(), bits);
          },
          [&] { peer.run(); }, [&] { return peer.equals(keys_, items); });
    }
  }

  std::int64_t read(const onepass::index_t* count) { return count == kept() ? counts_[0] : counts_[1]; }

  void group(const plan& what) {
    std::vector<key_part> parts;
    for (const std::size_t column : what.columns) parts.push_back(part_of(column));
    const std::vector<key_word> words = words_of(parts);
    most_groups_ = most_groups(words);
    for (vector<row_index>* rows : {&begins_, &first_rows_}) grow(*rows, most_groups_);
    grow(sizes_.integers, most_groups_);
    by_tables_ = Backend::on_host && group_tables<Backend>::can_hold(words);
    if constexpr (Backend::on_host) {
      if (by_tables_) find_groups_by_tables(words);
    }
    if (!by_tables_) find_groups_by_sort(words);
    aggregates_.resize(what.aggregates.size());
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      if (what.aggregates[i].kind != aggregate_kind::count) reduce(what.aggregates[i], aggregates_[i]);
    }
  }

  // begins_ has the position of each group's first row in sorted order.
  void find_groups_by_sort(const std::vector<key_word>& words) {
    sort_items("sort by group", words, items_, kept(), rows_);
    same_ = {data(keys_), data(items_), data(words_), static_cast<int>(words.size())};
    step("find groups", [&] {
      const thrust::constant_iterator<std::int64_t> one(1);
      reduce(one, begins_.begin(), sizes_.integers.begin(), onepass::sum{});
      gather_groups(data(items_), first_rows_);
    });
  }

  // begins_ has each group's key.
  void find_groups_by_tables(const std::vector<key_word>& words) {
    step("make keys", [&] { tables_.find_keys(words, data(items_), read(kept())); });
    step("find groups", [&] {
      const row_index* const items = data(items_);
      tables_.add_up(
          counts_of_keys_,
          [items](rows_of_key& rows, std::int64_t i) {
            if (rows.count++ == 0) rows.first = items[i];
          },
          [](rows_of_key& rows, const rows_of_key& later) {
            if (rows.count == 0) rows.first = later.first;
            rows.count += later.count;
          });
      const auto first = counts_of_keys_.begin();
      const auto is_there = [](const rows_of_key& rows) { return rows.count > 0; };
      onepass::positions_async(backend_.policy(), first, first + tables_.slots(), begins_.begin(), is_there, groups());
      backend_.for_each(read(groups()), [&](std::int64_t group) {
        const rows_of_key& rows = counts_of_keys_[begins_[group]];
        sizes_.integers[group] = rows.count;
        first_rows_[group] = rows.first;
      });
    });
  }

  // out[g] = from[begins_[g]], for each group.
  template <class T>
  void gather_groups(const T* from, vector<T>& out) {
    const gather<T> work{from, nullptr, data(begins_), data(out)};
    backend_.for_each(backend_.bound(groups(), most_groups_), for_each_below<gather<T>>{work, groups()});
  }

  // As many as there are rows, or as keys can tell apart.
  std::int64_t most_groups(const std::vector<key_word>& words) const {
    if (words.empty()) return 1;
    const bool few = words.size() == 1 && words[0].bits < 32;
    return few ? std::min(rows_, std::int64_t{1} << words[0].bits) : rows_;
  }

  template <class Values, class KeysOut, class Out, class Op>
  void reduce(Values values, KeysOut begins, Out out, Op op) {
    const thrust::counting_iterator<row_index> positions(0);
    onepass::reduce_by_key_async(backend_.policy().sized_by(kept()), positions, positions + rows_, values, begins, out,
                                 same_, op, groups());
  }

  void reduce(const aggregate& one, stored_column& out) {
    const code_range& range = ranges_[one.column];
    out.type = type_of(one, table_, range);
    if (out.type == column_type::integer) grow(out.integers, most_groups_);
    else if (out.type == column_type::real) grow(out.reals, most_groups_);
    else grow(out.texts, most_groups_);
    stored_column& from = columns_[one.column];
    if (from.type == column_type::real) reduce<double>(one, from.reals, gathered_.reals, out);
    else if (from.type == column_type::text) reduce<std::int64_t>(one, from.texts, gathered_.texts, out);
    else if (one.kind != aggregate_kind::least && one.kind != aggregate_kind::greatest &&
             !sums_are_integers(table_.columns[one.column], range)) {
      reduce<double>(one, from.integers, gathered_.integers, out);
    } else {
      reduce<std::int64_t>(one, from.integers, gathered_.integers, out);
    }
  }

  template <class T, class From>
  void reduce(const aggregate& one, vector<From>& from, vector<From>& gathered, stored_column& out) {
    vector<partial<T>>& partials = partials_of(T{});
    grow(partials, most_groups_);
    if constexpr (Backend::on_host) {
      if (by_tables_) reduce_by_tables(one, from, partials);
    }
    if (!by_tables_) reduce_by_sort(one, from, gathered, partials);
    const finish<T> last{one.kind, out.type, data(partials), const_cast<void*>(out.view().values)};
    backend_.for_each(backend_.bound(groups(), most_groups_), for_each_below<finish<T>>{last, groups()});
  }

  // Values are gathered before they are reduced: each is somewhere else in memory, and a gather waits for many at once.
  template <class T, class From>
  void reduce_by_sort(const aggregate& one, vector<From>& from, vector<From>& gathered, vector<partial<T>>& partials) {
    grow(gathered, rows_);
    step("gather", [&] {
      const gather<From> work{data(from), nullptr, data(items_), data(gathered)};
      backend_.for_each(backend_.bound(kept(), rows_), for_each_below<gather<From>>{work, kept()});
    });
    step("aggregate", [&] {
      reduce(thrust::make_transform_iterator(data(gathered), partial_of<T, From>{}), thrust::make_discard_iterator(),
             partials.begin(), combine<T>{one.kind});
    });
  }

  template <class T, class From>
  void reduce_by_tables(const aggregate& one, vector<From>& from, vector<partial<T>>& partials) {
    step("aggregate", [&] {
      const combine<T> op{one.kind};
      std::vector<partial<T>>& totals = totals_of(T{});
      tables_.add_up(
          totals,
          [op, from = data(from), items = data(items_)](partial<T>& total, std::int64_t i) {
            total = op(total, partial_of<T, From>{}(from[items[i]]));
          },
          [op](partial<T>& total, const partial<T>& later) { total = op(total, later); });
      gather_groups(totals.data(), partials);
    });
  }

  vector<partial<std::int64_t>>& partials_of(std::int64_t) { return partials_; }
  vector<partial<double>>& partials_of(double) { return real_partials_; }
  std::vector<partial<std::int64_t>>& totals_of(std::int64_t) { return totals_; }
  std::vector<partial<double>>& totals_of(double) { return real_totals_; }

  stored_column& result_of(const plan& what, std::size_t i) {
    return what.aggregates[i].kind == aggregate_kind::count ? sizes_ : aggregates_[i];
  }

  // Without groups items_ are rows; with them order_ are groups.
  void order(const plan& what) {
    if (what.grouped) {
      grow(order_, most_groups_);
      backend_.for_each(most_groups_, number_rows{data(order_)});
    }
    std::vector<key_part> parts;
    for (const std::size_t index : what.order_by)
      parts.push_back(what.grouped ? part_of_result(what, index) : part_of(index));
    for (key_part& part : parts) part.descending = what.descending;
    if (what.grouped) sort_items("order", words_of(parts), order_, groups(), most_groups_);
    else sort_items("order", words_of(parts), items_, kept(), rows_);
  }

  // Of the result of groups. What aggregates' codes are is not known here.
  key_part part_of_result(const plan& what, std::size_t index) {
    if (index < what.columns.size()) {
      key_part part = part_of(what.columns[index]);
      part.rows = data(first_rows_);
      return part;
    }
    key_part part;
    part.values = result_of(what, index - what.columns.size()).view();
    part.low = part.values.type == column_type::integer ? 1 : 0;  // 0 is the code of what stands for a missing one
    part.last = ~std::uint64_t{0} - 1;
    return part;
  }

  table result(const plan& what) {
    const std::vector<std::string> names = result_names(what, table_);
    const std::uint64_t all = static_cast<std::uint64_t>(what.grouped ? counts_[1] : counts_[0]);
    const auto rows = static_cast<std::int64_t>(std::min(all, what.limit));
    table answer;
    step("read the result", [&] {
      for (std::size_t i = 0; i < what.columns.size(); ++i) {
        const std::size_t from = what.columns[i];
        answer.columns.push_back(read(columns_[from], what.grouped ? data(first_rows_) : nullptr,
                                      what.grouped ? data(order_) : data(items_), rows));
        answer.columns.back().words = table_.columns[from].words;
      }
      for (std::size_t i = 0; i < what.aggregates.size(); ++i) {
        answer.columns.push_back(read(result_of(what, i), nullptr, data(order_), rows));
        if (answer.columns.back().type == column_type::text) {
          answer.columns.back().words = table_.columns[what.aggregates[i].column].words;
        }
      }
    });
    for (std::size_t i = 0; i < names.size(); ++i) answer.columns[i].name = names[i];
    if (all == 0 && what.limit > 0) add_empty_group(what, answer);
    return answer;
  }

  column read(stored_column& from, const row_index* rows, const row_index* items, std::int64_t count) {
    column result;
    result.type = from.type;
    if (from.type == column_type::integer) result.integers = gathered(from.integers, rows, items, count);
    else if (from.type == column_type::real) result.reals = gathered(from.reals, rows, items, count);
    else result.texts = gathered(from.texts, rows, items, count);
    return result;
  }

  template <class T>
  std::vector<T> gathered(vector<T>& from, const row_index* rows, const row_index* items, std::int64_t count) {
    vector<T> found(static_cast<std::size_t>(count));
    backend_.for_each(count, gather<T>{data(from), rows, items, data(found)});
    backend_.wait();
    return apps::to_host(found);
  }

  // Room for `number` items, never none. What was in it is lost.
  template <class T>
  static void grow(vector<T>& items, std::int64_t number) {
    const auto wanted = static_cast<std::size_t>(number) + 1;
    if (items.size() < wanted) items = vector<T>(wanted);
  }

  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  condition_machine<Backend> machine_;
  group_tables<Backend> tables_;
  const table& table_;
  std::int64_t rows_;
  bool stages_ = false;
  std::vector<stored_column> columns_, aggregates_;
  std::vector<column_view> views_;  // of columns_
  stored_column sizes_, gathered_;  // of groups; of rows, in the order of their groups
  std::int64_t most_groups_ = 1;
  std::vector<code_range> ranges_;
  vector<onepass::index_t> counts_;  // of the rows that are taken, and of groups
  vector<row_index> items_, begins_, first_rows_, order_;
  vector<std::uint64_t> keys_;
  vector<key_word> words_;
  vector<partial<std::int64_t>> partials_;
  vector<partial<double>> real_partials_;
  bool by_tables_ = false;  // the groups of this question, on the host
  std::vector<rows_of_key> counts_of_keys_;
  std::vector<partial<std::int64_t>> totals_;
  std::vector<partial<double>> real_totals_;
  same_group same_{};  // of the groups by sort
};

}  // namespace query
