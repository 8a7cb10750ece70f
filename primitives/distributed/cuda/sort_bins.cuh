// SPDX-License-Identifier: Apache-2.0
// A rank's sort on its GPU in which items move between GPUs while others are sorted. Each rank puts its items in the
// order of their bins (put_in_bins.cuh). Bins come to a rank in groups (bin_groups.hpp), and each is sorted to where it
// belongs in the output while the next ones come. Of each rank a group has one run, and runs stand in the order of the
// ranks; so the sort is stable. Bytes moved: each item is read and written once between GPUs, and by the sort.
#pragma once

#include <memory>

#include "../../../core/exchange/side_streams.cuh"
#include "carried_gather.cuh"
#include "put_in_bins.cuh"

namespace onepass::detail {

// Items in device memory. V: what moves with the keys, or none.
template <class K, class V>
struct item_arrays {
  K* keys;
  V* values;
  item_arrays operator+(index_t n) const { return {keys + n, values == nullptr ? nullptr : values + n}; }
};

template <class K, class V>
class bins_sort {
  static constexpr bool has_values = !std::is_same_v<V, none>;
  using arrays = item_arrays<K, V>;
  using pass_type = bins_pass<K, V>;

 public:
  // What the other ranks have to know to send this rank its items, and this one to wait for theirs.
  struct receiver {
    arrays items;
    std::vector<std::shared_ptr<const cuda_event>> has_sent;  // the k-th group of each other rank
  };

  // Takes all memory. pass: what puts this rank's items in the order of their bins; it has been enqueued, and what
  // comes from other ranks does not wait for it. `by_communicator`: it sends the items; else each rank copies what it
  // sends to the others' memory.
  bins_sort(const char* call, const cuda_policy& policy, const pass_type& pass, const bin_plan& plan, int rank,
            int ranks, const radix_options& options, bool by_communicator)
      : call_(call),
        stream_(policy.stream()),
        pass_(pass),
        plan_(plan),
        rank_(rank),
        ranks_(ranks),
        options_(options),
        streams_(std::in_place, call, stream_) {
    streams_->begin(call, pass.is_counted());
    const index_t received = group_begin(rank_, groups().size());
    layout items;
    const std::size_t keys_at = items.add<K>(received), values_at = add_values(items, received),
                      send_at = items.add<char>(by_communicator ? most_packed(true) : 0),
                      receive_at = items.add<char>(by_communicator ? 2 * most_packed(false) : 0);
    items_.emplace(call, items.bytes(), streams_->sends(), stream_);
    mine_.items = {section<K>(items_->get(), keys_at), has_values ? section<V>(items_->get(), values_at) : nullptr};
    send_ = section<char>(items_->get(), send_at), receive_ = section<char>(items_->get(), receive_at);
    most_received_ = static_cast<std::size_t>(most_packed(false));
    for (std::size_t k = 0; k < plan_.rounds(); ++k) mine_.has_sent.push_back(std::make_shared<const cuda_event>(call));
    const workspace_size size = measure(policy, [&](const cuda_policy& p) {
      for (std::size_t k = 0; k < groups().size(); ++k) sort_group(p, k, mine_.items);
    });
    for (std::size_t turn = 0; turn < side_streams::turns; ++turn) {
      work_memory_[turn].emplace(call, size.bytes(), streams_->sends(), stream_);
      work_[turn].emplace(cuda_policy(streams_->sends()), size, work_memory_[turn]->get());
    }
  }
  // Nobody writes to the memory any more when it is given back.
  ~bins_sort() {
    for (const receiver& r : all_) {
      if (!r.has_sent.empty()) r.has_sent.back()->try_hold(stream_);
    }
  }
  bins_sort(const bins_sort&) = delete;
  bins_sort& operator=(const bins_sort&) = delete;

  // ---- to memory that this device can write. All ranks send before one sorts.
  const receiver& mine() const { return mine_; }
  // The stream that sends: behind what is in it, others may write to this rank's memory.
  stream_t sends() const { return streams_->sends(); }
  // own: what this rank puts in the order of the bins. A group moves in two streams: pairs take 3 % less so (four
  // H100), and four streams more than two.
  void send(const std::vector<const void*>& receivers, const arrays& own) {
    for (const void* r : receivers) all_.push_back(*static_cast<const receiver*>(r));
    pass_.is_in_order().hold(call_, streams_->sends());
    const cuda_event begins(call_), ends(call_);  // what the other stream moves of a group
    const struct at_end {                         // also where a copy cannot be enqueued
      const side_streams& streams;
      const cuda_event& ends;
      ~at_end() {
        ends.try_record(streams.receives());
        ends.try_hold(streams.sends());
      }
    } joined{*streams_, ends};
    for (std::size_t k = 0; k < plan_.rounds(); ++k) {
      begins.record(call_, streams_->sends());
      begins.hold(call_, streams_->receives());
      // Each rank sends to the one behind it first, then to the next: so no rank is sent to by all others at once.
      for (int step = 0; step < ranks_; ++step) {
        const int q = (rank_ + step) % ranks_;
        if (const bin_group* const g = group_of(q, k)) {
          copy(step % 2 == 0 ? streams_->sends() : streams_->receives(),
               all_[static_cast<std::size_t>(q)].items + piece_begin(rank_, q, k),
               own + plan_.begin_in(rank_, g->first), plan_.size_in(rank_, *g));
        }
      }
      ends.record(call_, streams_->receives());
      ends.hold(call_, streams_->sends());
      mine_.has_sent[k]->record(call_, streams_->sends());
    }
  }
  void sort(const arrays& out) {
    for (std::size_t k = 0; k < groups().size(); ++k) {
      for (const receiver& r : all_) r.has_sent[k]->hold(call_, streams_->sorts(k));
      sort_to(k, out);
    }
    streams_.reset();
  }

  // ---- by a communicator. All ranks exchange their k-th groups, then the next ones; while these move, a rank takes apart
  // what has come.
  template <class Comm>
  void exchange_and_sort(Comm& comm, const arrays& own, const arrays& out) {
    pass_.is_in_order().hold(call_, streams_->sends());
    const cuda_event has_come(call_), is_taken[] = {cuda_event(call_), cuda_event(call_)};
    for (std::size_t k = 0; k < plan_.rounds(); ++k) {
      char* const received = receive_ + k % 2 * most_received_;
      is_taken[k % 2].hold(call_, streams_->sends());
      exchange(comm, k, own, received);
      has_come.record(call_, streams_->sends());
      if (k >= groups().size()) continue;
      has_come.hold(call_, streams_->receives());
      const bin_group& g = groups()[k];
      char* from = received;
      for (int q = 0; q < ranks_; ++q) {
        const index_t n = plan_.size_in(q, g);
        copy(streams_->receives(), mine_.items + piece_begin(q, rank_, k),
             q == rank_ ? own + plan_.begin_in(q, g.first) : packed(from, n), n);
        if (q != rank_) from += packed_bytes(q, rank_, k);
      }
      is_taken[k % 2].record(call_, streams_->receives());
      mine_.has_sent[k]->record(call_, streams_->receives());
      mine_.has_sent[k]->hold(call_, streams_->sorts(k));
      sort_to(k, out);
    }
    streams_.reset();
  }

 private:
  const std::vector<bin_group>& groups() const { return plan_.groups(rank_); }
  const bin_group* group_of(int rank, std::size_t k) const {
    return k < plan_.groups(rank).size() ? &plan_.groups(rank)[k] : nullptr;
  }
  // ---- what a rank gets: its groups, one behind the other, each in the order of the ranks
  index_t group_begin(int rank, std::size_t k) const {
    index_t begin = 0;
    for (std::size_t g = 0; g < k; ++g) begin += plan_.groups(rank)[g].size;
    return begin;
  }
  index_t piece_begin(int from, int to, std::size_t k) const {
    index_t begin = group_begin(to, k);
    for (int q = 0; q < from; ++q) begin += plan_.size_in(q, plan_.groups(to)[k]);
    return begin;
  }
  static std::size_t add_values(layout& to, index_t n) {
    if constexpr (has_values) return to.add<V>(n);
    else return (void)n, to.bytes();
  }

  // ---- what a communicator sends: keys, and behind them values, each from a line of memory on. NCCL moves these 1.5
  // times as fast as what begins anywhere (four H200).
  static constexpr std::size_t line_bytes = 128;
  static std::size_t lines(std::size_t bytes) { return round_up(bytes, line_bytes); }
  static arrays packed(char* at, index_t n) {
    if constexpr (has_values) {
      return {reinterpret_cast<K*>(at), reinterpret_cast<V*>(at + lines(static_cast<std::size_t>(n) * sizeof(K)))};
    } else {
      (void)n;
      return {reinterpret_cast<K*>(at), nullptr};
    }
  }
  std::size_t packed_bytes(int from, int to, std::size_t k) const {
    const bin_group* const g = group_of(to, k);
    const auto n = static_cast<std::size_t>(g == nullptr ? 0 : plan_.size_in(from, *g));
    if constexpr (has_values) return lines(n * sizeof(K)) + lines(n * sizeof(V));
    else return lines(n * sizeof(K));
  }
  // In one round, to or from all other ranks.
  index_t most_packed(bool is_sent) const {
    std::size_t most = 0;
    for (std::size_t k = 0; k < plan_.rounds(); ++k) {
      std::size_t bytes = 0;
      for (int q = 0; q < ranks_; ++q) {
        if (q != rank_) bytes += is_sent ? packed_bytes(rank_, q, k) : packed_bytes(q, rank_, k);
      }
      most = std::max(most, bytes);
    }
    return static_cast<index_t>(most);
  }

  // Exchanges the k-th group of each rank.
  template <class Comm>
  void exchange(Comm& comm, std::size_t k, const arrays& own, char* to) {
    std::vector<std::size_t> sent(static_cast<std::size_t>(ranks_)), received = sent;
    char* at = send_;
    for (int q = 0; q < ranks_; ++q) {
      if (q == rank_) continue;
      const std::size_t bytes = sent[static_cast<std::size_t>(q)] = packed_bytes(rank_, q, k);
      received[static_cast<std::size_t>(q)] = packed_bytes(q, rank_, k);
      if (bytes == 0) continue;
      const bin_group& g = *group_of(q, k);
      const index_t n = plan_.size_in(rank_, g);
      copy(streams_->sends(), packed(at, n), own + plan_.begin_in(rank_, g.first), n);
      at += bytes;
    }
    comm.all_to_all(call_, streams_->sends(), send_, sent.data(), to, received.data());
  }

  void copy(stream_t stream, const arrays& to, const arrays& from, index_t n) const {
    if (n == 0) return;
    const auto items = static_cast<std::size_t>(n);
    check_cuda(call_, cudaMemcpyAsync(to.keys, from.keys, items * sizeof(K), cudaMemcpyDefault, stream));
    if constexpr (has_values) {
      check_cuda(call_, cudaMemcpyAsync(to.values, from.values, items * sizeof(V), cudaMemcpyDefault, stream));
    }
  }

  // ---- the sort of a group
  void sort_to(std::size_t k, const arrays& out) {
    const stream_t stream = streams_->sorts(k);
    const bin_group& g = groups()[k];
    const index_t begin = plan_.share_begin(rank_), end = plan_.share_end(rank_);
    sort_group(cuda_policy(stream).with(*work_[k % side_streams::turns]), k, out + (g.begin - begin));
    if (is_own(g)) return;
    const index_t from = std::max(g.begin, begin), past = std::min(g.begin + g.size, end);
    copy(stream, out + (from - begin), mine_.items + (group_begin(rank_, k) + from - g.begin), past - from);
  }
  // Whether all of a group belongs to this rank's share.
  bool is_own(const bin_group& g) const {
    return plan_.share_begin(rank_) <= g.begin && g.begin + g.size <= plan_.share_end(rank_);
  }
  // Sorts a group to where it belongs, or, if not all of it belongs to this rank, in place.
  void sort_group(const cuda_policy& policy, std::size_t k, const arrays& to) const {
    const bin_group& g = groups()[k];
    const arrays from = mine_.items + group_begin(rank_, k);
    const bool in_place = !is_own(g);
    const auto range = [&](auto* in, auto* out) {
      using item = std::remove_pointer_t<decltype(out)>;
      return sorted_range<item*, item*>{in, in_place ? in : out, in_place};
    };
    if constexpr (has_values) {
      detail::sort_moved_keys(call_, policy, range(from.keys, to.keys), range(from.values, to.values), g.size,
                              digits_of(g), as_a_whole{});
    } else {
      sort_moved_keys(call_, policy, range(from.keys, to.keys), no_range{}, g.size, digits_of(g), as_a_whole{});
    }
  }
  // The bits in which keys of a group differ. A sort of wide keys needs an even number of digits to leave out the
  // lowest ones.
  auto digits_of(const bin_group& g) const {
    const int all = options_.end_bit - options_.begin_bit;
    int bits = all - digit_bits;
    for (int differing = g.first ^ (g.last - 1); differing > 0; differing /= 2) ++bits;
    const int digits = (bits + digit_bits - 1) / digit_bits;
    if (sizeof(K) > 4 && digits % 2 != 0) bits = std::min(all, digits * digit_bits + 1);
    return digits_of_bits<K>(options_, options_.begin_bit, options_.begin_bit + bits, has_values);
  }

  const char* call_;
  stream_t stream_;
  const pass_type& pass_;
  bin_plan plan_;
  int rank_, ranks_;
  radix_options options_;
  std::optional<device_block> items_, work_memory_[side_streams::turns];
  std::optional<workspace> work_[side_streams::turns];
  receiver mine_;
  char *send_ = nullptr, *receive_ = nullptr;  // for one group, and for two, by a communicator
  std::size_t most_received_ = 0;
  std::vector<receiver> all_;  // where ranks send to each other's memory
  std::optional<side_streams> streams_;
};

}  // namespace onepass::detail
