// SPDX-License-Identifier: Apache-2.0
// The sort across ranks made of the library's public parts, each timed by itself: where the sorted keys are cut, the keys for
// each rank together, the exchange, and one sort of what has come. One call of onepass::distributed::radix_sort does the
// same. On the CPU alone, as partition_for is.
#pragma once

#include <onepass/distributed_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <vector>

#include "phase_times.hpp"

namespace distributed_sort {

namespace od = onepass::distributed;
using onepass::index_t;

// Keys, and beside them the indices that they carry, if they do.
template <class Backend, class Key>
struct sort_items {
  template <class T>
  using vector = typename Backend::template vector<T>;
  vector<Key> keys;
  vector<std::uint64_t> values;

  void resize(std::size_t size, bool with_values) {
    keys.resize(size);
    values.resize(with_values ? size : 0);
  }
  void clear() {
    vector<Key>().swap(keys);
    vector<std::uint64_t>().swap(values);
  }
};

template <class Backend, class Key>
class sort_in_parts {
  using items = sort_items<Backend, Key>;

 public:
  sort_in_parts(const Backend& backend, host_communicator& ranks, onepass::radix_options order, const options& wanted)
      : backend_(backend), ranks_(ranks), order_(order), wanted_(wanted), timer_(backend, ranks) {}

  // Sorts `in`, of which this rank gets `share` items. All ranks call it.
  std::vector<phase> run(const items& in, index_t share) {
    const auto n = static_cast<index_t>(in.keys.size());
    const auto policy = backend_.policy();
    const auto first = in.keys.data(), last = first + n;
    all_do(ranks_, [&] {  // a rank that has no memory tells the others before they wait for it
      for (items* room : {&parted_, &sorted_})
        room->resize(static_cast<std::size_t>(std::max(n, share)), wanted_.values);
    });
    od::splitter_set<Key> cuts;
    std::vector<index_t> sent;  // to each rank
    std::vector<phase> phases;
    phases.push_back(
        timer_.timed("splitters", [&] { cuts = od::splitters(ranks_, policy, first, last, order_, wanted_.shares); }));
    phases.push_back(timer_.timed("partition", [&] {
      sent = wanted_.values ? od::partition_for(policy, first, last, in.values.data(), cuts, parted_.keys.data(),
                                                parted_.values.data())
                            : od::partition_for(policy, first, last, cuts, parted_.keys.data());
    }));
    phases.push_back(timer_.timed("exchange", [&] {
      const std::vector<index_t> coming = counts_that_come(sent);
      exchange(sent, coming, parted_.keys.data(), sorted_.keys.data());
      if (wanted_.values) exchange(sent, coming, parted_.values.data(), sorted_.values.data());
    }));
    phases.push_back(timer_.timed("local sort", [&] { sort(share); }));
    return phases;
  }

  const Key* keys() const { return sorted_.keys.data(); }
  const std::uint64_t* values() const { return sorted_.values.data(); }

 private:
  // How many items each rank sends to this one.
  std::vector<index_t> counts_that_come(const std::vector<index_t>& sent) {
    std::vector<index_t> all(sent.size() * sent.size()), coming;
    ranks_.all_gather("distributed_sort", sent.data(), all.data(), sent.size() * sizeof sent[0]);
    for (std::size_t q = 0; q < sent.size(); ++q) {
      coming.push_back(all[q * sent.size() + static_cast<std::size_t>(ranks_.rank())]);
    }
    return coming;
  }

  template <class T>
  void exchange(const std::vector<index_t>& sent, const std::vector<index_t>& coming, const T* from, T* to) {
    std::vector<std::size_t> send_bytes, receive_bytes;
    for (const index_t n : sent) send_bytes.push_back(static_cast<std::size_t>(n) * sizeof(T));
    for (const index_t n : coming) receive_bytes.push_back(static_cast<std::size_t>(n) * sizeof(T));
    ranks_.all_to_all("distributed_sort", from, send_bytes.data(), to, receive_bytes.data());
  }

  // What has been sent makes room for the sort.
  void sort(index_t share) {
    const onepass::double_buffer<Key> keys(sorted_.keys.data(), parted_.keys.data());
    if (wanted_.values) {
      const onepass::double_buffer<std::uint64_t> values(sorted_.values.data(), parted_.values.data());
      onepass::radix_sort_by_key(backend_.policy(), keys, values, share, order_);
    } else {
      onepass::radix_sort(backend_.policy(), keys, share, order_);
    }
  }

  const Backend& backend_;
  host_communicator& ranks_;
  const onepass::radix_options order_;
  const options& wanted_;
  const phase_timer<Backend> timer_;
  items parted_, sorted_;
};

}  // namespace distributed_sort
